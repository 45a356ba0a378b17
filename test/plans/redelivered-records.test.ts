import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import type { RunScope } from '../../src/db/run-scope.js';
import type { Corrections } from '../../src/matching/deliveries/list-suspects.js';
import { runId } from '../../src/values/ids.js';
import { matchScope, settings } from '../matching/findings.js';
import { rolledBack } from '../matching/scenario.js';
import { knowledge, setStatistics, type Knowledge } from './crowded-quarter.js';
import { plansOf, recorderOfTests, statementsAbove } from './record-plans.js';

/**
 * A record that each of many files delivers with other cells may not cost statements for each delivery, nor the square
 * of the deliveries: each took 20 ms in every re-run. Statements and rows are counted and not seconds, so a busy
 * machine changes nothing.
 */
const files = 300;
/** Each delivery compared with each handles 90,000 rows. */
const mostRows = 50 * files;
const day: RunScope = { kind: 'range', from: '2026-11-19', to: '2026-11-19', asOf: '2026-11-20' };

const recorder = recorderOfTests();

/** Files of one source with a record each: the same record with another amount. */
async function storeDeliveries(tx: Tx): Promise<void> {
  await tx`
    insert into payments (id, payment_type, payment_brand, amount_minor, currency, result_code, entity_id, requested_at)
    values (lpad('1', 32, 'p'), 'DB', 'VISA', 10000, 'EUR', '000.000.000', lpad('', 32, 'a'), '2026-11-18T10:00:00Z')`;
  await tx`
    insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id,
      finished_run_id, rows_total, rows_accepted, first_settlement_date, last_settlement_date)
    select n, encode(sha256(convert_to(n::text, 'UTF8')), 'hex'), 'test', 'file-' || n, 1, 'loaded', now(), 1, 1, 1, 1,
      '2026-11-19', '2026-11-19'
    from generate_series(1, ${files}) n`;
  await tx`
    insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type, cashflow,
      clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, settlement_tx_id, unique_id,
      amount_minor, currency, brand, settlement_amount_minor, settlement_currency, settlement_fx_rate_hundredths,
      settlement_date, settlement_status, settlement_file_format, clearing_institute_name)
    select n, 2, md5(n::text)::uuid, 1, 'SETTLED', 'DEBIT', 'POS', 'CI-471100', lpad('', 32, 'a'), lpad('', 32, 'b'),
      lpad('', 32, 'm'), 'tx', lpad('1', 32, 'p'), 10000 + n, 'EUR', 'VISA', 10000 + n, 'EUR', 100, '2026-11-19',
      'SUCCESS', 'STANDARD', 'Acquirer'
    from generate_series(1, ${files}) n`;
}

/** A row for each file and reason, with the file that the record is compared with or superseded by. */
async function uncounted(tx: Tx): Promise<readonly string[]> {
  const rows = await tx<{ text: string }[]>`
    select concat_ws(' ', file_id, reason, other_file_id) as text from uncounted_records order by file_id`;
  return rows.map(({ text }) => text);
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  it.each<[string, Corrections, readonly string[]]>([
    ['wait for a decision', {}, numbers(2, files).map((file) => `${file} REDELIVERED 1`)],
    [
      'replace each other',
      { test: 'replace' },
      numbers(1, files - 1).map((file) => `${file} SUPERSEDED ${file + 1}`),
    ],
    ['all count', { test: 'add' }, []],
  ])(
    'deliveries of one record that %s cost as many statements as few of them',
    async (_what, corrections, expected) => {
      await rolledBack(recorder().sql, async (tx) => {
        await storeDeliveries(tx);
        await setStatistics(tx, kind);
        for (const run of [2, 3]) {
          const work = () => matchScope(tx, day, { ...settings, corrections, runId: runId(run) });
          const { plans } = await plansOf(recorder(), tx, work);
          expect(plans.length).toBeLessThan(files);
          expect(statementsAbove(plans, mostRows)).toEqual([]);
        }
        expect(await uncounted(tx)).toEqual(expected);
      });
    },
  );

  it('rows that repeat other records are not read', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      await storeDeliveries(tx);
      await storeRepeatedRows(tx);
      await setStatistics(tx, kind);
      const work = () => matchScope(tx, day, { ...settings, corrections: {}, runId: runId(2) });
      const { plans } = await plansOf(recorder(), tx, work);
      expect(statementsAbove(plans, mostRows)).toEqual([]);
    });
  });

  it('decisions about as many records of two files cost as many statements and rows as few of them', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      await storeDeliveries(tx);
      // One file has all of the former records, and one all of the later ones, about which somebody decided first.
      const half = files / 2;
      await tx`update settlement_records set file_id = case when file_id = 1 then 1 when file_id <= ${half} then 2 else 3 end,
        line = file_id + 1`;
      await setStatistics(tx, kind);
      await decide(tx, 3, 'supersede');
      await decide(tx, 2, 'keep-both');
      const work = () => matchScope(tx, day, { ...settings, corrections: {}, runId: runId(2) });
      const { plans } = await plansOf(recorder(), tx, work);
      expect(plans.length).toBeLessThan(files);
      expect(statementsAbove(plans, mostRows)).toEqual([]);
      // What only a later decision made count is not replaced.
      expect(await uncounted(tx)).toEqual(['1 SUPERSEDED 3']);
    });
  });
});

/** Rows of files that bring everything of the month again. */
const repeatedRows = 100 * files;

async function storeRepeatedRows(tx: Tx): Promise<void> {
  await tx`
    insert into already_known_rows (file_id, line, record_file_id, record_line)
    select ${files + 1}::int, n, ${files + 2}::int, n from generate_series(1, ${repeatedRows}) n`;
}

/** Somebody decides about every record of a file. */
async function decide(tx: Tx, file: number, kind: 'supersede' | 'keep-both'): Promise<void> {
  await tx`
    insert into decisions (item, file_id, line, kind, basis, author, decided_on, decided_at, origin)
    select 'record:' || ${file}::int || ':' || line, file_id, line, ${kind}, '', 'finance', '2026-11-20', now(), 'filter'
    from settlement_records where file_id = ${file}`;
}
