import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { recordMatches } from '../../src/db/schema/matches.js';
import { payments } from '../../src/db/schema/payments.js';
import { settlementRecords } from '../../src/db/schema/settlements.js';
import { matchRun } from '../matching/findings.js';
import { rolledBack } from '../matching/scenario.js';
import { setStatistics } from './crowded-quarter.js';
import { storeLoadedFile } from './loaded-file.js';
import { plansOf, recorderOfTests, rowsRead } from './record-plans.js';

/**
 * A run looks up the payments of its records by every key, their families, and what it stored before. Each look-up must
 * use the index of its key, whatever the statistics say. With old ones, the server once chose an index of the entity
 * instead of the one of the attributes, and read all payments of the entity for each record. Where all payments had the
 * same ShortId by the statistics, it read the table for each.
 */
const stored = 20_000;
const earlier = 6_000;
const records = 240;
/**
 * A statement reads the few payments of each record several times. A wrong index reads thousands for each. The records
 * of the run are in the part of the earlier ones, which are so few that a statement may read all of them once.
 */
const mostRows = {
  payments: 10 * records,
  settlement_records: 2 * (earlier + records),
  record_matches: 2 * (earlier + records),
};

const recorder = recorderOfTests();

/**
 * One entity has nearly all payments. Of each four, a capture and its refund follow their preauthorisation. They are
 * hours apart: where the statistics say that all have the same attributes, the server looks at those of two days.
 */
async function storePayments(tx: Tx, table: string, count: number): Promise<void> {
  await tx`
    insert into ${tx(table)} (id, short_id, payment_type, payment_brand, amount_minor, currency, result_code,
      merchant_transaction_id, entity_id, connector_tx_id1, connector_tx_id2, connector_tx_id3, account_number_last4,
      requested_at, referenced_payment_id)
    select lpad(n::text, 32, 'p'), 'short-' || n, (array['DB', 'PA', 'CP', 'RF'])[1 + n % 4], 'VISA', 100 + n % 997, 'EUR',
      '000.000.000', 'order-' || n, lpad('', 32, case when n % 50 = 0 then 'b' else 'a' end), 'one-' || n, 'two-' || n,
      'three-' || n, lpad((n % 200)::text, 4, '0'), '2020-01-01T10:00:00Z'::timestamptz + n * interval '2 hours',
      case when n % 4 > 1 then lpad((n - 1)::text, 32, 'p') end
    from generate_series(1, ${count}::int) n`;
}

/** Each record is about a payment of another kind, and the payments are far from each other. */
async function storeRecords(
  tx: Tx,
  file: number,
  { from, count, day }: { from: number; count: number; day: string },
) {
  await storeLoadedFile(tx, file, count, day);
  await tx`
    insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type, cashflow,
      clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, unique_id, short_id, connector_tx_id1,
      connector_tx_id2, connector_tx_id3, amount_minor, currency, brand, tx_request_time, settlement_amount_minor,
      settlement_currency, settlement_fx_rate_hundredths, settlement_date, settlement_status, account_number_last4,
      reason_code, settlement_file_format, clearing_institute_name)
    select ${file}::int, 1 + i, md5(${file}::text || '/' || i)::uuid, 1, case kind when 7 then 'CHARGEBACK'
        when 8 then 'CHARGEBACK REVERSAL' else 'SETTLED' end, 'DEBIT', case kind when 7 then 'NEG' else 'POS' end, 'CI',
      p.entity_id, lpad('', 32, 'b'), lpad('', 32, 'm'), case when kind in (0, 6, 7, 8) then p.id end,
      case kind when 1 then p.short_id end, case kind when 2 then p.connector_tx_id1 end,
      case kind when 3 then p.connector_tx_id2 end, case kind when 4 then p.connector_tx_id3 end,
      p.amount_minor + case when kind = 9 then 1 else 0 end, p.currency, p.payment_brand,
      case when kind in (5, 9) then p.requested_at end, p.amount_minor, p.currency, 100, ${day}::text::date, 'SUCCESS',
      case when kind in (5, 9) then p.account_number_last4 end, case kind when 7 then '000.100.220' end, 'STANDARD',
      'Acquirer'
    from generate_series(1, ${count}::int) i
    cross join lateral (select i % 10 as kind) k
    -- A reversal names the payment of the chargeback before it, and kind 6 a preauthorisation.
    cross join lateral (select 4 * ((${from}::int + i - case kind when 8 then 1 else 0 end) * 37 % ${stored / 4}::int)
      + case kind when 6 then 1 else 4 end as place) w
    join payments p on p.id = lpad(place::text, 32, 'p')`;
}

beforeAll(async () => {
  const { sql } = recorder();
  await sql.begin(async (tx) => {
    await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
    await storePayments(tx, 'payments', stored);
    await storeRecords(tx, 2, { from: 1000, count: earlier, day: '2026-09-01' });
    await matchRun(tx, 2);
    await matchRun(tx, 3);
    await storeRecords(tx, 4, { from: 0, count: records, day: '2026-11-19' });
  });
});

