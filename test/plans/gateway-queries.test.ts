import { beforeAll, describe, expect, it } from 'vitest';
import { createPaymentCore, type PaymentCore } from '../../src/payment-core/index.js';
import { encryptionKeys, noon } from '../payment-core/support/test-core.js';
import { recorderOfTests, rowsRead, type ExecutedPlan } from './record-plans.js';

/*
 * Queries of merchants, with the payments of all of them stored. The first page of one entity once read every payment
 * and the details of every payment, and so did what is linked to one payment.
 */
const stored = 20_000;
/** The smallest that may be requested. */
const pageSize = 100;
/** Some rows are read to find out where a page ends, and each payment may have details. */
const mostRows = 10 * pageSize;

const recorder = recorderOfTests();
let core: PaymentCore;

/** Nine of ten payments belong to one entity; another entity has the five oldest ones, and the only method VA. */
const large = 'a'.repeat(32);
const small = 'b'.repeat(32);

beforeAll(async () => {
  const { sql } = recorder();
  core = await createPaymentCore({ sql, environment: 'test', encryptionKeys, clock: () => noon });
  await sql`
    insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, entity_id,
      account_number_last4, referenced_payment_id)
    select md5(n::text), case when n = 7 then 'CD' when n % 4 = 0 then 'RF' else 'DB' end, 100, 'EUR', '000.000.000',
      '2026-11-01'::timestamptz + make_interval(secs => n),
      case when n <= 5 then ${small} when n % 10 = 0 then md5((n % 30)::text) else ${large} end,
      case when n % 3 > 0 then '1234' end, case when n % 4 = 0 then md5((n - 1)::text) end
    from generate_series(1, ${stored}::int) n`;
  await sql`
    insert into payment_details (payment_key, environment, connector, payment_method, parameters, answer, ndc,
      responded_at)
    select key, 'test', 'simulator', case when key <= 5 then 'VA' when key = 8 then 'DD' else 'CC' end,
      '{"amount":"1.00"}', '{}', 'ndc', requested_at from payments where key % 2 = 0`;
});

describe.each(['without statistics', 'with statistics'])('%s', (kind) => {
  beforeAll(async () => {
    if (kind === 'with statistics') await recorder().sql`analyze`;
  });

  const limit = `${pageSize}`;
  it.each([
    ['of a large entity', large, { limit }, pageSize],
    ['of a large entity with what is linked', large, { limit, includeLinkedTransactions: 'true' }, pageSize],
    ['of a small entity', small, { limit }, 5],
    ['of a small entity by type', small, { limit, paymentTypes: 'RF' }, 1],
    ['of an entity without payments', 'c'.repeat(32), { limit }, 0],
    ['of a type that an entity used once', large, { limit, paymentTypes: 'CD' }, 1],
    ['of types that an entity never used', large, { limit, paymentTypes: 'CB,CR,IV' }, 0],
    [
      'of old days',
      large,
      { limit, 'date.from': '2026-11-01 00:01:00', 'date.to': '2026-11-01 00:02:00' },
      50,
    ],
    [
      'of days before all',
      large,
      { limit, 'date.from': '2026-10-01 00:00:00', 'date.to': '2026-10-02 00:00:00' },
      0,
    ],
  ])('the first page %s reads its payments alone', async (_what, entityId, request, least) => {
    const { sql, plans } = recorder();
    plans.length = 0;
    const { payments = [] } = await core.query({ ...request, entityId }, {}, { entityIds: [entityId] });
    await sql`select`;
    expect(payments.length).toBeGreaterThanOrEqual(least);
    const read = (table: string) => plans.reduce((rows, { root }) => rows + rowsRead(root, table), 0);
    expect({ payments: read('payments'), details: read('payment_details') }).toEqual({
      payments: expect.toSatisfy((rows: number) => rows <= mostRows) as unknown,
      details: expect.toSatisfy((rows: number) => rows <= mostRows) as unknown,
    });
  });

  it.each([
    ['that an entity used once', 'DD', 1],
    ['that only others used', 'VA', 0],
    ['that nobody used', 'WA', 0],
  ])(
    'the first page of a method %s reads few details, and payments in the index',
    async (_what, code, found) => {
      const { sql, plans } = recorder();
      plans.length = 0;
      const { payments, pages } = await core.query(
        { limit, entityId: large, paymentMethods: code },
        { pageNo: 1 },
        { entityIds: [large] },
      );
      await sql`select`;
      expect([payments?.length, pages]).toEqual([found, found]);
      const read = (table: string) => plans.reduce((rows, { root }) => rows + rowsRead(root, table), 0);
      expect({ payments: read('payments'), details: read('payment_details') }).toEqual({
        payments: expect.toSatisfy((rows: number) => rows <= mostRows) as unknown,
        details: expect.toSatisfy((rows: number) => rows <= mostRows) as unknown,
      });
    },
  );

  it('the pages of an entity are counted without details, also if a few payments are of the other environment', async () => {
    const { sql, plans } = recorder();
    const count = async () => {
      plans.length = 0;
      const { pages = 0 } = await core.query({ limit, entityId: large }, { pageNo: 1 }, {});
      await sql`select`;
      return pages;
    };
    const pages = await count();
    expect(plans.reduce((rows, { root }) => rows + rowsRead(root, 'payment_details'), 0)).toBeLessThan(
      mostRows,
    );
    const giveTo = (environment: string) =>
      sql`update payment_details set environment = ${environment} where payment_key between 1000 and 1500`;
    await giveTo('live');
    const fewer = await count();
    const read = plans.reduce((rows, { root }) => rows + rowsRead(root, 'payment_details'), 0);
    await giveTo('test');
    expect(fewer).toBe(pages - 2);
    expect(read).toBeLessThan(2 * mostRows);
  });

  it('what is linked to one payment is found without reading all payments', async () => {
    const { sql, plans } = recorder();
    const [refund] = await sql<{ id: string }[]>`select id from payments where payment_type = 'RF' limit 1`;
    plans.length = 0;
    const { payments = [] } = await core.query(
      { includeLinkedTransactions: 'true' },
      { id: refund?.id ?? '' },
      {},
    );
    await sql`select`;
    expect(payments).toHaveLength(2);
    const read = (table: string) => plans.reduce((rows, { root }) => rows + rowsRead(root, table), 0);
    expect(read('payments')).toBeLessThan(mostRows);
    expect(read('payment_details')).toBeLessThan(mostRows);
  });
});

/** How often a plan looked into the details of payments. */
function lookUps({ Plans = [], ...node }: ExecutedPlan['root']): number {
  const own = node['Relation Name'] === 'payment_details' ? (node['Actual Loops'] ?? 0) : 0;
  return Plans.reduce((sum, child) => sum + lookUps(child), own);
}

it('the pages of an entity are counted without details, also if the statistics are wrong', async () => {
  const { sql, plans } = recorder();
  await sql`delete from pg_statistic where starelid in ('payments'::regclass, 'payment_details'::regclass)`;
  // Few payments, and many details of the other environment.
  await sql`update pg_class set relpages = 1, reltuples = 1 where oid = 'payments'::regclass`;
  await sql`update pg_class set relpages = 1, reltuples = 5000
    where oid in ('payment_details'::regclass, 'payment_details_method'::regclass)`;
  plans.length = 0;
  await core.query({ limit: `${pageSize}`, entityId: large }, { pageNo: 1 }, {});
  await sql`select`;
  const read = plans.reduce((sum, { root }) => sum + lookUps(root), 0);
  await sql`analyze payments, payment_details`;
  expect(read).toBeLessThan(mostRows);
});
