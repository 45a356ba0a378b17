import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import type { RunScope } from '../../src/db/run-scope.js';
import { FileResults } from '../../src/reporting/reconciled/file-results.js';
import { placesOfDays } from '../../src/reporting/reconciled/copy-rows-of-days.js';
import { reconcilableFiles } from '../../src/reporting/reconciled/reconciled-files.js';
import { candidatesAtOnce } from '../../src/reporting/reconciled/window-cuts.js';
import { noTotals } from '../../src/reporting/totals/file-totals.js';
import { silentProgress } from '../../src/progress.js';
import { runId } from '../../src/values/ids.js';
import { plainArchive } from '../support/archive.js';
import { rolledBack } from '../matching/scenario.js';
import { knowledge, setStatistics, type Knowledge } from './crowded-quarter.js';
import { plansOf, recorderOfTests, rowsRead } from './record-plans.js';

/**
 * A record may have a thousand candidates, and its cell MatchedTransactions 33 kB. What is read at once is limited by
 * the candidates and not by the lines: the results of 1,000 such records were one text of 33 MB, and those of more than
 * 16,000 are longer than a text may be, so that the run failed.
 */
const asOf = '2026-11-20';
const night: RunScope = { kind: 'run', runId: runId(1), asOf };
const day: RunScope = { kind: 'range', from: '2026-11-19', to: '2026-11-19', asOf };

/** Every second record has this many candidates. */
const candidates = 200;
const records = 600;
const pairs = (candidates * records) / 2;
const lines = Array.from({ length: records }, (_, index) => index + 2);
const isCrowded = (line: number) => line % 2 === 0;

const recorder = recorderOfTests();

async function storeFiles(tx: Tx): Promise<void> {
  await tx`
    insert into payments (key, id, payment_type, amount_minor, currency, result_code, requested_at)
    overriding system value
    select n, lpad(n::text, 32, '0'), 'DB', 100, 'EUR', '000.000.000', '2026-11-18T10:00:00Z'
    from generate_series(1, ${candidates}::int) n`;
  await tx`
    insert into settlement_files (id, sha256, source, name, report_name, size_bytes, status, received_at,
      received_run_id, finished_run_id, rows_total, rows_accepted, rows_already_known, first_settlement_date,
      last_settlement_date)
    select n, repeat(n::text, 64), 'test', 'file-' || n, 'file-' || n, 1, 'loaded', now(), n, 1, ${records}, ${records},
      case n when 2 then ${records}::int else 0 end, '2026-11-18', '2026-11-19'
    from generate_series(1, 2) n`;
  await tx`
    insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type, cashflow,
      clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, amount_minor, currency,
      settlement_amount_minor, settlement_currency, settlement_fx_rate_hundredths, settlement_date, settlement_status,
      settlement_file_format, clearing_institute_name)
    select 1, line, md5(line::text)::uuid, 1, 'SETTLED', 'DEBIT', 'POS', 'CI', lpad('', 32, 'a'), lpad('', 32, 'b'),
      lpad('', 32, 'm'), 100, 'EUR', 100, 'EUR', 100, '2026-11-19', 'SUCCESS', 'STANDARD', 'Acquirer'
    from unnest(${lines}::int[]) line`;
  await tx`
    insert into record_matches (file_id, line, status, matched_by, run_id)
    select 1, line, (case line % 2 when 0 then 'MULTIPLE_MATCHES' else 'NOT_MATCHED' end)::matching_status,
      (case line % 2 when 0 then 'SHORT_ID' end)::matched_by, 1
    from unnest(${lines}::int[]) line`;
  await tx`
    insert into match_candidates (file_id, line, payment_key)
    select 1, line, key from unnest(${lines}::int[]) line cross join payments where line % 2 = 0`;
  // The second file repeats the rows of the first.
  await tx`
    insert into already_known_rows (file_id, line, record_file_id, record_line)
    select 2, line, 1, line from unnest(${lines}::int[]) line`;
}

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  it.each([
    { run: 'a run', scope: night, file: 'the file that brought them', index: 0 },
    { run: 'a run', scope: night, file: 'a file that repeats them', index: 1 },
    { run: 'a re-run', scope: day, file: 'the file that brought them', index: 0 },
    { run: 'a re-run', scope: day, file: 'a file that repeats them', index: 1 },
  ])('$run reads the candidates of $file in several pieces', async ({ scope, index }) => {
    await rolledBack(recorder().sql, async (tx) => {
      await storeFiles(tx);
      await setStatistics(tx, kind);
      const file = (await reconcilableFiles(tx, scope))[index];
      if (file === undefined) throw new Error('there is no such file');
      const { result, plans } = await plansOf(recorder(), tx, async () => {
        const results = await FileResults.open(tx, scope, file);
        const found: number[] = [];
        for (const line of lines) {
          while (line >= results.end) await results.advance();
          const ids = results.take(line)?.matchedTransactions ?? '';
          found.push(ids === '' ? 0 : ids.split(',').length);
        }
        await results.close();
        return { found, skipped: results.skipped };
      });
      expect(result).toEqual({ found: lines.map((line) => (isCrowded(line) ? candidates : 0)), skipped: 0 });
      const read = plans
        .filter(({ statement }) => statement.includes('string_agg(t.line'))
        .map(({ root }) => rowsRead(root, 'match_candidates'));
      expect(read.reduce((sum, rows) => sum + rows)).toBe(pairs);
      expect(Math.max(...read)).toBeLessThanOrEqual(candidatesAtOnce + candidates);
    });
  });

  it('a re-run of a day reads a file with such rows whole, because each of them would be too long', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      await storeFiles(tx);
      await tx`insert into row_places (file_id, first_line, lines, offsets)
        select id, 2, array[2], array[0] from settlement_files`;
      await setStatistics(tx, kind);
      const reconciliation = {
        scope: day,
        archive: plainArchive('/nowhere'),
        stored: () => Promise.resolve({ ...noTotals, rows: 1 }),
        task: silentProgress.begin('reports', 0, 'rows'),
        stopIfAborted: () => undefined,
      };
      const placesOf = async () => {
        const files = await reconcilableFiles(tx, day);
        return Promise.all(files.map((file) => placesOfDays(tx, file, reconciliation)));
      };
      expect(await placesOf()).toEqual([null, null]);
      await tx`delete from match_candidates where payment_key > 100`;
      expect(await placesOf()).toEqual([
        { lines: [2], offsets: [0] },
        { lines: [2], offsets: [0] },
      ]);
    });
  });
});
