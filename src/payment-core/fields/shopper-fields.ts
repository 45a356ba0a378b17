import type { FieldName } from './catalogue/catalogue.js';

/** An address as a shopper enters it; whether and how it was validated is for the merchant to say. */
const address = [
  'street1',
  'street2',
  'houseNumber1',
  'houseNumber2',
  'city',
  'state',
  'postcode',
  'country',
] as const;

/** Without what the merchant knows about the shopper: its own number for them, a reference, whether they are new. */
const person = [
  'givenName',
  'middleName',
  'surname',
  'sex',
  'birthDate',
  'phone',
  'mobile',
  'workPhone',
  'email',
  'companyName',
  'identificationDocType',
  'identificationDocId',
  'ip',
  'salutation',
  'language',
  'category',
  'browser.acceptHeader',
  'browser.language',
  'browser.screenHeight',
  'browser.screenWidth',
  'browser.timezone',
  'browser.userAgent',
  'browser.javaEnabled',
  'browser.screenColorDepth',
  'browser.challengeWindow',
] as const;

/**
 * What the form of a shopper may send to a checkout without a token: the instrument, who and where the shopper is, the
 * browser or device, and where it returns to. Everything else is for the merchant, whose server sets it in the checkout
 * or pays with a token. A field that is added to the catalogue is for the merchant until it is named here.
 */
const names: ReadonlySet<string> = new Set<FieldName>([
  'paymentBrand',
  'createRegistration',
  'shopperResultUrl',
  'locale',
  'card.holder',
  'card.number',
  'card.expiryMonth',
  'card.expiryYear',
  'card.cvv',
  'card.numberType',
  // The browser or the device hands over the token of a wallet. What a server decrypted from it needs 3D Secure proof.
  'walletA.paymentToken',
  'walletA.cardNetwork',
  'walletA.cardType',
  'walletA.source',
  'walletB.paymentToken',
  'walletB.source',
  'walletC.paymentToken',
  'walletC.source',
  'virtualAccount.accountId',
  // The mandate and the due date are agreed by the merchant. A token account belongs to the merchant's vault.
  'bankAccount.holder',
  'bankAccount.bankName',
  'bankAccount.number',
  'bankAccount.iban',
  'bankAccount.bankCode',
  'bankAccount.bic',
  'bankAccount.country',
  'giftCard.number',
  'giftCard.pin',
  'giftCard.holder',
  'giftCard.message',
  'giftCard.type',
  ...person.map((name) => `customer.${name}` as const),
  'customer.browserFingerprint.id',
  'customer.browserFingerprint.value',
  'customer.browser.deviceId',
  'customer.app.deviceId',
  ...address.map((name) => `billing.${name}` as const),
  // Method, cost and dates of the delivery are a part of the order.
  ...address.map((name) => `shipping.${name}` as const),
  'shipping.middleName',
  'shipping.companyName',
  'shipping.phone',
  'shipping.mobile',
  'shipping.workPhone',
  'shipping.email',
  'shipping.comment',
  ...person.map((name) => `shipping.customer.${name}` as const),
  // Of 3D Secure only what the SDK on the shopper's device returns. It proves nothing.
  'threeDSecure.deviceInfo',
  // A rule demands that the keys begin with SHOPPER_ (catalogue 2.21).
  'customParameters[key]',
]);

/**
 * Whether the form of a shopper may send this field without a token.
 *
 * @param template the name as in the catalogue, placeholders included
 */
export function isForShopper(template: string): boolean {
  return names.has(template);
}
