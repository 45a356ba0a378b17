import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAnswer } from '../../../src/payment-core/connectors/read-answer.js';
import { cardPayment, createTestCore, referencing, type TestCore } from '../support/test-core.js';

const ok = { resultCode: '000.000.000' };

/** Answers against operations 2.5, with what is kept of them. */
const answers: readonly (readonly [what: string, given: unknown, kept: object])[] = [
  ['nothing', undefined, { resultCode: '900.100.100' }],
  ['a text', '000.000.000', { resultCode: '900.100.100' }],
  ['no code', { description: 'paid' }, { resultCode: '900.100.100' }],
  ['a code that is a number', { resultCode: 0 }, { resultCode: '900.100.100' }],
  [
    'a code of 5,000 characters',
    { resultCode: '0'.repeat(5000), description: 'paid' },
    { resultCode: '999.999.999', resultDetails: { AcquirerResponse: '0'.repeat(2048) } },
  ],
  ['a long description', { ...ok, description: 'd'.repeat(300) }, { ...ok, description: 'd'.repeat(255) }],
  [
    'a long AcquirerResponse',
    { ...ok, resultDetails: { AcquirerResponse: 'a'.repeat(5000) } },
    { ...ok, resultDetails: { AcquirerResponse: 'a'.repeat(2048) } },
  ],
  [
    'invalid names',
    {
      ...ok,
      resultDetails: { 'bad name!': 'x', ab: 'x', ['n'.repeat(65)]: 'x', 'good.name_1': 'x', abc: 7 },
    },
    { ...ok, resultDetails: { 'good.name_1': 'x' } },
  ],
  ['an invalid advice code', { ...ok, resultDetails: { MerchantAdviceCode: 'A1' } }, ok],
  ['a long reference', { ...ok, connectorTxIds: ['x'.repeat(300), 'y'] }, { ...ok, connectorTxIds: ['y'] }],
  [
    'four references',
    { ...ok, connectorTxIds: ['a', 'b', 'c', 'd'] },
    { ...ok, connectorTxIds: ['a', 'b', 'c'] },
  ],
  ['a score out of range', { ...ok, riskScore: '+100000' }, ok],
  ['invalid AVS and CVV results', { ...ok, avsResponse: 'X', cvvResponse: 7 }, ok],
  ['an invalid brand', { ...ok, brandResult: 'A BRAND' }, ok],
  ['a redirect that runs a script', { ...ok, redirect: { url: 'javascript:alert(1)', parameters: [] } }, ok],
  [
    'a redirect with an empty value',
    { ...ok, redirect: { url: 'https://a.example', parameters: [{ name: 'x', value: '' }] } },
    ok,
  ],
  [
    'a security code by its name',
    {
      ...ok,
      resultDetails: { 'card.cvv': '123', CVC2: '1234', securityCode: '123', cvvResponse: 'M', ref: '123' },
    },
    { ...ok, resultDetails: { cvvResponse: 'M', ref: '123' } },
  ],
  [
    'a redirect with a security code',
    { ...ok, redirect: { url: 'https://a.example', parameters: [{ name: 'card.cvv', value: '123' }] } },
    ok,
  ],
  [
    'a redirect with a security code in its address',
    { ...ok, redirect: { url: 'https://a.example/?cvv=123', parameters: [] } },
    ok,
  ],
  ['an invalid card', { ...ok, card: { type: 7, issuer: 'bank' } }, ok],
  ['NUL and half of a character', { ...ok, description: 'a\u0000b\ud800c' }, { ...ok, description: 'abc' }],
];

describe('an answer of a connector', () => {
  test.each(answers)('with %s is cut, dropped or refused', (what, given, kept) => {
    const reading = readAnswer(given);
    expect(reading.answer).toEqual(kept);
    if (what !== 'NUL and half of a character') expect(reading.issues.length).toBeGreaterThan(0);
    expect(JSON.stringify(reading.issues).length).toBeLessThan(1000);
  });

  test('that fits is kept as it is', () => {
    const answer = {
      ...ok,
      description: 'paid',
      avsResponse: 'F',
      cvvResponse: 'M',
      resultDetails: { AcquirerResponse: '00', MerchantAdviceCode: '03' },
      riskScore: '-99999',
      connectorTxIds: ['x'.repeat(64)],
      redirect: { url: 'https://a.example/3ds', parameters: [{ name: 'id', value: '1' }] },
      brandResult: 'VISA',
      initialTransactionId: '123456789012345',
      card: { type: 'CREDIT', level: 'GOLD', regulatedFlag: 'true', issuer: { bank: 'A Bank' } },
    };
    expect(readAnswer(answer)).toEqual({ answer, issues: [] });
  });
});

/** As a program in JavaScript sees it. */
interface Loose {
  readonly complete: (...given: unknown[]) => Promise<unknown>;
}

