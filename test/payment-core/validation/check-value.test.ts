import { describe, expect, test } from 'vitest';
import { catalogue } from '../../../src/payment-core/fields/catalogue/catalogue.js';
import type { RequestKind } from '../../../src/payment-core/fields/request-kinds.js';
import { checkValue } from '../../../src/payment-core/validation/check-value.js';
import { nameOf } from '../fields/spellings.js';
import { errorsOf } from './requests.js';

/** The rules of the documents for fields whose type is more than a length, value by value. */
const cases: readonly (readonly [
  kind: RequestKind,
  name: string,
  accepted: readonly string[],
  refused: readonly string[],
])[] = [
  [
    'payment',
    'amount',
    ['0.00', '1', '10.50', '9999999999.99', '0010.00'],
    ['10.5', '10.001', '1e2', '-5', '+5', '10.00 ', '12345678901.00', '1,00', ''],
  ],
  ['payment', 'currency', ['EUR', 'JPY', 'XOF'], ['eur', 'EURO', 'ZZZ', '978']],
  ['payment', 'paymentBrand', ['VISA', 'Brand_2', 'a'.repeat(32)], ['a'.repeat(33), 'VI SA', 'VISA-X', '']],
  ['payment', 'paymentType', ['PA', 'DB', 'CD', 'CP', 'RV', 'RF'], ['RG', 'CB', 'db', '']],
  ['reference', 'paymentType', ['CP', 'RV', 'RF'], ['PA', 'DB', 'CD']],
  ['checkout', 'paymentType', ['PA', 'DB', 'CD'], ['CP', 'RV', 'RF']],
  ['checkout', 'overridePaymentType[VISA]', ['PA', 'DB', 'CD'], ['RF', 'XX']],
  ['payment', 'merchantTransactionId', ['12345678', 'x'.repeat(255)], ['1234567', 'x'.repeat(256)]],
  ['query', 'merchantTransactionId', ['1', 'x'.repeat(255)], ['', 'x'.repeat(256)]],
  ['payment', 'transactionCategory', ['EC', 'MOTO'], ['ec', 'XX']],
  ['payment', 'numberOfCaptures', ['1', '98', '01'], ['0', '99', '100', '1.0']],
  ['payment', 'promotionCode', ['', 'SPRING26', 'a'.repeat(15)], ['a'.repeat(16), 'SPRING-26']],
  [
    'payment',
    'entityId',
    ['8ac7a4a0123456789abcdef012345678'],
    ['8AC7A4A0123456789ABCDEF012345678', 'g'.repeat(32), 'a'.repeat(31)],
  ],
  [
    'payment',
    'referenceUuid',
    ['8ac7A4a0123456789abcdef012345678'],
    ['a'.repeat(31), 'a'.repeat(33), `${'a'.repeat(31)}-`],
  ],
  [
    'payment',
    'shopperResultUrl',
    ['https://shop.example/r', 'myapp://r', 'http://localhost:8080/?a=%20'],
    ['shop.example', '/r', 'a://', 'javascript://x', 'https://a b'],
  ],
  [
    'chargeback',
    'chargebackResultCode',
    ['000.100.200', '000.100.299'],
    ['000.100.2', '000.100.300', '000.100.2000', '000.100.2a0'],
  ],
  [
    'payment',
    'standingInstruction.expiry',
    ['9999-12-31', '2026-02-28', '2028-02-29'],
    ['2026-02-30', '9999-13-31', '31.12.2026'],
  ],
  ['payment', 'standingInstruction.frequency', ['0001', '1', '9999'], ['10000', '1d', '']],
  [
    'payment',
    'card.number',
    ['12345678', '4'.repeat(32)],
    ['1234567', '4'.repeat(33), '4200 0000 0000 0000', '4111111111111111 '],
  ],
  ['payment', 'card.holder', ['Ann', 'x'.repeat(128), 'Zoë Ünal'], ['An', 'x'.repeat(129)]],
  ['payment', 'card.expiryMonth', ['01', '12'], ['1', '00', '13']],
  ['payment', 'card.expiryYear', ['1999', '2099'], ['99', '2100', '1899']],
  ['payment', 'card.cvv', ['123', '1234'], ['12', '12345', '12a']],
  [
    'payment',
    'bankAccount.iban',
    ['DE23100000001234567890', 'NO9386011117947', `MT84${'A'.repeat(27)}`],
    ['DE2310000000', 'D123100000001234567890', `MT84${'A'.repeat(28)}`, 'DE23 1000 0000 1234 5678 90'],
  ],
  [
    'payment',
    'bankAccount.bic',
    ['MARKDEF1', 'MARKDEF1100'],
    ['MARKDEF', 'MARKDEF110', 'MARKDEF11000', 'MARKDEF-'],
  ],
  [
    'payment',
    'bankAccount.mandate.id',
    ['', 'mandate-a', 'a'.repeat(256)],
    ['a'.repeat(257), 'mandate 1', 'mandate_1'],
  ],
  [
    'payment',
    'tokenAccount.cryptogram',
    ['A'.repeat(28), `${'A'.repeat(31)}=`, `${'+/'.repeat(15)}==`],
    ['A'.repeat(27), 'A'.repeat(33), `${'A'.repeat(27)}-`, `=${'A'.repeat(28)}`],
  ],
  ['payment', 'customer.phone', ['+49 (89) 123.45-6/7', '1'], ['-49', '+49x', 'phone', '1'.repeat(26), '']],
  ['payment', 'customer.language', ['DE'], ['de', 'DEU', 'D1']],
  ['payment', 'customer.browser.timezone', ['0', '-60', '840', '-720'], ['-12345', 'UTC', '']],
  ['payment', 'billing.state', ['BY', 'N.Y.', 'Bayern'], ['New York', 'a-b', 'a'.repeat(51)]],
  ['payment', 'billing.postcode', ['80331', 'SW1A1AA'], ['SW1A 1AA', '80331-1', '1'.repeat(17)]],
  ['payment', 'billing.country', ['DE', 'GB'], ['de', 'EU', 'UK', 'DEU']],
  ['payment', 'shipping.country', ['DE', 'de'], ['EU', 'DEU', '276']],
  [
    'payment',
    'shipping.city',
    ['Zürich', 'New York', 'Saint-Étienne', "L'Aquila"],
    ['Berlin 1', '12345', 'a'.repeat(81)],
  ],
  ['payment', 'shipping.cost', ['0.00', '12.50'], ['12', '12.5']],
  ['payment', 'shipping.phone', ['+4989'], ['+498', '1'.repeat(26)]],
  ['payment', 'recipient.phone', ['+498912', '1234567', '+49 (89) 12.3-4'], ['+49891', '+49/8912345']],
  ['payment', 'sender.name', ['', 'Jane Jones 3', 'Ünal'], ['Jane-Jones', 'a'.repeat(101)]],
  ['payment', 'sender.nationality', ['', 'Deutsch'], ['Deutsch1']],
  ['payment', 'sender.country', ['DEU', 'deu'], ['DE', 'XYZ', '276']],
  ['payment', 'sender.birthCountry', ['D', 'DE', 'SUN'], ['', 'DEUT', '276']],
  ['payment', 'sender.sourceOfFunds', ['01', '09'], ['1', '00', '10']],
  ['payment', 'merchant.countryCode', ['276', '004'], ['4', 'DEU', '000']],
  [
    'payment',
    'merchant.geographicCoordinates',
    ['48.13743,11.57549', '-33.9,18.4'],
    ['48.137', 'north', '48.137430000,11.575490000'],
  ],
  [
    'payment',
    'cart.items[0].quantity',
    ['1', '999999999999.999', '0.5'],
    ['1234567890123', '1.', '1.0000', '.5', '-1'],
  ],
  [
    'payment',
    'cart.items[0].tax',
    ['0', '19', '19.5', '100', '100.00'],
    ['100.01', '101', '19.555', '-1', '19%'],
  ],
  ['payment', 'cart.items[0].taxCategory', ['AA', 'S', 'E', 'Z'], ['A', 's']],
  ['payment', 'cart.items[0].itemNumber', ['1', '999', '001'], ['0', '1000', '0001']],
  ['payment', 'cart.items[0].recipient.country', ['DE', 'de', '276'], ['DEU', '27', 'EU']],
  ['payment', 'cart.payments[0].currency', ['EUR', 'eur'], ['EURO', 'ZZZ', '978']],
  ['payment', 'threeDSecure.amount', ['0.00', '999999999.99'], ['1', '1234567890.00']],
  ['payment', 'threeDSecure.merchant.country', ['DEU'], ['DE', '276', 'XYZ']],
  [
    'payment',
    'threeDSecure.authenticationInd',
    ['PAYMENT', '_DELAYED_SHIPMENT', 'DELAYED_SHIPMENT'],
    ['payment', 'OTHER'],
  ],
  ['payment', 'threeDSecure.eci', ['01', '08'], ['00', '09', '5']],
  ['payment', 'threeDSecure.verificationId', ['A'.repeat(28)], ['A'.repeat(27), 'A'.repeat(29)]],
  ['payment', 'threeDSecure.version', ['1.0.2', '2.2.0'], ['2.2', '3.0.0', '2.1.0.1', '2.10.0']],
  ['payment', 'threeDSecure.channel', ['1', '03', '99'], ['0', '100']],
  [
    'payment',
    'threeDSecure.schemeData[SCHEMEF-SCORE_MERCHANT]',
    ['score 12,5 (ok)', 'a'.repeat(20)],
    ['', 'a'.repeat(21), 'é'],
  ],
  ['payment', 'giftCard.type', ['SEASONS_GREETINGS', 'OTHER'], ['XMAS', 'other']],
  ['migration', 'recurringMigration.amount', ['12345678', '12345678.90'], ['123456789', '1.5']],
  [
    'migration',
    'recurringMigration.requestTimestamp',
    ['2026-11-19 10:00:00', '2026-11-19 10:00:00+0000'],
    ['2026-11-19', '2026-02-30 10:00:00', '2026-11-19 10:00:00Z+'],
  ],
  ['query', 'limit', ['100', '500'], ['99', '501', '0100', '1e2']],
  ['query', 'date.from', ['2026-11-19 00:00:00'], ['2026-11-19', '2026-11-19 24:00:00']],
  ['reporting', 'date.from', ['2026-11-19'], ['2026-11-19 00:00:00', '2026-11-31']],
  ['query', 'paymentTypes', ['DB', 'PA,CP,3D', 'ER'], ['', 'db', 'DB,', 'DB, PA', 'DB;PA', 'XX']],
  ['query', 'paymentMethods', ['DD,CC', 'RM'], ['DB', 'CC,,DD']],
  ['reporting', 'sortOrder', ['ASC', 'DESC', 'asc', 'desc'], ['Asc', 'up']],
  ['job', 'job.minute', ['0', '59'], ['60', '*']],
  [
    'job',
    'job.expression',
    ['0 0 6 1 * ? *', '*/5 * * * * ?'],
    ['0 6 1 * *', '0 0 24 1 * ? *', `0 0 6 1 * ? *${' '.repeat(250)}`],
  ],
  ['job', 'job.noticeNumber', ['1', '9'.repeat(16)], ['1'.repeat(17), '1.5']],
];

