import { describe, expect, test } from 'vitest';
import type { RequestKind } from '../../../src/payment-core/fields/request-kinds.js';
import type { ValidationOptions } from '../../../src/payment-core/validation/parameter-request.js';
import { rules } from '../../../src/payment-core/validation/rules/all-rules.js';
import {
  asynchronousPayment,
  bankAccount,
  capture,
  card,
  cardPayment,
  checkout,
  money,
  names,
  namesOf,
  registration,
  smallest,
  tokenAccount,
  type Flat,
} from './requests.js';

interface Case {
  readonly what: string;
  readonly kind?: RequestKind;
  readonly sent: Flat;
  readonly options?: Partial<ValidationOptions>;
  /** The reported names, in order; empty when the request is valid. */
  readonly reported: readonly string[];
}

const payment = (more: Flat): Flat => ({ ...cardPayment, ...more });
const without = (from: Flat, ...left: readonly string[]): Flat =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !left.includes(name)));
const uuid = '8ac7a4a0123456789abcdef012345678';
const proof: Flat = { 'threeDSecure.eci': '05', 'threeDSecure.verificationId': 'A'.repeat(28) };
const browser: Flat = {
  'customer.browser.acceptHeader': 'text/html',
  'customer.browser.language': 'de',
  'customer.browser.screenHeight': '1200',
  'customer.browser.screenWidth': '1600',
  'customer.browser.timezone': '-60',
  'customer.browser.userAgent': 'Mozilla/5.0',
  'customer.browser.javaEnabled': 'false',
};
const billing: Flat = {
  'billing.street1': 'Hauptstrasse 5',
  'billing.city': 'Berlin',
  'billing.postcode': '10115',
  'billing.country': 'DE',
};
const authentication: Flat = { ...names, ...browser, ...billing, 'threeDSecure.version': '2.2.0' };
const wallet: Flat = { ...asynchronousPayment, paymentBrand: 'WALLET' };
const si = (more: Readonly<Record<string, string>>): Flat =>
  Object.fromEntries(Object.entries(more).map(([name, value]) => [`standingInstruction.${name}`, value]));

const siMode = 'standingInstruction.mode';

