import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connector, ConnectorAnswer, ConnectorRequest } from '../../../src/payment-core/index.js';
import { cardPayment, createTestCore, referencing, type TestCore } from '../support/test-core.js';

let world: TestCore;
beforeAll(async () => {
  world = await createTestCore();
});
afterAll(() => world.drop());

const external = (type: 'PA' | 'DB', more = {}) => cardPayment(type, { testMode: 'EXTERNAL', ...more });

/** An acquirer that gives the configured answer and records the requests. */
function acquirer(name: string, respond: (request: ConnectorRequest) => Promise<ConnectorAnswer>) {
  const requests: ConnectorRequest[] = [];
  const connector: Connector = {
    name,
    process: (request) => {
      requests.push(request);
      return respond(request);
    },
  };
  return { requests, connector };
}

const approve = () =>
  Promise.resolve({ resultCode: '000.000.000', connectorTxIds: ['acq-1', 'acq-2', 'acq-3', 'acq-4'] });

describe('an external connector', () => {
  test('keeps its answer when the logger of the program throws', async () => {
    const { connector } = acquirer('acquirer', approve);
    const warn = () => {
      throw new Error('the log is full');
    };
    const core = await world.open({ connectors: { default: connector }, logger: { warn } });
    // Its fourth reference is left out, which is logged.
    const response = await core.payments.create(external('DB'));
    expect(response.result.code).toBe('000.000.000');
    const completion = { resultCode: '000.000.000', riskScore: 'high' };
    const completed = await core.payments.complete(response.id, completion);
    expect(completed.result.code).toBe('000.000.000');
  });

  test('gets the whole request, and its answer is the payment', async () => {
    const { requests, connector } = acquirer('acquirer', approve);
    const core = await world.open({ connectors: { default: connector } });
    const response = await core.payments.create(external('PA'));
    expect(response).toMatchObject({
      result: { code: '000.000.000' },
      resultDetails: { ConnectorTxID1: 'acq-1', ConnectorTxID3: 'acq-3' },
    });
    const capture = await core.payments.reference(response.id, referencing('CP', '40.00'));
    expect(capture.result.code).toBe('000.000.000');
    expect(requests).toMatchObject([
      { paymentId: response.id, paymentType: 'PA', amount: '100.00', referenced: null },
      {
        paymentType: 'CP',
        amount: '40.00',
        referenced: { id: response.id, connectorTxIds: ['acq-1', 'acq-2', 'acq-3'] },
      },
    ]);
    expect(requests[0]?.parameters['card.number']).toBe('4200000000000000');
    const [row] = await world.database.database.sql<{ ids: string }[]>`
      select concat_ws(' ', connector_tx_id1, connector_tx_id2, connector_tx_id3) as ids from payments
      where id = ${response.id}`;
    expect(row?.ids).toBe('acq-1 acq-2 acq-3');
  });

  test('of a brand takes precedence over the default one', async () => {
    const ordinary = acquirer('ordinary', approve);
    const special = acquirer('special', approve);
    const core = await world.open({
      connectors: { default: ordinary.connector, byBrand: { AMEX: special.connector } },
    });
    await core.payments.create(
      external('DB', { paymentBrand: 'AMEX', 'card.cvv': '1234', 'card.number': '378282246310005' }),
    );
    await core.payments.create(external('DB'));
    expect([special.requests.length, ordinary.requests.length]).toEqual([1, 1]);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('refused 4200000000000000')), '900.100.100'],
    ['never answers', () => new Promise<ConnectorAnswer>(() => undefined), '900.100.300'],
    ['answers with an unknown code', () => Promise.resolve({ resultCode: '123.456.789' }), '999.999.999'],
  ])('that %s leaves %s', async (_what, respond, code) => {
    const { connector } = acquirer('acquirer', respond);
    const core = await world.open({ connectors: { default: connector }, connectorTimeoutMs: 50 });
    const response = await core.payments.create(external('DB'));
    expect(response.result.code).toBe(code);
    expect(JSON.stringify(response)).not.toContain('4200000000000000');
    expect((await core.payments.get(response.id)).result.code).toBe(code);
  });

  test('that throws or takes too long is reported to the logger, without what it said', async () => {
    const logged: object[] = [];
    const warn = (details: object, message: string) => logged.push({ ...details, message });
    const answers = [
      () => Promise.reject(new RangeError('4200000000000000 is not known')),
      () => new Promise(() => undefined),
    ];
    const { connector } = acquirer('acquirer', () => answers.shift()?.() as Promise<ConnectorAnswer>);
    const settings = { connectors: { default: connector }, connectorTimeoutMs: 50 };
    const core = await world.open({ ...settings, logger: { warn } });
    const [thrown, late] = [
      await core.payments.create(external('DB')),
      await core.payments.create(external('DB')),
    ];
    const connectorName = { connector: 'acquirer' };
    expect(logged).toMatchObject([
      { ...connectorName, paymentId: thrown.id, err: { message: 'RangeError' } },
      { ...connectorName, paymentId: late.id, timeoutMs: 50 },
    ]);
    expect(inspect(logged)).toMatch(/RangeError\n +at .*connectors\.test/);
    expect(inspect(logged)).not.toContain('4200');
  });

  test('is called while the payment is stored as pending, which reserves its amount', async () => {
    const seen: string[] = [];
    const { connector } = acquirer('acquirer', async ({ paymentId, paymentType }) => {
      if (paymentType === 'CP') {
        const stored = await world.core.payments.get(paymentId);
        const other = await world.core.payments.reference(authorised.id, referencing('CP', '80.00'));
        seen.push(stored.result.code, other.result.code);
      }
      return { resultCode: '000.000.000' };
    });
    const core = await world.open({ connectors: { default: connector } });
    const authorised = await core.payments.create(external('PA'));
    await core.payments.reference(authorised.id, referencing('CP', '80.00'));
    expect(seen).toEqual(['000.200.000', '700.400.100']);
  });

  test('that has not answered yet: the same request with the same key gets the stored payment, and asks nobody', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const { connector, requests } = acquirer('acquirer', async () => {
      asked();
      await answered;
      return { resultCode: '000.000.000' };
    });
    const core = await world.open({ connectors: { default: connector } });
    const caller = { entityIds: ['a'.repeat(32)], idempotencyKey: 'order-000001' };
    const first = core.payments.create(external('DB'), caller);
    await isAsked;
    const meanwhile = await core.payments.create(external('DB'), caller);
    expect(meanwhile.result.code).toBe('000.200.000');
    answer();
    const paid = await first;
    expect(paid).toMatchObject({ id: meanwhile.id, result: { code: '000.000.000' } });
    expect(await core.payments.create(external('DB'), caller)).toEqual(paid);
    expect(requests).toHaveLength(1);
  });

  test('whose later answer has no valid reference keeps the references of the first', async () => {
    const { connector } = acquirer('acquirer', () =>
      Promise.resolve({ resultCode: '000.200.000', connectorTxIds: ['acq-1'] }),
    );
    const core = await world.open({ connectors: { default: connector } });
    for (const connectorTxIds of [[], ['x'.repeat(65)]]) {
      const { id } = await core.payments.create(external('DB'));
      const completed = await core.payments.complete(id, { resultCode: '000.000.000', connectorTxIds });
      expect(completed.resultDetails).toEqual({ ConnectorTxID1: 'acq-1' });
      expect((await core.storedPayments.find(id))?.connectorTxId1).toBe('acq-1');
    }
  });

  test('that was killed with its process leaves a pending payment, which is completed later', async () => {
    let reached: () => void = () => undefined;
    const requests = new Promise<void>((resolve) => (reached = resolve));
    const { connector } = acquirer('acquirer', () => {
      reached();
      return new Promise<ConnectorAnswer>(() => undefined);
    });
    const core = await world.open({ connectors: { default: connector }, connectorTimeoutMs: 2_000 });
    const lost = core.payments.create(external('DB', { merchantTransactionId: 'lost-0001' }));
    await requests;
    const { payments: [found] = [] } = await world.core.query({ merchantTransactionId: 'lost-0001' });
    expect(found?.result.code).toBe('000.200.000');
    const completed = await world.core.payments.complete(found?.id ?? '', { resultCode: '000.000.000' });
    expect(completed.result.code).toBe('000.000.000');
    // The connector's late time-out does not overwrite the result that is stored by then.
    expect((await lost).result.code).toBe('000.000.000');
  });

  test('is required in live, and no other may have the name INTERNAL', async () => {
    const { connector } = acquirer('acquirer', approve);
    const live = await world.open({ environment: 'live', connectors: { default: connector } });
    const response = await live.payments.create(cardPayment('DB'));
    expect(response.result.code).toBe('000.000.000');
    expect((await world.core.payments.get(response.id)).result.code).toBe('700.400.580');
    await expect(world.open({ connectors: { default: { ...connector, name: 'INTERNAL' } } })).rejects.toThrow(
      'INTERNAL',
    );
  });
});

