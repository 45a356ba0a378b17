import { afterEach, beforeEach, expect, test } from 'vitest';
import { requireWholeSchema } from '../../../src/db/migration/check-schema.js';
import type { Sql } from '../../../src/db/client.js';
import { createFirstRelease, type FirstRelease } from './first-release.js';

let release: FirstRelease;
let sql: Sql;

beforeEach(async () => {
  release = await createFirstRelease();
  ({ sql } = release);
});
afterEach(() => release.remove());

/** id, type, result code, entity, referenced payment */
type OldPayment = readonly [string, string, string, string | null, string | null];

async function storePayments(...payments: readonly OldPayment[]): Promise<void> {
  for (const [id, type, code, entity, referenced] of payments) {
    await sql`
      insert into payments (id, payment_type, amount_minor, currency, result_code, entity_id, requested_at,
        referenced_payment_id)
      values (${id}, ${type}, 100, 'EUR', ${code}, ${entity}, '2026-11-01', ${referenced})`;
  }
}

const storeDetails = (id: string, environment: string) => sql`
  insert into payment_details (payment_key, environment, connector, parameters, answer, ndc, responded_at)
  select key, ${environment}, 'internal', '{}', '{}', 'n', '2026-11-01' from payments where id = ${id}`;

const storeEvent = (type: string, id: string) => sql`
  insert into payment_events (type, action, resource_id, payload, occurred_at)
  values (${type}, 'CREATED', ${id}, '{}', '2026-11-01')`;

test('an update from version 0.1.0 computes the outcomes of stored payments again', async () => {
  const outcomes = {
    '000.000.000': 'SUCCESS',
    '000.100.110': 'SUCCESS',
    '000.200.000': 'PENDING',
    '100.400.500': 'PENDING',
    '800.400.501': 'PENDING',
    '000.400.030': 'FAILED',
    '800.100.152': 'FAILED',
    '100.400.501': 'FAILED',
  };
  await storePayments(
    ...Object.keys(outcomes).map((code): OldPayment => [`of ${code}`, 'DB', code, null, null]),
  );
  const [before] = await sql`select outcome from payments where result_code = '100.400.500'`;
  expect(before).toEqual({ outcome: 'FAILED' });
  expect((await release.migrate()).length).toBeGreaterThan(0);
  const stored = await sql<{ code: string; outcome: string }[]>`
    select result_code as code, outcome from payments`;
  expect(Object.fromEntries(stored.map(({ code, outcome }) => [code, outcome]))).toEqual(outcomes);
  await requireWholeSchema(sql);
});

test('stored events get the environment and the entity of what they are about', async () => {
  await storePayments(
    ['test debit', 'DB', '000.100.110', 'shop', null],
    ['test refund', 'RF', '000.100.110', 'shop', 'test debit'],
    ['test authorisation', 'PA', '000.100.110', 'other shop', null],
    ['test capture', 'CP', '000.100.110', 'other shop', 'test authorisation'],
    // Booked by the reconciliation: neither details nor an entity.
    ['booked chargeback', 'CB', '000.100.220', null, 'test debit'],
    ['chargeback of the capture', 'CB', '000.100.220', null, 'test capture'],
    ['imported', 'DB', '000.000.000', 'imported shop', null],
    ['of the imported', 'CB', '000.100.220', null, 'imported'],
    ['live debit', 'DB', '000.000.000', 'shop', null],
  );
  for (const id of ['test debit', 'test refund', 'test authorisation']) await storeDetails(id, 'test');
  await storeDetails('live debit', 'live');
  await sql`
    insert into registrations (id, environment, entity_id, parameters, account_field, ndc, created_at)
    values ('registered', 'test', 'shop', '{}', 'card.number', 'n', '2026-11-01')`;
  const expected: Record<string, [string, string | null]> = {
    'test debit': ['test', 'shop'],
    'test refund': ['test', 'shop'],
    'booked chargeback': ['test', 'shop'],
    'chargeback of the capture': ['test', 'other shop'],
    'of the imported': ['live', 'imported shop'],
    'live debit': ['live', 'shop'],
    'no longer stored': ['live', null],
  };
  for (const id of Object.keys(expected)) await storeEvent('PAYMENT', id);
  await storeEvent('REGISTRATION', 'registered');
  await sql`update payment_events set acknowledged_at = '2026-11-02' where resource_id = 'live debit'`;
  await release.migrate();
  const events = await sql<{ id: string; environment: string; entity: string | null; open: boolean }[]>`
    select resource_id as id, environment, entity_id as entity, acknowledged_at is null as open
    from payment_events order by sequence`;
  expect(
    Object.fromEntries(events.map(({ id, environment, entity }) => [id, [environment, entity]])),
  ).toEqual({ ...expected, registered: ['test', 'shop'] });
  expect(events.filter(({ open }) => !open).map(({ id }) => id)).toEqual(['live debit']);
});

test('records, results and discrepancies are those of before', async () => {
  await storePayments(['paid', 'DB', '000.000.000', 'shop', null]);
  const tables = [
    'settlement_files',
    'settlement_records',
    'record_matches',
    'discrepancies',
    'rejected_rows',
  ];
  await sql.begin(async (tx) => {
    await tx`select set_config('recon.fence', token::text, true) from run_fence`;
    await tx`
      insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id)
      values (1, 'x', 'inbox', 'a.csv', 10, 'loaded', '2026-11-02', 1)`;
    await tx`
      insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type,
        cashflow, clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, amount_minor, currency,
        settlement_amount_minor, settlement_currency, settlement_fx_rate_hundredths, settlement_date,
        settlement_status, settlement_file_format, clearing_institute_name)
      select 1, line, gen_random_uuid(), 0, 'SETTLED', 'DEBIT', 'POS', 'c', 'm', 'p', 'm', 100, 'EUR', 100, 'EUR',
        100, '2026-11-02', 'SUCCESS', 'STANDARD', 'c'
      from generate_series(2, 3) line`;
    await tx`
      insert into record_matches (file_id, line, status, matched_by, payment_key, run_id)
      values (1, 2, 'MATCHED', 'UNIQUE_ID', (select key from payments), 1), (1, 3, 'NOT_MATCHED', null, null, 1)`;
    await tx`
      insert into discrepancies (id, code, severity, file_id, line, message, first_seen_run)
      values ('d', 'NOT_MATCHED', 'error', 1, 3, 'No payment belongs to it.', 1)`;
    await tx`insert into rejected_rows (file_id, line, raw_text, issues) values (1, 4, ';;', '[]')`;
  });
  const read = () =>
    Promise.all(
      tables.map((table) => sql`select * from ${sql(table)} order by 1, 2`.then((rows) => [...rows])),
    );
  const before = await read();
  await release.migrate();
  // Later versions added columns and renamed one. What was there is as it was.
  const expected = before.map((rows) =>
    rows.map(({ settled_run_id: finished, ...row }) =>
      finished === undefined ? row : { ...row, finished_run_id: finished as unknown },
    ),
  );
  expect(await read()).toMatchObject(expected);
});