/** By the rule's name: violating cases and similar valid cases. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  'test-mode-only-in-test': [
    { what: 'in test', sent: payment({ testMode: 'EXTERNAL' }), reported: [] },
    {
      what: 'in live',
      sent: payment({ testMode: 'EXTERNAL' }),
      options: { environment: 'live' },
      reported: ['testMode'],
    },
    { what: 'absent in live', sent: cardPayment, options: { environment: 'live' }, reported: [] },
    {
      what: 'capture in live',
      kind: 'reference',
      sent: { ...capture, testMode: 'INTERNAL' },
      options: { environment: 'live' },
      reported: ['testMode'],
    },
  ],
  'brand-unless-detected': [
    { what: 'card without brand', sent: without(cardPayment, 'paymentBrand'), reported: [] },
    { what: 'neither', sent: without(asynchronousPayment, 'paymentBrand'), reported: ['paymentBrand'] },
    {
      what: 'token without brand',
      sent: { ...money, paymentType: 'DB', ...tokenAccount },
      reported: ['paymentBrand'],
    },
    {
      what: 'over a registration',
      sent: { ...money, paymentType: 'DB' },
      options: { registration: true },
      reported: [],
    },
    {
      what: 'registration of a bank account',
      kind: 'registration',
      sent: bankAccount,
      reported: ['paymentBrand'],
    },
  ],
  'reference-for-capture-reversal-refund': [
    { what: 'capture without', sent: { ...money, paymentType: 'CP' }, reported: ['referenceUuid'] },
    { what: 'reversal without', sent: { ...money, paymentType: 'RV' }, reported: ['referenceUuid'] },
    { what: 'refund with', sent: { ...money, paymentType: 'RF', referenceUuid: uuid }, reported: [] },
    { what: 'by path', kind: 'reference', sent: capture, reported: [] },
  ],
  'reference-takes-no-instrument': [
    {
      what: 'refund by uuid to another card',
      sent: { ...payment({ paymentType: 'RF', referenceUuid: uuid }), createRegistration: 'true' },
      reported: ['createRegistration', 'card.number', 'card.expiryMonth', 'card.expiryYear'],
    },
    {
      what: 'capture by uuid with what a capture may have',
      sent: {
        ...money,
        ...{ paymentType: 'CP', referenceUuid: uuid, paymentBrand: 'VISA', sequence: 'FINAL' },
        ...{ descriptor: 'BOOKS', merchantTransactionId: 'capture-1', 'cart.items[0].name': 'Book' },
      },
      reported: [],
    },
    {
      what: 'preauthorisation that follows another',
      sent: payment({ paymentType: 'PA', referenceUuid: uuid }),
      reported: [],
    },
  ],
  'registration-pays-alone': [
    {
      what: 'refund by uuid with a registration',
      sent: { ...money, paymentType: 'RF', referenceUuid: uuid },
      options: { registration: true },
      reported: ['paymentType'],
    },
    {
      what: 'reversal with a registration',
      sent: { ...money, paymentType: 'RV' },
      options: { registration: true },
      reported: ['paymentType'],
    },
    {
      what: 'credit with a registration',
      sent: { ...money, paymentType: 'CD' },
      options: { registration: true },
      reported: [],
    },
  ],
  'credit-references-nothing': [
    {
      what: 'credit with',
      sent: payment({ paymentType: 'CD', referenceUuid: uuid }),
      reported: ['referenceUuid'],
    },
    { what: 'credit without', sent: payment({ paymentType: 'CD' }), reported: [] },
    {
      what: 'preauthorisation with',
      sent: payment({ paymentType: 'PA', referenceUuid: uuid }),
      reported: [],
    },
  ],
  'override-type-when-creating-checkout': [
    {
      what: 'creating',
      kind: 'checkout',
      sent: { ...checkout, 'overridePaymentType[VISA]': 'PA' },
      reported: [],
    },
    {
      what: 'updating',
      kind: 'checkout',
      sent: { 'overridePaymentType[VISA]': 'PA' },
      options: { partial: true },
      reported: ['overridePaymentType[VISA]'],
    },
    {
      what: 'paying',
      sent: payment({ 'overridePaymentType[VISA]': 'PA' }),
      reported: ['overridePaymentType[VISA]'],
    },
  ],
  'final-sequence-only-when-referencing': [
    { what: 'debit', sent: payment({ sequence: 'FINAL' }), reported: ['sequence'] },
    { what: 'capture', kind: 'reference', sent: { ...capture, sequence: 'FINAL' }, reported: [] },
    {
      what: 'refund by uuid',
      sent: { ...money, paymentType: 'RF', referenceUuid: uuid, sequence: 'FINAL' },
      reported: [],
    },
  ],
  'captures-only-of-preauthorisation': [
    { what: 'debit', sent: payment({ numberOfCaptures: '3' }), reported: ['numberOfCaptures'] },
    { what: 'preauthorisation', sent: payment({ paymentType: 'PA', numberOfCaptures: '3' }), reported: [] },
    {
      what: 'capture',
      kind: 'reference',
      sent: { ...capture, numberOfCaptures: '3' },
      reported: ['numberOfCaptures'],
    },
    {
      what: 'checkout, one brand preauthorises',
      kind: 'checkout',
      sent: { ...checkout, numberOfCaptures: '3', 'overridePaymentType[VISA]': 'PA' },
      reported: [],
    },
    {
      what: 'checkout, no brand does',
      kind: 'checkout',
      sent: { ...checkout, numberOfCaptures: '3' },
      reported: ['numberOfCaptures'],
    },
  ],
  'purpose-of-transfers-abroad': [
    {
      what: 'funding to India',
      sent: payment({ transactionProcessingCode: 'FUNDING', 'recipient.country': 'IND' }),
      reported: ['transactionPurposeCode'],
    },
    {
      what: 'payment to Egypt',
      sent: payment({ transactionProcessingCode: 'PAYMENT', 'recipient.country': 'EGY' }),
      reported: ['transactionPurposeCode'],
    },
    {
      what: 'with purpose',
      sent: payment({
        transactionProcessingCode: 'PAYMENT',
        'recipient.country': 'EGY',
        transactionPurposeCode: '04',
      }),
      reported: [],
    },
    {
      what: 'purchase',
      sent: payment({ transactionProcessingCode: 'PURCHASE', 'recipient.country': 'IND' }),
      reported: [],
    },
    {
      what: 'to Germany',
      sent: payment({ transactionProcessingCode: 'FUNDING', 'recipient.country': 'DEU' }),
      reported: [],
    },
  ],
  'forex-pair': [
    { what: 'amount alone', sent: payment({ 'forex.amount': '10.00' }), reported: ['forex.currency'] },
    { what: 'currency alone', sent: payment({ 'forex.currency': 'USD' }), reported: ['forex.amount'] },
    { what: 'both', sent: payment({ 'forex.amount': '10.00', 'forex.currency': 'USD' }), reported: [] },
  ],
  'amount-with-currency': [
    { what: 'amount alone', kind: 'chargeback', sent: { amount: '10.00' }, reported: ['currency'] },
    {
      what: 'currency alone',
      kind: 'registration',
      sent: { ...registration, currency: 'EUR' },
      reported: ['amount'],
    },
    { what: 'both', kind: 'chargeback', sent: money, reported: [] },
    { what: 'neither', kind: 'chargeback', sent: { chargebackResultCode: '000.100.220' }, reported: [] },
  ],
  'override-holder-of-registration': [
    { what: 'with its own card', sent: payment({ overrideHolder: 'true' }), reported: ['overrideHolder'] },
    { what: 'false', sent: payment({ overrideHolder: 'false' }), reported: [] },
    {
      what: 'over a registration',
      sent: { ...money, paymentType: 'DB', overrideHolder: 'true', 'card.holder': 'Jane Jones' },
      reported: [],
    },
    {
      what: 'in a checkout',
      kind: 'checkout',
      sent: { ...checkout, overrideHolder: 'true', 'card.holder': 'Jane Jones' },
      reported: [],
    },
  ],
  'client-parameters-begin-with-shopper': [
    {
      what: 'from the client',
      sent: payment({ 'customParameters[note]': 'x' }),
      options: { origin: 'client' },
      reported: ['customParameters[note]'],
    },
    {
      what: 'named right',
      sent: payment({ 'customParameters[SHOPPER_note]': 'x' }),
      options: { origin: 'client' },
      reported: [],
    },
    { what: 'from the server', sent: payment({ 'customParameters[note]': 'x' }), reported: [] },
  ],
  'initial-carries-authentication': [
    { what: 'nothing', sent: payment(si({ mode: 'INITIAL' })), reported: ['card.cvv'] },
    { what: 'code', sent: payment({ ...si({ mode: 'INITIAL' }), 'card.cvv': '123' }), reported: [] },
    { what: '3D Secure', sent: payment({ ...si({ mode: 'INITIAL' }), ...proof }), reported: [] },
    {
      what: '3D Secure switched off',
      sent: payment({ ...si({ mode: 'INITIAL' }), 'threeDSecure.disable': 'true' }),
      reported: ['card.cvv'],
    },
    {
      what: 'token',
      sent: { ...asynchronousPayment, ...tokenAccount, ...si({ mode: 'INITIAL' }) },
      reported: ['tokenAccount.cryptogram'],
    },
    {
      what: 'bank account',
      sent: { ...asynchronousPayment, ...bankAccount, ...si({ mode: 'INITIAL' }) },
      reported: [],
    },
    ...(
      [
        ['of an unknown account', undefined, 'card.cvv'],
        ['of a card', 'card.number', 'card.cvv'],
        ['of a token', 'tokenAccount.number', 'tokenAccount.cryptogram'],
        ['of a bank account', 'bankAccount.iban', undefined],
        ['of a virtual account', 'virtualAccount.accountId', undefined],
      ] as const
    ).map(([what, registeredAccount, reported]) => ({
      what: `registration ${what}`,
      sent: { ...money, paymentType: 'DB', ...si({ mode: 'INITIAL' }) },
      options: { registration: true, ...(registeredAccount === undefined ? {} : { registeredAccount }) },
      reported: reported === undefined ? [] : [reported],
    })),
    {
      what: 'checkout, form to come',
      kind: 'checkout',
      sent: { ...checkout, ...si({ mode: 'INITIAL' }) },
      reported: [],
    },
  ],
  'initial-is-not-scheduled': [
    { what: 'first', kind: 'job', sent: { ...money, ...si({ mode: 'INITIAL' }) }, reported: [siMode] },
    {
      what: 'first with the data of a browser',
      kind: 'job',
      sent: { ...money, ...names, ...browser, ...si({ mode: 'INITIAL' }) },
      reported: [siMode],
    },
    { what: 'later', kind: 'job', sent: { ...money, ...si({ mode: 'REPEATED' }) }, reported: [] },
    { what: 'only a type', kind: 'job', sent: { ...money, ...si({ type: 'RECURRING' }) }, reported: [] },
  ],
  'repeated-carries-no-shopper-authentication': [
    {
      what: 'code',
      sent: payment({ ...si({ mode: 'REPEATED' }), 'card.cvv': '123' }),
      reported: ['card.cvv'],
    },
    { what: 'proof', sent: payment({ ...si({ mode: 'REPEATED' }), ...proof }), reported: Object.keys(proof) },
    { what: 'nothing', sent: payment(si({ mode: 'REPEATED' })), reported: [] },
    {
      what: 'merchant authenticated',
      sent: payment({ ...si({ mode: 'REPEATED' }), ...proof, 'threeDSecure.threeRIInd': 'RECURRING' }),
      reported: [],
    },
    {
      what: 'version alone',
      sent: payment({ ...si({ mode: 'REPEATED' }), 'threeDSecure.version': '2.2.0' }),
      reported: [],
    },
  ],
  'installments-only-of-installment': [
    {
      what: 'recurring',
      sent: payment(si({ type: 'RECURRING', numberOfInstallments: '12' })),
      reported: ['standingInstruction.numberOfInstallments'],
    },
    {
      what: 'no type',
      sent: payment(si({ numberOfInstallments: '12' })),
      reported: ['standingInstruction.numberOfInstallments'],
    },
    {
      what: 'installment',
      sent: payment(si({ type: 'INSTALLMENT', numberOfInstallments: '12' })),
      reported: [],
    },
  ],
  'installments-in-authentication': [
    {
      what: 'authenticated without',
      sent: payment({ ...authentication, ...si({ type: 'INSTALLMENT' }) }),
      reported: ['standingInstruction.numberOfInstallments'],
    },
    {
      what: 'authenticated with',
      sent: payment({ ...authentication, ...si({ type: 'INSTALLMENT', numberOfInstallments: '3' }) }),
      reported: [],
    },
    { what: 'not authenticated', sent: payment(si({ type: 'INSTALLMENT' })), reported: [] },
  ],
  'merchant-initiated-names-first': [
    {
      what: 'without',
      sent: payment(si({ source: 'MIT' })),
      reported: ['standingInstruction.initialTransactionId'],
    },
    { what: 'with', sent: payment(si({ source: 'MIT', initialTransactionId: '0123456789' })), reported: [] },
    { what: 'with agreement', sent: payment(si({ source: 'MIT', agreementId: '0123456789' })), reported: [] },
    {
      what: 'over a registration',
      sent: { ...money, paymentType: 'DB', ...si({ source: 'MIT' }) },
      options: { registration: true },
      reported: [],
    },
    { what: 'by the cardholder', sent: payment(si({ source: 'CIT' })), reported: [] },
  ],
  'follow-up-is-merchant-initiated': [
    {
      what: 'by the cardholder',
      sent: payment(si({ source: 'CIT', industryPractice: 'NO_SHOW' })),
      reported: ['standingInstruction.industryPractice'],
    },
    {
      what: 'by the merchant',
      sent: payment(si({ source: 'MIT', industryPractice: 'NO_SHOW', initialTransactionId: '1' })),
      reported: [],
    },
  ],
  'complete-card': [
    {
      what: 'holder alone',
      sent: { ...asynchronousPayment, 'card.holder': 'Jane Jones' },
      reported: ['card.number', 'card.expiryMonth', 'card.expiryYear'],
    },
    { what: 'no year', sent: without(cardPayment, 'card.expiryYear'), reported: ['card.expiryYear'] },
    {
      what: 'code of a registered card',
      sent: { ...money, paymentType: 'DB', 'card.cvv': '123' },
      options: { registration: true },
      reported: [],
    },
    {
      what: 'holder of a token',
      sent: { ...asynchronousPayment, ...tokenAccount, 'card.holder': 'Jane Jones' },
      reported: [],
    },
  ],
  'wallet-token-or-decrypted-data': [
    { what: 'token', sent: { ...wallet, 'walletA.paymentToken': '{"data":"…"}' }, reported: [] },
    {
      what: 'token with its source',
      sent: { ...wallet, 'walletA.paymentToken': 'x', 'walletA.source': 'web' },
      reported: [],
    },
    { what: 'decrypted', sent: { ...wallet, ...card, ...proof, 'walletB.source': 'app' }, reported: [] },
    {
      what: 'decrypted, all missing',
      sent: { ...wallet, 'walletC.source': 'app' },
      reported: [
        'card.number',
        'card.expiryMonth',
        'card.expiryYear',
        'threeDSecure.verificationId',
        'threeDSecure.eci',
      ],
    },
    {
      what: 'decrypted, no proof',
      sent: { ...wallet, ...card, 'walletA.source': 'web' },
      reported: ['threeDSecure.verificationId', 'threeDSecure.eci'],
    },
    {
      what: 'decrypted in a checkout, which accepts no proof',
      kind: 'checkout',
      sent: { ...wallet, ...card, 'threeDSecure.eci': '05', 'walletA.source': 'web' },
      reported: [],
    },
    {
      what: 'neither',
      sent: { ...wallet, 'walletA.cardNetwork': 'visa' },
      reported: ['walletA.paymentToken', 'walletA.source'],
    },
  ],
  'complete-virtual-account': [
    {
      what: 'complete',
      sent: { ...asynchronousPayment, 'virtualAccount.accountId': 'jane@shop' },
      reported: [],
    },
  ],
  'complete-bank-account': [
    {
      what: 'no holder',
      sent: { ...asynchronousPayment, ...without(bankAccount, 'bankAccount.holder') },
      reported: ['bankAccount.holder'],
    },
    { what: 'complete', sent: { ...asynchronousPayment, ...bankAccount }, reported: [] },
  ],
  'bank-account-number-or-iban': [
    {
      what: 'neither',
      sent: { ...asynchronousPayment, ...without(bankAccount, 'bankAccount.iban') },
      reported: ['bankAccount.number', 'bankAccount.iban'],
    },
    {
      what: 'number',
      sent: {
        ...asynchronousPayment,
        ...without(bankAccount, 'bankAccount.iban'),
        'bankAccount.number': '1234567890',
      },
      reported: [],
    },
  ],
  'bank-code-or-bic': [
    {
      what: 'neither',
      sent: { ...asynchronousPayment, ...without(bankAccount, 'bankAccount.bic') },
      reported: ['bankAccount.bankCode', 'bankAccount.bic'],
    },
    {
      what: 'code',
      sent: {
        ...asynchronousPayment,
        ...without(bankAccount, 'bankAccount.bic'),
        'bankAccount.bankCode': '10000000',
      },
      reported: [],
    },
  ],
  'complete-token-account': [
    {
      what: 'no type',
      sent: { ...asynchronousPayment, 'tokenAccount.number': '420000000000' },
      reported: ['tokenAccount.type'],
    },
    {
      what: 'no number',
      sent: { ...asynchronousPayment, 'tokenAccount.type': 'EXTERNAL' },
      reported: ['tokenAccount.number'],
    },
    { what: 'complete', sent: { ...asynchronousPayment, ...tokenAccount }, reported: [] },
  ],
  'one-instrument': [
    { what: 'card and bank account', sent: payment(bankAccount), reported: ['bankAccount.iban'] },
    { what: 'card and token', sent: payment(tokenAccount), reported: ['tokenAccount.number'] },
    {
      what: 'card and wallet token',
      sent: payment({ 'walletA.paymentToken': 'x' }),
      reported: ['walletA.paymentToken'],
    },
    {
      what: 'two wallets',
      sent: { ...wallet, 'walletA.paymentToken': 'x', 'walletB.paymentToken': 'y' },
      reported: ['walletB.paymentToken'],
    },
    {
      what: 'card over a registration',
      sent: cardPayment,
      options: { registration: true },
      reported: ['card.number'],
    },
    { what: 'none: the brand knows', sent: asynchronousPayment, reported: [] },
    { what: 'card', sent: cardPayment, reported: [] },
  ],
  'not-expired': [
    {
      what: 'last month',
      sent: payment({ 'card.expiryMonth': '10', 'card.expiryYear': '2026' }),
      options: { today: '2026-11-01' },
      reported: ['card.expiryMonth'],
    },
    {
      what: 'last year',
      sent: payment({ 'card.expiryMonth': '12', 'card.expiryYear': '2025' }),
      options: { today: '2026-11-01' },
      reported: ['card.expiryYear'],
    },
    {
      what: 'this month',
      sent: payment({ 'card.expiryMonth': '11', 'card.expiryYear': '2026' }),
      options: { today: '2026-11-30' },
      reported: [],
    },
    { what: 'day unknown', sent: payment({ 'card.expiryYear': '2001' }), reported: [] },
    {
      what: 'token',
      sent: {
        ...asynchronousPayment,
        ...tokenAccount,
        'tokenAccount.expiryMonth': '01',
        'tokenAccount.expiryYear': '2026',
      },
      options: { today: '2026-11-01' },
      reported: ['tokenAccount.expiryMonth'],
    },
  ],
  'complete-recurring-migration': [
    {
      what: 'no type',
      kind: 'registration',
      sent: { ...registration, 'recurringMigration.amount': '10' },
      reported: ['recurringMigration.paymentType'],
    },
    {
      what: 'complete',
      kind: 'registration',
      sent: { ...registration, 'recurringMigration.paymentType': 'PA' },
      reported: [],
    },
    {
      what: 'migration without',
      kind: 'migration',
      sent: registration,
      reported: ['recurringMigration.paymentType'],
    },
    { what: 'migration', kind: 'migration', sent: smallest.migration, reported: [] },
  ],
  'customer-has-a-name': [
    {
      what: 'mail alone',
      sent: payment({ 'customer.email': 'jane@shop.example' }),
      reported: ['customer.givenName', 'customer.surname'],
    },
    {
      what: 'given name alone',
      sent: payment({ 'customer.givenName': 'Jane' }),
      reported: ['customer.surname'],
    },
    { what: 'both', sent: payment({ ...names, 'customer.email': 'jane@shop.example' }), reported: [] },
    {
      what: 'shipping customer',
      sent: payment({ 'shipping.customer.email': 'jane@shop.example' }),
      reported: [],
    },
  ],
  'customer-document-type-with-id': [
    {
      what: 'type alone',
      sent: payment({ ...names, 'customer.identificationDocType': 'IDCARD' }),
      reported: ['customer.identificationDocId'],
    },
    {
      what: 'id alone',
      sent: payment({ ...names, 'customer.identificationDocId': '12345678' }),
      reported: ['customer.identificationDocType'],
    },
    {
      what: 'both',
      sent: payment({
        ...names,
        'customer.identificationDocType': 'IDCARD',
        'customer.identificationDocId': '12345678',
      }),
      reported: [],
    },
  ],
  'shipping-customer-document-type-with-id': [
    {
      what: 'type alone',
      sent: payment({ 'shipping.customer.identificationDocType': 'IDCARD' }),
      reported: ['shipping.customer.identificationDocId'],
    },
    { what: 'neither', sent: payment({ 'shipping.customer.sex': 'F' }), reported: [] },
  ],
  ...Object.fromEntries(
    (['billing', 'merchant.billing'] as const).map((prefix): [string, readonly Case[]] => [
      `${prefix.replace('.', '-')}-street-is-not-a-number`,
      [
        {
          what: 'one line',
          sent: payment({ [`${prefix}.street1`]: '123' }),
          reported: [`${prefix}.street1`],
        },
        {
          what: 'both lines',
          sent: payment({ [`${prefix}.street1`]: '12', [`${prefix}.street2`]: '3 4' }),
          reported: [`${prefix}.street1`, `${prefix}.street2`],
        },
        {
          what: 'a name in one of them',
          sent: payment({ [`${prefix}.street1`]: '12', [`${prefix}.street2`]: 'Main' }),
          reported: [],
        },
        {
          what: 'second line ignored',
          sent: payment({
            [`${prefix}.street1`]: '12',
            [`${prefix}.street2`]: 'Main',
            [`${prefix}.houseNumber1`]: '7',
          }),
          reported: [`${prefix}.street1`],
        },
      ],
    ]),
  ),
  ...Object.fromEntries(
    (['billing', 'merchant.billing', 'shipping', 'merchant.shipping'] as const).map(
      (prefix): [string, readonly Case[]] => [
        `${prefix.replace('.', '-')}-house-number-2-needs-1`,
        [
          {
            what: 'second alone',
            sent: payment({ [`${prefix}.houseNumber2`]: 'b' }),
            reported: [`${prefix}.houseNumber1`],
          },
          {
            what: 'both',
            sent: payment({ [`${prefix}.houseNumber1`]: '7', [`${prefix}.houseNumber2`]: 'b' }),
            reported: [],
          },
        ],
      ],
    ),
  ),
  'items-belong-to-sellers': [
    {
      what: 'unknown seller',
      sent: payment({
        'marketPlace.sellers[0].id': 'a',
        'cart.items[0].sellerId': 'a',
        'cart.items[1].sellerId': 'b',
      }),
      reported: ['cart.items[1].sellerId'],
    },
    {
      what: 'known seller',
      sent: payment({ 'marketPlace.sellers[0].id': 'a', 'cart.items[0].sellerId': 'a' }),
      reported: [],
    },
    { what: 'no marketplace', sent: payment({ 'cart.items[0].sellerId': 'a' }), reported: [] },
  ],
  'sellers-have-items': [
    {
      what: 'seller without',
      sent: payment({
        'marketPlace.sellers[0].id': 'a',
        'marketPlace.sellers[1].id': 'b',
        'cart.items[0].sellerId': 'a',
      }),
      reported: ['marketPlace.sellers[1].id'],
    },
    { what: 'no items', sent: payment({ 'marketPlace.sellers[0].id': 'a' }), reported: [] },
  ],
  'browser-data-for-v2': [
    {
      what: 'version 2 alone',
      sent: payment({ ...names, ...billing, 'threeDSecure.version': '2.1.0' }),
      reported: Object.keys(browser),
    },
    {
      what: 'network addressed',
      sent: payment({ ...names, ...billing, 'threeDSecure.v2.schemeA.requestorId': 'x' }),
      reported: Object.keys(browser),
    },
    {
      what: 'no language',
      sent: without(payment(authentication), 'customer.browser.language'),
      reported: ['customer.browser.language'],
    },
    { what: 'complete', sent: payment(authentication), reported: [] },
    { what: 'version 1', sent: payment({ 'threeDSecure.version': '1.0.2' }), reported: [] },
    { what: 'external server', sent: payment({ ...proof, 'threeDSecure.version': '2.1.0' }), reported: [] },
    {
      what: 'bypassed',
      sent: payment({ 'threeDSecure.version': '2.1.0', 'threeDSecure.disable': 'true' }),
      reported: [],
    },
    {
      what: 'no shopper',
      sent: payment({
        'threeDSecure.version': '2.2.0',
        ...si({ mode: 'REPEATED', source: 'MIT', initialTransactionId: '1' }),
      }),
      reported: [],
    },
    {
      what: 'checkout, browser to come',
      kind: 'checkout',
      sent: { ...checkout, 'threeDSecure.version': '2.2.0' },
      reported: [],
    },
  ],
  'device-info-in-app': [
    {
      what: 'without',
      sent: payment({ ...names, ...billing, 'threeDSecure.version': '2.2.0', 'customer.app.deviceId': 'x' }),
      reported: ['threeDSecure.deviceInfo'],
    },
    {
      what: 'with',
      sent: payment({
        ...names,
        ...billing,
        'threeDSecure.version': '2.2.0',
        'customer.app.deviceId': 'x',
        'threeDSecure.deviceInfo': 'ey…',
      }),
      reported: [],
    },
  ],
  'billing-data-for-v2': [
    {
      what: 'without',
      sent: payment({ ...names, ...browser, 'threeDSecure.version': '2.2.0' }),
      reported: Object.keys(billing),
    },
    { what: 'no city', sent: without(payment(authentication), 'billing.city'), reported: ['billing.city'] },
  ],
  'exemptions-since-version-2-2': [
    {
      what: 'version 2.1',
      sent: payment({
        ...proof,
        'threeDSecure.version': '2.1.0',
        'threeDSecure.challengeIndicator': '04',
        'threeDSecure.exemptionFlag': '01',
      }),
      reported: ['threeDSecure.challengeIndicator', 'threeDSecure.exemptionFlag'],
    },
    {
      what: 'version 1',
      sent: payment({ 'threeDSecure.version': '1.0.2', 'threeDSecure.exemptionFlag': '01' }),
      reported: ['threeDSecure.exemptionFlag'],
    },
    {
      what: 'version 2.2',
      sent: payment({ ...proof, 'threeDSecure.version': '2.2.0', 'threeDSecure.challengeIndicator': '04' }),
      reported: [],
    },
    {
      what: 'version 2.3',
      sent: payment({ ...proof, 'threeDSecure.version': '2.3.1', 'threeDSecure.exemptionFlag': '04' }),
      reported: [],
    },
    { what: 'version not named', sent: payment({ 'threeDSecure.challengeIndicator': '04' }), reported: [] },
  ],
  'merchant-authentication-since-version-2-2': [
    {
      what: 'version 2.1',
      sent: payment({ 'threeDSecure.version': '2.1.0', 'threeDSecure.channel': '3' }),
      reported: ['threeDSecure.channel'],
    },
    {
      what: 'version 2.2',
      sent: payment({ 'threeDSecure.version': '2.2.0', 'threeDSecure.channel': '3' }),
      reported: [],
    },
  ],
  'merchant-authentication-of-scheme-b': [
    {
      what: 'other brand',
      sent: payment({
        paymentBrand: 'schemeA',
        'threeDSecure.channel': '3',
        'threeDSecure.threeRIInd': 'RECURRING',
      }),
      reported: ['threeDSecure.channel', 'threeDSecure.threeRIInd'],
    },
    {
      what: 'brand given by the program',
      sent: payment({ 'threeDSecure.channel': '3' }),
      options: { schemeOf: () => 'schemeC' },
      reported: ['threeDSecure.channel'],
    },
    {
      what: 'scheme B',
      sent: payment({ paymentBrand: 'schemeB', 'threeDSecure.channel': '3' }),
      reported: [],
    },
    { what: 'network unknown', sent: payment({ 'threeDSecure.channel': '3' }), reported: [] },
  ],
  'merchant-authentication-without-shopper': [
    {
      what: 'cardholder',
      sent: payment({ ...si({ source: 'CIT' }), 'threeDSecure.channel': '3' }),
      reported: ['threeDSecure.channel'],
    },
    {
      what: 'merchant',
      sent: payment({ ...si({ source: 'MIT', initialTransactionId: '1' }), 'threeDSecure.channel': '3' }),
      reported: [],
    },
  ],
  'scheme-f-data': [
    {
      what: 'payment',
      sent: payment({ ...authentication, paymentBrand: 'schemeF' }),
      reported: [
        'threeDSecure.schemeData[SCHEMEF-ITEMSNB]',
        'threeDSecure.schemeData[SCHEMEF-SCORE_MERCHANT]',
        'threeDSecure.schemeData[SCHEMEF-USECASE]',
      ],
    },
    {
      what: 'non-payment',
      sent: payment({ ...authentication, paymentBrand: 'schemeF', 'threeDSecure.npa': 'true' }),
      reported: [
        'threeDSecure.schemeData[SCHEMEF-ITEMSNB]',
        'threeDSecure.schemeData[SCHEMEF-SCORE_MERCHANT]',
      ],
    },
    {
      what: 'non-payment, recurring',
      sent: payment({
        ...authentication,
        paymentBrand: 'schemeF',
        'threeDSecure.npa': 'true',
        'threeDSecure.authenticationInd': 'RECURRING',
        'threeDSecure.schemeData[SCHEMEF-ITEMSNB]': '01',
        'threeDSecure.schemeData[SCHEMEF-SCORE_MERCHANT]': '12',
      }),
      reported: ['threeDSecure.schemeData[SCHEMEF-USECASE]'],
    },
    {
      what: 'complete',
      sent: payment({
        ...authentication,
        paymentBrand: 'schemeF',
        'threeDSecure.schemeData[SCHEMEF-ITEMSNB]': '01',
        'threeDSecure.schemeData[SCHEMEF-SCORE_MERCHANT]': '12',
        'threeDSecure.schemeData[SCHEMEF-USECASE]': '01',
      }),
      reported: [],
    },
    { what: 'another network', sent: payment({ ...authentication, paymentBrand: 'schemeA' }), reported: [] },
    {
      what: 'an unknown key',
      sent: payment({ 'threeDSecure.schemeData[SCHEMEF-OTHER]': '1' }),
      reported: ['threeDSecure.schemeData[SCHEMEF-OTHER]'],
    },
  ],
  'day-of-month-or-of-week': [
    {
      what: 'both',
      kind: 'job',
      sent: { 'job.dayOfMonth': '1', 'job.dayOfWeek': 'MON' },
      reported: ['job.dayOfWeek'],
    },
    {
      what: 'neither',
      kind: 'job',
      sent: { 'job.dayOfMonth': '?', 'job.dayOfWeek': '?' },
      reported: ['job.dayOfWeek'],
    },
    {
      what: 'any of both',
      kind: 'job',
      sent: { 'job.dayOfMonth': '*', 'job.dayOfWeek': '*' },
      reported: ['job.dayOfWeek'],
    },
    { what: 'of month', kind: 'job', sent: { 'job.dayOfMonth': '1', 'job.dayOfWeek': '?' }, reported: [] },
    { what: 'of week', kind: 'job', sent: { 'job.dayOfMonth': '?', 'job.dayOfWeek': 'MON' }, reported: [] },
    { what: 'one specified', kind: 'job', sent: { 'job.dayOfWeek': 'MON' }, reported: [] },
    {
      what: 'overwritten',
      kind: 'job',
      sent: { 'job.dayOfMonth': '1', 'job.dayOfWeek': 'MON', 'job.expression': '0 0 12 1 * ?' },
      reported: [],
    },
  ],
  'expression-day-of-month-or-of-week': [
    { what: 'both', kind: 'job', sent: { 'job.expression': '0 0 12 1 * MON' }, reported: ['job.expression'] },
    {
      what: 'neither',
      kind: 'job',
      sent: { 'job.expression': '0 0 12 ? * ?' },
      reported: ['job.expression'],
    },
    { what: 'one', kind: 'job', sent: { 'job.expression': '0 0 12 ? * MON 2030' }, reported: [] },
    {
      what: 'malformed',
      kind: 'job',
      sent: { 'job.expression': '0 0 12 ? *' },
      reported: ['job.expression'],
    },
  ],
  'job-time-that-can-be-computed': [
    {
      what: 'a day before the last one',
      kind: 'job',
      sent: { 'job.dayOfMonth': 'L-2' },
      reported: ['job.dayOfMonth'],
    },
    {
      what: 'the same in an expression',
      kind: 'job',
      sent: { 'job.expression': '0 0 6 1,L-2 * ?' },
      reported: ['job.expression'],
    },
    {
      what: 'the last working day and another day',
      kind: 'job',
      sent: { 'job.expression': '0 0 6 LW,15 * ?' },
      reported: ['job.expression'],
    },
    {
      what: 'years that run backwards',
      kind: 'job',
      sent: { 'job.year': '2026,2030-2027' },
      reported: ['job.year'],
    },
    {
      what: 'a field that the expression overwrites',
      kind: 'job',
      sent: { 'job.dayOfMonth': 'L-2', 'job.expression': '0 0 6 LW * ? 2027-2030' },
      reported: [],
    },
    {
      what: 'ranges over midnight, a weekend and the end of a year',
      kind: 'job',
      sent: { 'job.expression': '0 0 22-2 ? 11-2 FRI-MON' },
      reported: [],
    },
  ],
  'job-ends-after-start': [
    {
      what: 'before',
      kind: 'job',
      sent: { 'job.startDate': '2026-11-19 10:00:00', 'job.endDate': '2026-11-19 09:59:59' },
      reported: ['job.endDate'],
    },
    {
      what: 'after',
      kind: 'job',
      sent: { 'job.startDate': '2026-11-19 10:00:00', 'job.endDate': '2026-11-19 10:00:00' },
      reported: [],
    },
    {
      what: 'malformed, so it has no order',
      kind: 'job',
      sent: { 'job.startDate': 'tomorrow', 'job.endDate': '2026-11-19 10:00:00' },
      reported: ['job.startDate'],
    },
  ],
  'job-number-with-unit': [
    {
      what: 'a duration without its unit',
      kind: 'job',
      sent: { 'job.durationNumber': '12' },
      reported: ['job.durationUnit'],
    },
    {
      what: 'a notice without its number',
      kind: 'job',
      sent: { 'job.noticeUnit': 'DAY', 'job.durationNumber': '12', 'job.durationUnit': 'MONTH' },
      reported: ['job.noticeNumber'],
    },
    {
      what: 'both',
      kind: 'job',
      sent: {
        'job.noticeNumber': '7',
        'job.noticeUnit': 'DAY',
        'job.durationNumber': '12',
        'job.durationUnit': 'MONTH',
      },
      reported: [],
    },
  ],
  'report-range-in-order': [
    {
      what: 'reversed',
      kind: 'reporting',
      sent: { 'date.from': '2026-11-02', 'date.to': '2026-11-01' },
      reported: ['date.to'],
    },
    {
      what: 'one day',
      kind: 'reporting',
      sent: { 'date.from': '2026-11-01', 'date.to': '2026-11-01' },
      reported: [],
    },
    { what: 'no end', kind: 'reporting', sent: { 'date.from': '2026-11-01' }, reported: ['date.to'] },
    {
      what: 'a malformed end, reported once',
      kind: 'reporting',
      sent: { 'date.from': '2026-11-01', 'date.to': '01.12.2026' },
      reported: ['date.to'],
    },
  ],
  'time-frame-has-two-ends': [
    {
      what: 'from alone',
      kind: 'query',
      sent: { 'date.from': '2026-11-01 00:00:00' },
      reported: ['date.to'],
    },
    { what: 'to alone', kind: 'query', sent: { 'date.to': '2026-11-01 00:00:00' }, reported: ['date.from'] },
    {
      what: 'both',
      kind: 'query',
      sent: { 'date.from': '2026-11-01 00:00:00', 'date.to': '2026-11-01 00:00:01' },
      reported: [],
    },
  ],
  'query-range-in-order': [
    {
      what: 'reversed',
      kind: 'query',
      sent: { 'date.from': '2026-11-01 00:00:01', 'date.to': '2026-11-01 00:00:00' },
      reported: ['date.to'],
    },
    {
      what: 'one moment',
      kind: 'query',
      sent: { 'date.from': '2026-11-01 00:00:00', 'date.to': '2026-11-01 00:00:00' },
      reported: [],
    },
    {
      what: 'a malformed start',
      kind: 'query',
      sent: { 'date.from': '31.10.2026', 'date.to': '2026-11-01 00:00:00' },
      reported: ['date.from'],
    },
  ],
  'reference-or-time-frame': [
    {
      what: 'both',
      kind: 'query',
      sent: {
        merchantTransactionId: 'order-1',
        'date.from': '2026-11-01 00:00:00',
        'date.to': '2026-11-01 00:00:01',
      },
      reported: ['merchantTransactionId'],
    },
    {
      what: 'reference',
      kind: 'query',
      sent: { merchantTransactionId: 'order-1', paymentTypes: 'DB' },
      reported: [],
    },
  ],
};

describe.each(Object.entries(cases))('%s', (name, ofRule) => {
  test.each(ofRule)('$what', ({ kind = 'payment', sent, options, reported }) => {
    expect(namesOf(kind, sent, options)).toEqual(reported);
  });

  test('is a rule', () => {
    expect(rules.some((rule) => rule.name === name)).toBe(true);
  });
});

test('every rule has cases, its own name and a sentence', () => {
  expect(new Set(rules.map((rule) => rule.name)).size).toBe(rules.length);
  expect(rules.map((rule) => rule.name).filter((name) => cases[name] === undefined)).toEqual([]);
  for (const rule of rules)
    expect([rule.name, rule.statement]).toEqual([rule.name, expect.stringMatching(/^\S.*\.$/)]);
});