/** The rows that each statement of a run reads, where they are too many. */
async function beyondOf(tx: Tx): Promise<readonly object[]> {
  const { plans } = await plansOf(recorder(), tx, () => matchRun(tx, 4));
  expect(plans.length).toBeGreaterThan(50);
  const [outcome] = await tx`select count(*) filter (where matched_by = 'UNIQUE_ID')::int as unique_id,
    count(*) filter (where matched_by = 'SHORT_ID')::int as short_id,
    count(*) filter (where matched_by = 'CONNECTOR_TX_ID')::int as connector_tx_id,
    count(*) filter (where matched_by = 'ATTRIBUTES')::int as attributes,
    count(*) filter (where matched_through = 'REFERENCE')::int as reference,
    (select count(*)::int from chargeback_links where file_id = 4) as links
    from record_matches where file_id = 4`;
  const each = records / 10;
  expect(outcome).toEqual({
    unique_id: 4 * each,
    short_id: each,
    connector_tx_id: 3 * each,
    attributes: each,
    reference: each,
    links: 2 * each,
  });
  return plans.flatMap(({ statement, root }) =>
    Object.entries(mostRows)
      .map(([table, most]) => ({ rows: rowsRead(root, table), most, table, statement }))
      .filter(({ rows, most }) => rows > most),
  );
}

describe('the look-ups of a run read a few rows for each record', () => {
  it.each(['fresh', 'missing', 'stale'] as const)('with %s statistics', async (kind) => {
    await rolledBack(recorder().sql, async (tx) => {
      await setStatistics(tx, kind);
      expect(await beyondOf(tx)).toEqual([]);
    });
  });

  it.each([
    ['an almost empty table', '10'],
    ['a table without identifiers', '1000'],
  ])('with the statistics of %s', async (what, count) => {
    await rolledBack(recorder().sql, async (tx) => {
      await setStatistics(tx, 'fresh');
      await tx`create table other_payments (like payments including generated including identity)`;
      await storePayments(tx, 'other_payments', Number(count));
      if (what === 'a table without identifiers') {
        await tx`update other_payments set short_id = null, connector_tx_id1 = null, connector_tx_id2 = null,
          connector_tx_id3 = null, account_number_last4 = null, referenced_payment_id = null, entity_id = id`;
      }
      await tx`analyze other_payments`;
      await takeStatistics(tx, 'other_payments', 'payments');
      expect(await beyondOf(tx)).toEqual([]);
    });
  });

  const indexes = [payments, settlementRecords, recordMatches].flatMap((table) =>
    indexesOf(table).map(({ index, column }) => ({ table: getTableConfig(table).name, index, column })),
  );

  it.each(indexes)('with statistics that favour $index', async ({ table, column }) => {
    await rolledBack(recorder().sql, async (tx) => {
      await setStatistics(tx, 'fresh');
      await favour(tx, table, column);
      expect(await beyondOf(tx)).toEqual([]);
    });
  });
});

/** The indexes of a table, each with its first column. */
function indexesOf(table: PgTable): readonly { readonly index: string; readonly column: string }[] {
  const { indexes, primaryKeys, columns } = getTableConfig(table);
  return [
    ...columns
      .filter(({ primary }) => primary)
      .map(({ name }) => ({ index: 'its primary key', column: name })),
    ...primaryKeys.map((key) => ({ index: key.getName(), column: key.columns[0]?.name ?? '' })),
    ...indexes.map(({ config }) => {
      const [first] = config.columns;
      return {
        index: config.name ?? '',
        column: first !== undefined && 'name' in first ? (first.name ?? '') : '',
      };
    }),
  ];
}

/** The column has another value in each row, and every other column has the same in all. */
async function favour(tx: Tx, table: string, column: string): Promise<void> {
  const { count } = await tx`
    update pg_statistic s set stanullfrac = 0, stadistinct = case when a.attname = ${column} then -1 else 1 end,
      stakind1 = 0, stakind2 = 0, stakind3 = 0, stakind4 = 0, stakind5 = 0,
      stanumbers1 = null, stanumbers2 = null, stanumbers3 = null, stanumbers4 = null, stanumbers5 = null,
      stavalues1 = null, stavalues2 = null, stavalues3 = null, stavalues4 = null, stavalues5 = null
    from pg_attribute a
    where a.attrelid = s.starelid and a.attnum = s.staattnum and s.starelid in (
      select ${table}::regclass union all select relid from pg_partition_tree(${table}::regclass))`;
  expect(count).toBeGreaterThan(0);
}

/** Gives a table the statistics of another one with the same columns. */
async function takeStatistics(tx: Tx, from: string, to: string): Promise<void> {
  const { count } = await tx`
    update pg_statistic s set stanullfrac = o.stanullfrac, stadistinct = o.stadistinct, stakind1 = o.stakind1,
      stakind2 = o.stakind2, stakind3 = o.stakind3, stakind4 = o.stakind4, stakind5 = o.stakind5,
      stanumbers1 = o.stanumbers1, stanumbers2 = o.stanumbers2, stanumbers3 = o.stanumbers3,
      stanumbers4 = o.stanumbers4, stanumbers5 = o.stanumbers5, stavalues1 = o.stavalues1, stavalues2 = o.stavalues2,
      stavalues3 = o.stavalues3, stavalues4 = o.stavalues4, stavalues5 = o.stavalues5
    from pg_statistic o
    join pg_attribute theirs on theirs.attrelid = o.starelid and theirs.attnum = o.staattnum
    join pg_attribute ours on ours.attname = theirs.attname
    where o.starelid = ${from}::regclass and ours.attrelid = ${to}::regclass and s.starelid = ours.attrelid
      and s.staattnum = ours.attnum`;
  expect(count).toBeGreaterThan(0);
}
