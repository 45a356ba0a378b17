import type { Tx } from '../../src/db/client.js';

/** How much is stored; a plan that multiplies two of these is a hundred times beyond their sum. */
export const crowd = { payments: 6000, records: 3000, files: 30, days: 90 } as const;

/**
 * Stores payments and records of a quarter in which every step of matching has hundreds of rows to look at: records
 * that no key finds, that several payments fit, that contradict their payment, split settlements, chargebacks with and
 * without reversals, reversed payments, and payments that nobody settles.
 */
export async function storeCrowdedQuarter(tx: Tx): Promise<void> {
  const { payments, records, files } = crowd;
  const perFile = records / files;
  await tx`
    insert into payments (id, short_id, payment_type, payment_brand, amount_minor, currency, result_code, entity_id,
      connector_tx_id1, account_number_last4, requested_at, referenced_payment_id)
    select lpad(n::text, 32, 'p'), 's' || n / 2, case when n % 10 = 9 then 'RV' else 'DB' end, 'VISA', 10000, 'EUR',
      case when n % 17 = 0 then '000.200.000' else '000.000.000' end, lpad((n % 7)::text, 32, 'a'), 'c' || n / 2,
      lpad((n % 50)::text, 4, '0'), '2026-08-22T10:00:00Z'::timestamptz + n % 90 * interval '1 day',
      case when n % 10 = 9 then lpad((n - 1)::text, 32, 'p') end
    from generate_series(1, ${payments}) n`;
  await tx`
    insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id,
      finished_run_id, rows_total, rows_accepted, first_settlement_date, last_settlement_date)
    select n, encode(sha256(convert_to(n::text, 'UTF8')), 'hex'), 'test', 'file-' || n, 1, 'loaded', now(), 1, 1,
      ${perFile}, ${perFile}, '2026-08-22', '2026-11-20'
    from generate_series(1, ${files}) n`;
  await tx`
    insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type, cashflow,
      clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, unique_id, short_id, connector_tx_id1,
      amount_minor, currency, brand, tx_request_time, settlement_amount_minor, settlement_currency,
      settlement_fx_rate_hundredths, settlement_date, settlement_status, account_number_last4, reason_code,
      settlement_file_format, clearing_institute_name)
    select 1 + n % ${files}, 2 + n / ${files}, md5(n::text)::uuid, 1,
      case n % 13 when 3 then 'CHARGEBACK' when 4 then 'CHARGEBACK REVERSAL' else 'SETTLED' end, 'DEBIT',
      case n % 13 when 3 then 'NEG' else 'POS' end, 'CI', lpad((n % 7)::text, 32, 'a'), lpad('', 32, 'b'),
      lpad('', 32, 'm'), case when n % 4 <> 1 then lpad((n - n % 13 % 2)::text, 32, 'p') end,
      case when n % 4 = 1 and n % 3 = 0 then 's' || n / 2 end, case when n % 4 = 1 and n % 3 = 1 then 'c' || n / 2 end,
      case n % 5 when 0 then 9000 else 10000 end, 'EUR', 'VISA',
      '2026-08-22T10:00:00Z'::timestamptz + n % 90 * interval '1 day', case n % 5 when 0 then 9000 else 10000 end,
      'EUR', case n % 11 when 0 then 200 else 100 end, '2026-08-22'::date + n % 90, 'SUCCESS',
      lpad((n % 50)::text, 4, '0'), '000.100.220', 'STANDARD', 'Acquirer'
    from generate_series(0, ${records - 1}) n`;
}

/** What the planner knows about the stored rows. */
export const knowledge = ['fresh', 'missing', 'stale'] as const;
export type Knowledge = (typeof knowledge)[number];

/**
 * Gives the planner statistics of a kind, about every table. The stale ones are the worst there can be: rows have been
 * added of which nothing is known, so every condition is expected to find one row. Sizes are always known, since the
 * server looks at the files of a table itself.
 */
export async function setStatistics(tx: Tx, kind: Knowledge): Promise<void> {
  const isTable = tx`c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`;
  const tables = await tx<{ name: string }[]>`select c.relname as name from pg_class c where ${isTable}`;
  for (const { name } of tables) await tx`analyze ${tx(name)}`;
  const theirs = tx`starelid in (select c.oid from pg_class c where ${isTable})`;
  if (kind === 'missing') await tx`delete from pg_statistic where ${theirs}`;
  if (kind !== 'stale') return;
  await tx`
    update pg_statistic set stanullfrac = 0, stadistinct = -1,
      stakind1 = 0, stakind2 = 0, stakind3 = 0, stakind4 = 0, stakind5 = 0,
      stanumbers1 = null, stanumbers2 = null, stanumbers3 = null, stanumbers4 = null, stanumbers5 = null,
      stavalues1 = null, stavalues2 = null, stavalues3 = null, stavalues4 = null, stavalues5 = null
    where ${theirs}`;
}
