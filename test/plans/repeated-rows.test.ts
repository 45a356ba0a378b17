import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import type { RunScope } from '../../src/db/run-scope.js';
import { sumAcceptedRows } from '../../src/reporting/totals/sum-accepted-rows.js';
import { fileId, runId } from '../../src/values/ids.js';
import { matchScope, settings } from '../matching/findings.js';
import { rolledBack } from '../matching/scenario.js';
import { knowledge, setStatistics, type Knowledge } from './crowded-quarter.js';
import { recorderOfTests, statementsBeyond } from './record-plans.js';

/**
 * A file that brings the records of an earlier one again, which was withdrawn, may not cost the square of them: the
 * totals of 4,000 such rows took 3.8 seconds. Rows are counted and not seconds, so a busy machine changes nothing.
 */
const records = 1_000;
const day: RunScope = { kind: 'range', from: '2026-11-19', to: '2026-11-19', asOf: '2026-11-20' };

/** Each repeated row compared with each handles 1,000,000 rows. */
const mostRows = 30 * records;

const recorder = recorderOfTests();

/** A withdrawn file, and two later ones that bring all its records again. */
async function storeRepeats(tx: Tx): Promise<void> {
  await tx`
    insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id,
      finished_run_id, rows_total, rows_accepted, rows_already_known, first_settlement_date, last_settlement_date)
    select n, repeat(n::text, 64), 'test', 'file-' || n, 1, 'loaded', now(), 1, 1, ${records}, ${records},
      case n when 1 then 0 else ${records} end, '2026-11-19', '2026-11-19'
    from generate_series(1, 3) n`;
  await tx`
    insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type, cashflow,
      clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, settlement_tx_id, unique_id,
      amount_minor, currency, brand, settlement_amount_minor, settlement_currency, settlement_fx_rate_hundredths,
      settlement_date, settlement_status, settlement_file_format, clearing_institute_name)
    select 1, 1 + n, md5(n::text)::uuid, 1, 'SETTLED', 'DEBIT', 'POS', 'CI-471100', lpad('', 32, 'a'),
      lpad('', 32, 'b'), lpad('', 32, 'm'), 'tx-' || n, lpad(n::text, 32, 'p'), 100, 'EUR', 'VISA', 100, 'EUR', 100,
      '2026-11-19', 'SUCCESS', 'STANDARD', 'Acquirer'
    from generate_series(1, ${records}) n`;
  await tx`
    insert into already_known_rows (file_id, line, record_file_id, record_line)
    select file, line, 1, line from settlement_records cross join generate_series(2, 3) file`;
  await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
    values (1, 'withdraw', 'wrong file', 'finance', now())`;
}

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  it('rows that repeat those of a withdrawn file are added up in proportion to their number', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      await storeRepeats(tx);
      await matchScope(tx, day, { ...settings, runId: runId(2) });
      await setStatistics(tx, kind);
      const work = () => sumAcceptedRows(tx, day);
      const { beyond } = await statementsBeyond(recorder(), tx, { mostRows, work });
      expect(beyond).toEqual([]);
    });
  });

  it('few rows that repeat those of a large file do not read the whole file', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      await storeRepeats(tx);
      const few = 20;
      await tx`
        insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id,
          finished_run_id, rows_total, rows_accepted, rows_already_known, first_settlement_date, last_settlement_date)
        values (4, repeat('4', 64), 'test', 'file-4', 1, 'loaded', now(), 2, 2, ${few}, ${few}, ${few}, '2026-11-19',
          '2026-11-19')`;
      await tx`
        insert into already_known_rows (file_id, line, record_file_id, record_line)
        select 4, n + 1, 1, n * 40 from generate_series(1, ${few}) n`;
      await setStatistics(tx, kind);
      const run: RunScope = { kind: 'run', runId: runId(2), asOf: '2026-11-20' };
      const work = () => sumAcceptedRows(tx, run);
      const { result, beyond } = await statementsBeyond(recorder(), tx, { mostRows: records / 2, work });
      expect(result.byFile.get(fileId(4))).toMatchObject({ rows: few });
      expect(beyond).toEqual([]);
    });
  });
});