describe('values', () => {
  test.each(cases)('%s: %s takes %j and refuses %j', (kind, name, accepted, refused) => {
    const field = catalogue.find(
      (candidate) =>
        nameOf(candidate) === name.replace('VISA', 'SHOPPER_key') && candidate.kinds.includes(kind),
    );
    const reasons = (value: string) =>
      field === undefined ? 'no such field' : checkValue(field.type, value);
    expect(accepted.map((value) => [value, reasons(value)])).toEqual(
      accepted.map((value) => [value, undefined]),
    );
    for (const value of refused) {
      expect([value, reasons(value)]).toEqual([
        value,
        expect.stringMatching(/^(?:must be|must have|may hold|has a wrong) /),
      ]);
      expect(errorsOf(kind, { [name]: value }).map((error) => error.name)).toContain(name);
    }
  });

  test.each([[10], [null], [true], [['a', 'b']], [{ amount: '1' }], [Symbol('x')], [() => '1.00']])(
    'a value that is not a text is reported, not read: %s',
    (value) => {
      expect(errorsOf('reference', { amount: value, currency: 'EUR', paymentType: 'RF' })).toEqual([
        { name: 'amount', value: '***', message: 'amount must be a text' },
      ]);
    },
  );

  test('an undefined value was not sent', () => {
    expect(errorsOf('query', { limit: undefined })).toEqual([]);
  });
});
