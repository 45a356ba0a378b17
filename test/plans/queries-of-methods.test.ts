import { beforeAll, describe, expect, it } from 'vitest';
import { createPaymentCore, type PaymentCore } from '../../src/payment-core/index.js';
import { encryptionKeys, noon } from '../payment-core/support/test-core.js';
import { knowledge, setStatistics, type Knowledge } from './crowded-quarter.js';
import { mostRowsHandled, recorderOfTests } from './record-plans.js';

/*
 * Queries of one day, a type and a method, with statistics from before most payments existed: the server began with all
 * payments of the method, or read them all for each payment of the day. One query took 27 seconds.
 */
const stored = 24_000;
const ofDay = 1_200;

/** Each payment and its details are read a few times at most. */
const mostRows = 3 * stored;

const recorder = recorderOfTests();
let core: PaymentCore;
const entity = 'a'.repeat(32);

beforeAll(async () => {
  const { sql } = recorder();
  core = await createPaymentCore({ sql, environment: 'test', encryptionKeys, clock: () => noon });
  await sql`
    insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, entity_id)
    select md5(n::text), case n % 2 when 0 then 'RF' else 'DB' end, 100, 'EUR', '000.000.000',
      '2026-10-01T10:00:00Z'::timestamptz + n / ${ofDay}::int * interval '1 day', ${entity}
    from generate_series(0, ${stored - 1}::int) n`;
  // One method has more payments than are looked up, and one has fewer.
  await sql`
    insert into payment_details (payment_key, environment, connector, payment_method, parameters, answer, ndc,
      responded_at)
    select key, 'test', 'simulator', case key % 3 when 0 then 'VA' else 'CC' end, '{"amount":"1.00"}', '{}', 'ndc',
      requested_at from payments`;
});

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  beforeAll(async () => {
    await recorder().sql.begin((tx) => setStatistics(tx, kind));
  });

  it.each([
    ['a common method', { paymentMethods: 'CC' }, { pageNo: 1 }, ofDay / 3],
    ['a rarer method', { paymentMethods: 'VA' }, { pageNo: 1 }, ofDay / 6],
    ['a method that no payment has', { paymentMethods: 'WA' }, { pageNo: 1 }, 0],
    ['a common method, without a number', { paymentMethods: 'CC' }, {}, ofDay / 3],
    ['a common method, of an entity', { paymentMethods: 'CC', entityId: entity }, { pageNo: 1 }, ofDay / 3],
    ['a rarer method, of an entity', { paymentMethods: 'VA', entityId: entity }, { pageNo: 1 }, ofDay / 6],
  ])(
    'a query of one day, one type and %s reads each payment a few times',
    async (_what, asked, page, found) => {
      const { sql, plans } = recorder();
      plans.length = 0;
      const day = { 'date.from': '2026-10-05 00:00:00', 'date.to': '2026-10-05 23:59:59' };
      const request = { ...asked, ...day, paymentTypes: 'RF', limit: '100' };
      const { payments, pages } = await core.query(request, page, {});
      await sql`select`;
      expect(payments).toHaveLength(Math.min(found, 100));
      if ('pageNo' in page) expect(pages).toBe(found / 100);
      expect(plans.length).toBeGreaterThan(0);
      expect(Math.max(...plans.map(({ root }) => mostRowsHandled(root)))).toBeLessThanOrEqual(mostRows);
    },
  );
});
