import { beforeAll, describe, expect, it } from 'vitest';
import { createPaymentCore, type PaymentCore } from '../../src/payment-core/index.js';
import { encryptionKeys, noon } from '../payment-core/support/test-core.js';
import { recorderOfTests, rowsRead } from './record-plans.js';

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

/** Nine of ten payments belong to one entity; another entity has the five oldest ones. */
const large = 'a'.repeat(32);
const small = 'b'.repeat(32);

beforeAll(async () => {
  const { sql } = recorder();
  core = await createPaymentCore({ sql, environment: 'test', encryptionKeys, clock: () => noon });
  await sql`
    insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, entity_id,
      account_number_last4, referenced_payment_id)
    select md5(n::text), case when n % 4 = 0 then 'RF' else 'DB' end, 100, 'EUR', '000.000.000',
      '2026-11-01'::timestamptz + make_interval(secs => n),
      case when n <= 5 then ${small} when n % 10 = 0 then md5((n % 30)::text) else ${large} end,
      case when n % 3 > 0 then '1234' end, case when n % 4 = 0 then md5((n - 1)::text) end
    from generate_series(1, ${stored}::int) n`;
  await sql`
    insert into payment_details (payment_key, environment, connector, payment_method, parameters, answer, ndc,
      responded_at)
    select key, 'test', 'simulator', 'CC', '{"amount":"1.00"}', '{}', 'ndc', requested_at from payments
    where key % 2 = 0`;
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
