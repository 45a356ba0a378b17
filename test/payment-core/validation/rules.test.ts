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
  /** The names told, in order: none when the request is valid. */
  readonly told: readonly string[];
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

/** By the rule's name: violating cases and their valid neighbours. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  'test-mode-only-in-test': [
    { what: 'in test', sent: payment({ testMode: 'EXTERNAL' }), told: [] },
    {
      what: 'in live',
      sent: payment({ testMode: 'EXTERNAL' }),
      options: { environment: 'live' },
      told: ['testMode'],
    },
    { what: 'absent in live', sent: cardPayment, options: { environment: 'live' }, told: [] },
    {
      what: 'capture in live',
      kind: 'reference',
      sent: { ...capture, testMode: 'INTERNAL' },
      options: { environment: 'live' },
      told: ['testMode'],
    },
  ],
  'brand-unless-detected': [
    { what: 'card without brand', sent: without(cardPayment, 'paymentBrand'), told: [] },
    { what: 'neither', sent: without(asynchronousPayment, 'paymentBrand'), told: ['paymentBrand'] },
    {
      what: 'token without brand',
      sent: { ...money, paymentType: 'DB', ...tokenAccount },
      told: ['paymentBrand'],
    },
    {
      what: 'over a registration',
      sent: { ...money, paymentType: 'DB' },
      options: { registration: true },
      told: [],
    },
    {
      what: 'registration of a bank account',
      kind: 'registration',
      sent: bankAccount,
      told: ['paymentBrand'],
    },
  ],
  'reference-for-capture-reversal-refund': [
    { what: 'capture without', sent: { ...money, paymentType: 'CP' }, told: ['referenceUuid'] },
    { what: 'reversal without', sent: { ...money, paymentType: 'RV' }, told: ['referenceUuid'] },
    { what: 'refund with', sent: { ...money, paymentType: 'RF', referenceUuid: uuid }, told: [] },
    { what: 'by path', kind: 'reference', sent: capture, told: [] },
  ],
  'credit-references-nothing': [
    {
      what: 'credit with',
      sent: payment({ paymentType: 'CD', referenceUuid: uuid }),
      told: ['referenceUuid'],
    },
    { what: 'credit without', sent: payment({ paymentType: 'CD' }), told: [] },
    { what: 'preauthorisation with', sent: payment({ paymentType: 'PA', referenceUuid: uuid }), told: [] },
  ],
  'override-type-when-creating-checkout': [
    {
      what: 'creating',
      kind: 'checkout',
      sent: { ...checkout, 'overridePaymentType[VISA]': 'PA' },
      told: [],
    },
    {
      what: 'updating',
      kind: 'checkout',
      sent: { 'overridePaymentType[VISA]': 'PA' },
      options: { partial: true },
      told: ['overridePaymentType[VISA]'],
    },
    {
      what: 'paying',
      sent: payment({ 'overridePaymentType[VISA]': 'PA' }),
      told: ['overridePaymentType[VISA]'],
    },
  ],
  'final-sequence-only-when-referencing': [
    { what: 'debit', sent: payment({ sequence: 'FINAL' }), told: ['sequence'] },
    { what: 'capture', kind: 'reference', sent: { ...capture, sequence: 'FINAL' }, told: [] },
    {
      what: 'refund by uuid',
      sent: { ...money, paymentType: 'RF', referenceUuid: uuid, sequence: 'FINAL' },
      told: [],
    },
  ],
  'captures-only-of-preauthorisation': [
    { what: 'debit', sent: payment({ numberOfCaptures: '3' }), told: ['numberOfCaptures'] },
    { what: 'preauthorisation', sent: payment({ paymentType: 'PA', numberOfCaptures: '3' }), told: [] },
    {
      what: 'capture',
      kind: 'reference',
      sent: { ...capture, numberOfCaptures: '3' },
      told: ['numberOfCaptures'],
    },
    {
      what: 'checkout, one brand preauthorises',
      kind: 'checkout',
      sent: { ...checkout, numberOfCaptures: '3', 'overridePaymentType[VISA]': 'PA' },
      told: [],
    },
    {
      what: 'checkout, no brand does',
      kind: 'checkout',
      sent: { ...checkout, numberOfCaptures: '3' },
      told: ['numberOfCaptures'],
    },
  ],
  'purpose-of-transfers-abroad': [
    {
      what: 'funding to India',
      sent: payment({ transactionProcessingCode: 'FUNDING', 'recipient.country': 'IND' }),
      told: ['transactionPurposeCode'],
    },
    {
      what: 'payment to Egypt',
      sent: payment({ transactionProcessingCode: 'PAYMENT', 'recipient.country': 'EGY' }),
      told: ['transactionPurposeCode'],
    },
    {
      what: 'with purpose',
      sent: payment({
        transactionProcessingCode: 'PAYMENT',
        'recipient.country': 'EGY',
        transactionPurposeCode: '04',
      }),
      told: [],
    },
    {
      what: 'purchase',
      sent: payment({ transactionProcessingCode: 'PURCHASE', 'recipient.country': 'IND' }),
      told: [],
    },
    {
      what: 'to Germany',
      sent: payment({ transactionProcessingCode: 'FUNDING', 'recipient.country': 'DEU' }),
      told: [],
    },
  ],
  'forex-pair': [
    { what: 'amount alone', sent: payment({ 'forex.amount': '10.00' }), told: ['forex.currency'] },
    { what: 'currency alone', sent: payment({ 'forex.currency': 'USD' }), told: ['forex.amount'] },
    { what: 'both', sent: payment({ 'forex.amount': '10.00', 'forex.currency': 'USD' }), told: [] },
  ],
  'amount-with-currency': [
    { what: 'amount alone', kind: 'chargeback', sent: { amount: '10.00' }, told: ['currency'] },
    {
      what: 'currency alone',
      kind: 'registration',
      sent: { ...registration, currency: 'EUR' },
      told: ['amount'],
    },
    { what: 'both', kind: 'chargeback', sent: money, told: [] },
    { what: 'neither', kind: 'chargeback', sent: { chargebackResultCode: '000.100.220' }, told: [] },
  ],
  'override-holder-of-registration': [
    { what: 'with a card of its own', sent: payment({ overrideHolder: 'true' }), told: ['overrideHolder'] },
    { what: 'false', sent: payment({ overrideHolder: 'false' }), told: [] },
    {
      what: 'over a registration',
      sent: { ...money, paymentType: 'DB', overrideHolder: 'true', 'card.holder': 'Jane Jones' },
      told: [],
    },
    {
      what: 'in a checkout',
      kind: 'checkout',
      sent: { ...checkout, overrideHolder: 'true', 'card.holder': 'Jane Jones' },
      told: [],
    },
  ],
  'client-parameters-begin-with-shopper': [
    {
      what: 'from the client',
      sent: payment({ 'customParameters[note]': 'x' }),
      options: { origin: 'client' },
      told: ['customParameters[note]'],
    },
    {
      what: 'named right',
      sent: payment({ 'customParameters[SHOPPER_note]': 'x' }),
      options: { origin: 'client' },
      told: [],
    },
    { what: 'from the server', sent: payment({ 'customParameters[note]': 'x' }), told: [] },
  ],
  'initial-carries-authentication': [
    { what: 'nothing', sent: payment(si({ mode: 'INITIAL' })), told: ['card.cvv'] },
    { what: 'code', sent: payment({ ...si({ mode: 'INITIAL' }), 'card.cvv': '123' }), told: [] },
    { what: '3D Secure', sent: payment({ ...si({ mode: 'INITIAL' }), ...proof }), told: [] },
    {
      what: '3D Secure switched off',
      sent: payment({ ...si({ mode: 'INITIAL' }), 'threeDSecure.disable': 'true' }),
      told: ['card.cvv'],
    },
    {
      what: 'token',
      sent: { ...asynchronousPayment, ...tokenAccount, ...si({ mode: 'INITIAL' }) },
      told: ['tokenAccount.cryptogram'],
    },
    {
      what: 'bank account',
      sent: { ...asynchronousPayment, ...bankAccount, ...si({ mode: 'INITIAL' }) },
      told: [],
    },
    {
      what: 'checkout, form to come',
      kind: 'checkout',
      sent: { ...checkout, ...si({ mode: 'INITIAL' }) },
      told: [],
    },
  ],
  'repeated-carries-no-shopper-authentication': [
    { what: 'code', sent: payment({ ...si({ mode: 'REPEATED' }), 'card.cvv': '123' }), told: ['card.cvv'] },
    { what: 'proof', sent: payment({ ...si({ mode: 'REPEATED' }), ...proof }), told: Object.keys(proof) },
    { what: 'nothing', sent: payment(si({ mode: 'REPEATED' })), told: [] },
    {
      what: 'merchant authenticated',
      sent: payment({ ...si({ mode: 'REPEATED' }), ...proof, 'threeDSecure.threeRIInd': 'RECURRING' }),
      told: [],
    },
    {
      what: 'version alone',
      sent: payment({ ...si({ mode: 'REPEATED' }), 'threeDSecure.version': '2.2.0' }),
      told: [],
    },
  ],
  'installments-only-of-installment': [
    {
      what: 'recurring',
      sent: payment(si({ type: 'RECURRING', numberOfInstallments: '12' })),
      told: ['standingInstruction.numberOfInstallments'],
    },
    {
      what: 'no type',
      sent: payment(si({ numberOfInstallments: '12' })),
      told: ['standingInstruction.numberOfInstallments'],
    },
    { what: 'installment', sent: payment(si({ type: 'INSTALLMENT', numberOfInstallments: '12' })), told: [] },
  ],
  'installments-in-authentication': [
    {
      what: 'authenticated without',
      sent: payment({ ...authentication, ...si({ type: 'INSTALLMENT' }) }),
      told: ['standingInstruction.numberOfInstallments'],
    },
    {
      what: 'authenticated with',
      sent: payment({ ...authentication, ...si({ type: 'INSTALLMENT', numberOfInstallments: '3' }) }),
      told: [],
    },
    { what: 'not authenticated', sent: payment(si({ type: 'INSTALLMENT' })), told: [] },
  ],
  'merchant-initiated-names-first': [
    {
      what: 'without',
      sent: payment(si({ source: 'MIT' })),
      told: ['standingInstruction.initialTransactionId'],
    },
    { what: 'with', sent: payment(si({ source: 'MIT', initialTransactionId: '0123456789' })), told: [] },
    { what: 'with agreement', sent: payment(si({ source: 'MIT', agreementId: '0123456789' })), told: [] },
    {
      what: 'over a registration',
      sent: { ...money, paymentType: 'DB', ...si({ source: 'MIT' }) },
      options: { registration: true },
      told: [],
    },
    { what: 'by the cardholder', sent: payment(si({ source: 'CIT' })), told: [] },
  ],
  'follow-up-is-merchant-initiated': [
    {
      what: 'by the cardholder',
      sent: payment(si({ source: 'CIT', industryPractice: 'NO_SHOW' })),
      told: ['standingInstruction.industryPractice'],
    },
    {
      what: 'by the merchant',
      sent: payment(si({ source: 'MIT', industryPractice: 'NO_SHOW', initialTransactionId: '1' })),
      told: [],
    },
  ],
  'complete-card': [
    {
      what: 'holder alone',
      sent: { ...asynchronousPayment, 'card.holder': 'Jane Jones' },
      told: ['card.number', 'card.expiryMonth', 'card.expiryYear'],
    },
    { what: 'no year', sent: without(cardPayment, 'card.expiryYear'), told: ['card.expiryYear'] },
    {
      what: 'code of a registered card',
      sent: { ...money, paymentType: 'DB', 'card.cvv': '123' },
      options: { registration: true },
      told: [],
    },
    {
      what: 'holder of a token',
      sent: { ...asynchronousPayment, ...tokenAccount, 'card.holder': 'Jane Jones' },
      told: [],
    },
  ],
  'wallet-token-or-decrypted-data': [
    { what: 'token', sent: { ...wallet, 'walletA.paymentToken': '{"data":"…"}' }, told: [] },
    {
      what: 'token with its source',
      sent: { ...wallet, 'walletA.paymentToken': 'x', 'walletA.source': 'web' },
      told: [],
    },
    { what: 'decrypted', sent: { ...wallet, ...card, ...proof, 'walletB.source': 'app' }, told: [] },
    {
      what: 'decrypted, all missing',
      sent: { ...wallet, 'walletC.source': 'app' },
      told: [
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
      told: ['threeDSecure.verificationId', 'threeDSecure.eci'],
    },
    {
      what: 'neither',
      sent: { ...wallet, 'walletA.cardNetwork': 'visa' },
      told: ['walletA.paymentToken', 'walletA.source'],
    },
  ],
  'complete-virtual-account': [
    { what: 'complete', sent: { ...asynchronousPayment, 'virtualAccount.accountId': 'jane@shop' }, told: [] },
  ],
  'complete-bank-account': [
    {
      what: 'no holder',
      sent: { ...asynchronousPayment, ...without(bankAccount, 'bankAccount.holder') },
      told: ['bankAccount.holder'],
    },
    { what: 'complete', sent: { ...asynchronousPayment, ...bankAccount }, told: [] },
  ],
  'bank-account-number-or-iban': [
    {
      what: 'neither',
      sent: { ...asynchronousPayment, ...without(bankAccount, 'bankAccount.iban') },
      told: ['bankAccount.number', 'bankAccount.iban'],
    },
    {
      what: 'number',
      sent: {
        ...asynchronousPayment,
        ...without(bankAccount, 'bankAccount.iban'),
        'bankAccount.number': '1234567890',
      },
      told: [],
    },
  ],
  'bank-code-or-bic': [
    {
      what: 'neither',
      sent: { ...asynchronousPayment, ...without(bankAccount, 'bankAccount.bic') },
      told: ['bankAccount.bankCode', 'bankAccount.bic'],
    },
    {
      what: 'code',
      sent: {
        ...asynchronousPayment,
        ...without(bankAccount, 'bankAccount.bic'),
        'bankAccount.bankCode': '10000000',
      },
      told: [],
    },
  ],
  'complete-token-account': [
    {
      what: 'no type',
      sent: { ...asynchronousPayment, 'tokenAccount.number': '420000000000' },
      told: ['tokenAccount.type'],
    },
    {
      what: 'no number',
      sent: { ...asynchronousPayment, 'tokenAccount.type': 'EXTERNAL' },
      told: ['tokenAccount.number'],
    },
    { what: 'complete', sent: { ...asynchronousPayment, ...tokenAccount }, told: [] },
  ],
  'one-instrument': [
    { what: 'card and bank account', sent: payment(bankAccount), told: ['bankAccount.iban'] },
    { what: 'card and token', sent: payment(tokenAccount), told: ['tokenAccount.number'] },
    {
      what: 'card and wallet token',
      sent: payment({ 'walletA.paymentToken': 'x' }),
      told: ['walletA.paymentToken'],
    },
    {
      what: 'two wallets',
      sent: { ...wallet, 'walletA.paymentToken': 'x', 'walletB.paymentToken': 'y' },
      told: ['walletB.paymentToken'],
    },
    {
      what: 'card over a registration',
      sent: cardPayment,
      options: { registration: true },
      told: ['card.number'],
    },
    { what: 'none: the brand knows', sent: asynchronousPayment, told: [] },
    { what: 'card', sent: cardPayment, told: [] },
  ],
  'not-expired': [
    {
      what: 'last month',
      sent: payment({ 'card.expiryMonth': '10', 'card.expiryYear': '2026' }),
      options: { today: '2026-11-01' },
      told: ['card.expiryMonth'],
    },
    {
      what: 'last year',
      sent: payment({ 'card.expiryMonth': '12', 'card.expiryYear': '2025' }),
      options: { today: '2026-11-01' },
      told: ['card.expiryYear'],
    },
    {
      what: 'this month',
      sent: payment({ 'card.expiryMonth': '11', 'card.expiryYear': '2026' }),
      options: { today: '2026-11-30' },
      told: [],
    },
    { what: 'day unknown', sent: payment({ 'card.expiryYear': '2001' }), told: [] },
    {
      what: 'token',
      sent: {
        ...asynchronousPayment,
        ...tokenAccount,
        'tokenAccount.expiryMonth': '01',
        'tokenAccount.expiryYear': '2026',
      },
      options: { today: '2026-11-01' },
      told: ['tokenAccount.expiryMonth'],
    },
  ],
  'complete-recurring-migration': [
    {
      what: 'no type',
      kind: 'registration',
      sent: { ...registration, 'recurringMigration.amount': '10' },
      told: ['recurringMigration.paymentType'],
    },
    {
      what: 'complete',
      kind: 'registration',
      sent: { ...registration, 'recurringMigration.paymentType': 'PA' },
      told: [],
    },
    {
      what: 'migration without',
      kind: 'migration',
      sent: registration,
      told: ['recurringMigration.paymentType'],
    },
    { what: 'migration', kind: 'migration', sent: smallest.migration, told: [] },
  ],
  'customer-has-a-name': [
    {
      what: 'mail alone',
      sent: payment({ 'customer.email': 'jane@shop.example' }),
      told: ['customer.givenName', 'customer.surname'],
    },
    { what: 'given name alone', sent: payment({ 'customer.givenName': 'Jane' }), told: ['customer.surname'] },
    { what: 'both', sent: payment({ ...names, 'customer.email': 'jane@shop.example' }), told: [] },
    {
      what: 'shipping customer',
      sent: payment({ 'shipping.customer.email': 'jane@shop.example' }),
      told: [],
    },
  ],
  'customer-document-type-with-id': [
    {
      what: 'type alone',
      sent: payment({ ...names, 'customer.identificationDocType': 'IDCARD' }),
      told: ['customer.identificationDocId'],
    },
    {
      what: 'id alone',
      sent: payment({ ...names, 'customer.identificationDocId': '12345678' }),
      told: ['customer.identificationDocType'],
    },
    {
      what: 'both',
      sent: payment({
        ...names,
        'customer.identificationDocType': 'IDCARD',
        'customer.identificationDocId': '12345678',
      }),
      told: [],
    },
  ],
  'shipping-customer-document-type-with-id': [
    {
      what: 'type alone',
      sent: payment({ 'shipping.customer.identificationDocType': 'IDCARD' }),
      told: ['shipping.customer.identificationDocId'],
    },
    { what: 'neither', sent: payment({ 'shipping.customer.sex': 'F' }), told: [] },
  ],
  ...Object.fromEntries(
    (['billing', 'merchant.billing'] as const).map((prefix): [string, readonly Case[]] => [
      `${prefix.replace('.', '-')}-street-is-not-a-number`,
      [
        { what: 'one line', sent: payment({ [`${prefix}.street1`]: '123' }), told: [`${prefix}.street1`] },
        {
          what: 'both lines',
          sent: payment({ [`${prefix}.street1`]: '12', [`${prefix}.street2`]: '3 4' }),
          told: [`${prefix}.street1`, `${prefix}.street2`],
        },
        {
          what: 'a name in one of them',
          sent: payment({ [`${prefix}.street1`]: '12', [`${prefix}.street2`]: 'Main' }),
          told: [],
        },
        {
          what: 'second line ignored',
          sent: payment({
            [`${prefix}.street1`]: '12',
            [`${prefix}.street2`]: 'Main',
            [`${prefix}.houseNumber1`]: '7',
          }),
          told: [`${prefix}.street1`],
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
            told: [`${prefix}.houseNumber1`],
          },
          {
            what: 'both',
            sent: payment({ [`${prefix}.houseNumber1`]: '7', [`${prefix}.houseNumber2`]: 'b' }),
            told: [],
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
      told: ['cart.items[1].sellerId'],
    },
    {
      what: 'known seller',
      sent: payment({ 'marketPlace.sellers[0].id': 'a', 'cart.items[0].sellerId': 'a' }),
      told: [],
    },
    { what: 'no marketplace', sent: payment({ 'cart.items[0].sellerId': 'a' }), told: [] },
  ],
  'sellers-have-items': [
    {
      what: 'seller without',
      sent: payment({
        'marketPlace.sellers[0].id': 'a',
        'marketPlace.sellers[1].id': 'b',
        'cart.items[0].sellerId': 'a',
      }),
      told: ['marketPlace.sellers[1].id'],
    },
    { what: 'no items', sent: payment({ 'marketPlace.sellers[0].id': 'a' }), told: [] },
  ],
  'browser-data-for-v2': [
    {
      what: 'version 2 alone',
      sent: payment({ ...names, ...billing, 'threeDSecure.version': '2.1.0' }),
      told: Object.keys(browser),
    },
    {
      what: 'network addressed',
      sent: payment({ ...names, ...billing, 'threeDSecure.v2.schemeA.requestorId': 'x' }),
      told: Object.keys(browser),
    },
    {
      what: 'no language',
      sent: without(payment(authentication), 'customer.browser.language'),
      told: ['customer.browser.language'],
    },
    { what: 'complete', sent: payment(authentication), told: [] },
    { what: 'version 1', sent: payment({ 'threeDSecure.version': '1.0.2' }), told: [] },
    { what: 'external server', sent: payment({ ...proof, 'threeDSecure.version': '2.1.0' }), told: [] },
    {
      what: 'bypassed',
      sent: payment({ 'threeDSecure.version': '2.1.0', 'threeDSecure.disable': 'true' }),
      told: [],
    },
    {
      what: 'no shopper',
      sent: payment({
        'threeDSecure.version': '2.2.0',
        ...si({ mode: 'REPEATED', source: 'MIT', initialTransactionId: '1' }),
      }),
      told: [],
    },
    {
      what: 'checkout, browser to come',
      kind: 'checkout',
      sent: { ...checkout, 'threeDSecure.version': '2.2.0' },
      told: [],
    },
  ],
  'device-info-in-app': [
    {
      what: 'without',
      sent: payment({ ...names, ...billing, 'threeDSecure.version': '2.2.0', 'customer.app.deviceId': 'x' }),
      told: ['threeDSecure.deviceInfo'],
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
      told: [],
    },
  ],
  'billing-data-for-v2': [
    {
      what: 'without',
      sent: payment({ ...names, ...browser, 'threeDSecure.version': '2.2.0' }),
      told: Object.keys(billing),
    },
    { what: 'no city', sent: without(payment(authentication), 'billing.city'), told: ['billing.city'] },
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
      told: ['threeDSecure.challengeIndicator', 'threeDSecure.exemptionFlag'],
    },
    {
      what: 'version 1',
      sent: payment({ 'threeDSecure.version': '1.0.2', 'threeDSecure.exemptionFlag': '01' }),
      told: ['threeDSecure.exemptionFlag'],
    },
    {
      what: 'version 2.2',
      sent: payment({ ...proof, 'threeDSecure.version': '2.2.0', 'threeDSecure.challengeIndicator': '04' }),
      told: [],
    },
    {
      what: 'version 2.3',
      sent: payment({ ...proof, 'threeDSecure.version': '2.3.1', 'threeDSecure.exemptionFlag': '04' }),
      told: [],
    },
    { what: 'version not named', sent: payment({ 'threeDSecure.challengeIndicator': '04' }), told: [] },
  ],
  'merchant-authentication-since-version-2-2': [
    {
      what: 'version 2.1',
      sent: payment({ 'threeDSecure.version': '2.1.0', 'threeDSecure.channel': '3' }),
      told: ['threeDSecure.channel'],
    },
    {
      what: 'version 2.2',
      sent: payment({ 'threeDSecure.version': '2.2.0', 'threeDSecure.channel': '3' }),
      told: [],
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
      told: ['threeDSecure.channel', 'threeDSecure.threeRIInd'],
    },
    {
      what: 'brand told by the program',
      sent: payment({ 'threeDSecure.channel': '3' }),
      options: { schemeOf: () => 'schemeC' },
      told: ['threeDSecure.channel'],
    },
    { what: 'scheme B', sent: payment({ paymentBrand: 'schemeB', 'threeDSecure.channel': '3' }), told: [] },
    { what: 'network unknown', sent: payment({ 'threeDSecure.channel': '3' }), told: [] },
  ],
  'merchant-authentication-without-shopper': [
    {
      what: 'cardholder',
      sent: payment({ ...si({ source: 'CIT' }), 'threeDSecure.channel': '3' }),
      told: ['threeDSecure.channel'],
    },
    {
      what: 'merchant',
      sent: payment({ ...si({ source: 'MIT', initialTransactionId: '1' }), 'threeDSecure.channel': '3' }),
      told: [],
    },
  ],
  'scheme-f-data': [
    {
      what: 'payment',
      sent: payment({ ...authentication, paymentBrand: 'schemeF' }),
      told: [
        'threeDSecure.schemeData[SCHEMEF-ITEMSNB]',
        'threeDSecure.schemeData[SCHEMEF-SCORE_MERCHANT]',
        'threeDSecure.schemeData[SCHEMEF-USECASE]',
      ],
    },
    {
      what: 'non-payment',
      sent: payment({ ...authentication, paymentBrand: 'schemeF', 'threeDSecure.npa': 'true' }),
      told: ['threeDSecure.schemeData[SCHEMEF-ITEMSNB]', 'threeDSecure.schemeData[SCHEMEF-SCORE_MERCHANT]'],
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
      told: ['threeDSecure.schemeData[SCHEMEF-USECASE]'],
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
      told: [],
    },
    { what: 'another network', sent: payment({ ...authentication, paymentBrand: 'schemeA' }), told: [] },
    {
      what: 'an unknown key',
      sent: payment({ 'threeDSecure.schemeData[SCHEMEF-OTHER]': '1' }),
      told: ['threeDSecure.schemeData[SCHEMEF-OTHER]'],
    },
  ],
  'day-of-month-or-of-week': [
    {
      what: 'both',
      kind: 'job',
      sent: { 'job.dayOfMonth': '1', 'job.dayOfWeek': 'MON' },
      told: ['job.dayOfWeek'],
    },
    {
      what: 'neither',
      kind: 'job',
      sent: { 'job.dayOfMonth': '?', 'job.dayOfWeek': '?' },
      told: ['job.dayOfWeek'],
    },
    {
      what: 'any of both',
      kind: 'job',
      sent: { 'job.dayOfMonth': '*', 'job.dayOfWeek': '*' },
      told: ['job.dayOfWeek'],
    },
    { what: 'of month', kind: 'job', sent: { 'job.dayOfMonth': '1', 'job.dayOfWeek': '?' }, told: [] },
    { what: 'of week', kind: 'job', sent: { 'job.dayOfMonth': '?', 'job.dayOfWeek': 'MON' }, told: [] },
    { what: 'one specified', kind: 'job', sent: { 'job.dayOfWeek': 'MON' }, told: [] },
    {
      what: 'overwritten',
      kind: 'job',
      sent: { 'job.dayOfMonth': '1', 'job.dayOfWeek': 'MON', 'job.expression': '0 0 12 1 * ?' },
      told: [],
    },
  ],
  'expression-day-of-month-or-of-week': [
    { what: 'both', kind: 'job', sent: { 'job.expression': '0 0 12 1 * MON' }, told: ['job.expression'] },
    { what: 'neither', kind: 'job', sent: { 'job.expression': '0 0 12 ? * ?' }, told: ['job.expression'] },
    { what: 'one', kind: 'job', sent: { 'job.expression': '0 0 12 ? * MON 2030' }, told: [] },
    { what: 'malformed', kind: 'job', sent: { 'job.expression': '0 0 12 ? *' }, told: ['job.expression'] },
  ],
  'job-ends-after-start': [
    {
      what: 'before',
      kind: 'job',
      sent: { 'job.startDate': '2026-11-19 10:00:00', 'job.endDate': '2026-11-19 09:59:59' },
      told: ['job.endDate'],
    },
    {
      what: 'after',
      kind: 'job',
      sent: { 'job.startDate': '2026-11-19 10:00:00', 'job.endDate': '2026-11-19 10:00:00' },
      told: [],
    },
  ],
  'report-range-in-order': [
    {
      what: 'reversed',
      kind: 'reporting',
      sent: { 'date.from': '2026-11-02', 'date.to': '2026-11-01' },
      told: ['date.to'],
    },
    {
      what: 'one day',
      kind: 'reporting',
      sent: { 'date.from': '2026-11-01', 'date.to': '2026-11-01' },
      told: [],
    },
    { what: 'no end', kind: 'reporting', sent: { 'date.from': '2026-11-01' }, told: ['date.to'] },
  ],
  'time-frame-has-two-ends': [
    { what: 'from alone', kind: 'query', sent: { 'date.from': '2026-11-01 00:00:00' }, told: ['date.to'] },
    { what: 'to alone', kind: 'query', sent: { 'date.to': '2026-11-01 00:00:00' }, told: ['date.from'] },
    {
      what: 'both',
      kind: 'query',
      sent: { 'date.from': '2026-11-01 00:00:00', 'date.to': '2026-11-01 00:00:01' },
      told: [],
    },
  ],
  'query-range-in-order': [
    {
      what: 'reversed',
      kind: 'query',
      sent: { 'date.from': '2026-11-01 00:00:01', 'date.to': '2026-11-01 00:00:00' },
      told: ['date.to'],
    },
    {
      what: 'one moment',
      kind: 'query',
      sent: { 'date.from': '2026-11-01 00:00:00', 'date.to': '2026-11-01 00:00:00' },
      told: [],
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
      told: ['merchantTransactionId'],
    },
    {
      what: 'reference',
      kind: 'query',
      sent: { merchantTransactionId: 'order-1', paymentTypes: 'DB' },
      told: [],
    },
  ],
};

describe.each(Object.entries(cases))('%s', (name, ofRule) => {
  test.each(ofRule)('$what', ({ kind = 'payment', sent, options, told }) => {
    expect(namesOf(kind, sent, options)).toEqual(told);
  });

  test('is a rule', () => {
    expect(rules.some((rule) => rule.name === name)).toBe(true);
  });
});

test('every rule has its cases, a name of its own and a sentence', () => {
  expect(new Set(rules.map((rule) => rule.name)).size).toBe(rules.length);
  expect(rules.map((rule) => rule.name).filter((name) => cases[name] === undefined)).toEqual([]);
  for (const rule of rules)
    expect([rule.name, rule.statement]).toEqual([rule.name, expect.stringMatching(/^\S.*\.$/)]);
});