describe('throttling', () => {
  test('counts per operation and window, over all processes', async () => {
    const throttling = { 'payments.get': { requests: 3, windowSeconds: 60 } };
    const one = await world.open({ throttling });
    const two = await world.open({ throttling });
    const { id } = await one.payments.create(cardPayment('DB'));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : two).payments.get(id)),
    );
    const codes = answers.map(({ result }) => result.code).sort();
    expect(codes.filter((code) => code === '000.100.110')).toHaveLength(3);
    expect(codes.filter((code) => code === '800.120.100')).toHaveLength(17);
    world.advance(60_000);
    expect((await one.payments.get(id)).result.code).toBe('000.100.110');
  });

  test('forgets a window that was counted while the clock was ahead', async () => {
    const throttling = { 'payments.get': { requests: 2, windowSeconds: 60 } };
    const core = await world.open({ throttling });
    const code = async () => (await core.payments.get('unknown')).result.code;
    const aheadMs = 400 * 24 * 3_600_000;
    world.advance(aheadMs);
    expect(await code()).toBe('700.400.580');
    world.advance(-aheadMs);
    expect([await code(), await code(), await code()]).toEqual(['700.400.580', '700.400.580', '800.120.100']);
    world.advance(60_000);
    expect(await code()).toBe('700.400.580');
  });

  test('of an operation that does not exist is an error', async () => {
    const throttling = { 'payments.make': { requests: 1, windowSeconds: 1 } } as object;
    await expect(world.open({ throttling })).rejects.toThrow('payments.make');
  });
});