describe('in a payment', () => {
  let world: TestCore;
  beforeAll(async () => {
    world = await createTestCore();
  });
  afterAll(() => world.drop());

  test('the reasons are logged, without values, and the number of the request is cut from what it says', async () => {
    const logged: unknown[] = [];
    const number = '5012345678901299';
    const core = await world.open({
      logger: { warn: (...entry) => logged.push(entry) },
      connectors: {
        default: {
          name: 'acquirer',
          process: () =>
            Promise.resolve({ ...ok, riskScore: '+100000', description: `paid with 5012-3456-7890-1299` }),
        },
      },
    });
    const paid = await core.payments.create(
      cardPayment('DB', { testMode: 'EXTERNAL', 'card.number': number, descriptor: `card ${number}` }),
    );
    expect(paid).toMatchObject({
      descriptor: 'card 501234******1299',
      result: { description: 'paid with 501234******1299' },
    });
    expect(paid.risk).toBeUndefined();
    expect(JSON.stringify(logged)).toContain('riskScore');
    expect(JSON.stringify(logged)).not.toContain('100000');
  });

  test('a shopper step needs a way back, before anything is stored or asked', async () => {
    let asked = 0;
    const core = await world.open({
      connectors: {
        default: {
          name: 'acquirer',
          needsShopper: ({ paymentBrand }) => paymentBrand === 'VISA',
          process: () => Promise.resolve({ resultCode: (asked += 1) > 0 ? '000.200.000' : '' }),
        },
      },
    });
    const before = (await world.core.query({})).payments?.length;
    for (const more of [{ 'card.holder': 'SIMULATE REDIRECT' }, { testMode: 'EXTERNAL' }]) {
      const { result } = await core.payments.create(cardPayment('DB', more));
      expect(result).toMatchObject({ code: '200.300.404', parameterErrors: [{ name: 'shopperResultUrl' }] });
    }
    expect(asked).toBe(0);
    expect((await world.core.query({})).payments?.length).toBe(before);
    const pending = await core.payments.create(cardPayment('DB', { amount: '9000.80' }));
    expect(pending.result.code).toBe('000.200.000');
    expect(pending.redirect).toBeUndefined();
    // A capture is made without the shopper.
    const authorised = await core.payments.create(cardPayment('PA'));
    const note = { 'customParameters[SIMULATOR]': 'SIMULATE REDIRECT' };
    const captured = await core.payments.reference(authorised.id, referencing('CP', '1.00', note));
    expect(captured.result.code).toBe('000.200.000');
  });

  test('a completion without a code is refused', async () => {
    const complete = (...given: unknown[]) => (world.core.payments as unknown as Loose).complete(...given);
    const refused = { result: { code: '200.300.404', parameterErrors: [{ name: 'resultCode' }] } };
    expect(await complete('0'.repeat(32), null)).toMatchObject(refused);
    expect(await complete('0'.repeat(32), {})).toMatchObject(refused);
  });

  test.each([
    ['card.number', { 'card.number': '30123456' }, 'pays 3012 3456, not 530123456'],
    [
      'bankAccount.iban',
      { 'bankAccount.iban': 'GB33BUKB20201555555555' },
      'from gb33 bukb 2020 1555 5555 55',
    ],
  ])('the %s of the request is cut from its own free texts', async (name, instrument, descriptor) => {
    const { 'card.number': _, 'card.cvv': __, ...rest } = cardPayment('DB');
    const bank = name.startsWith('bank');
    const request = bank
      ? {
          paymentType: 'DB',
          paymentBrand: 'SEPA',
          amount: '1.00',
          currency: 'EUR',
          'bankAccount.holder': 'Jane Jones',
          'bankAccount.bic': 'BUKBGB22XXX',
        }
      : rest;
    const paid = await world.core.payments.create({
      ...request,
      ...instrument,
      descriptor,
      'customParameters[note]': Object.values(instrument)[0] ?? '',
      merchantTransactionId: 'order-000001',
    });
    const number = (Object.values(instrument)[0] ?? '').toLowerCase();
    const [event] = (await world.core.events.read({ limit: 500 })).filter(
      ({ payload }) => payload.id === paid.id,
    );
    const [row] = await world.database.database.sql<{ row: string }[]>`
      select d.parameters::text as row from payment_details d join payments p on p.key = d.payment_key
      where p.id = ${paid.id}`;
    expect(row?.row).toContain('descriptor');
    for (const shown of [JSON.stringify(paid), JSON.stringify(event), row?.row ?? '']) {
      const flat = shown
        .toLowerCase()
        .replace(/(?<=\w) (?=\w)/g, '')
        .replaceAll('530123456', '');
      expect(flat).not.toContain(number);
    }
    if (!bank) expect(paid.descriptor).toContain('530123456');
  });
});
