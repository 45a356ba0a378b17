import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import type { RunScope } from '../../src/db/run-scope.js';
import { runId } from '../../src/values/ids.js';
import { matchScope, settings } from '../matching/findings.js';
import { rolledBack } from '../matching/scenario.js';
import { knowledge, setStatistics, type Knowledge } from './crowded-quarter.js';
import { readReport } from './read-report.js';
import { recorderOfTests, type StatementBeyond, statementsBeyond } from './record-plans.js';

/**
 * A night of many small files, all of which are withdrawn later, may not cost the square of their number. Rows are
 * counted and not seconds, so a busy machine changes nothing.
 */
const files = 1_000;
const asOf = '2026-11-20';

/** Each file compared with each handles 1,000,000 rows. */
const mostRows = 50 * files;

const recorder = recorderOfTests();

/** Payments without a settlement fall due on the days of the files, and one record of ten contradicts its payment. */
async function storePayments(tx: Tx): Promise<void> {
  await tx`
    insert into payments (id, payment_type, payment_brand, amount_minor, currency, result_code, entity_id, requested_at)
    select lpad(n::text, 32, 'p'), 'DB', 'VISA', case n % 10 when 0 then 200 else 100 end, 'EUR', '000.000.000',
      lpad('', 32, 'a'), '2026-11-08T10:00:00Z'::timestamptz + n % 10 * interval '1 day'
    from generate_series(1, ${2 * files}) n`;
}

/** Files of one record each, from the given id on. Each second one also brings the record of the file before it. */
async function storeFiles(tx: Tx, first: number, run: number): Promise<void> {
  await tx`
    insert into settlement_files (id, sha256, source, name, report_name, size_bytes, status, received_at,
      received_run_id, finished_run_id, rows_total, rows_accepted, rows_already_known, first_settlement_date,
      last_settlement_date)
    select n, encode(sha256(convert_to(n::text, 'UTF8')), 'hex'), 'test', 'file-' || n, 'file-' || n, 1, 'loaded',
      now(), ${run}::int, ${run}::int, 1 + n % 2, 1 + n % 2, n % 2, '2026-11-10'::date + n % 10, '2026-11-19'
    from generate_series(${first}::int, ${first + files - 1}::int) n`;
  await tx`
    insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type, cashflow,
      clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, settlement_tx_id, unique_id,
      amount_minor, currency, brand, settlement_amount_minor, settlement_currency, settlement_fx_rate_hundredths,
      settlement_date, settlement_status, settlement_file_format, clearing_institute_name)
    select n, 2, md5(n::text)::uuid, 1, case n % 20 when 1 then 'CHARGEBACK' else 'SETTLED' end, 'DEBIT', 'POS',
      'CI-471100', lpad('', 32, 'a'), lpad('', 32, 'b'), lpad('', 32, 'm'), 'tx-' || n, lpad(n::text, 32, 'p'), 100,
      'EUR', 'VISA', 100, 'EUR', 100, '2026-11-10'::date + n % 10, 'SUCCESS', 'STANDARD', 'Acquirer'
    from generate_series(${first}::int, ${first + files - 1}::int) n`;
  await tx`
    insert into already_known_rows (file_id, line, record_file_id, record_line)
    select n, 3, n - 1, 2 from generate_series(${first + 1}::int, ${first + files - 1}::int) n where n % 2 = 1`;
}

async function decide(tx: Tx, kind: 'withdraw' | 'restore', condition: string): Promise<void> {
  await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
    select id, ${kind}, 'wrong file', 'finance', now() from settlement_files where ${tx.unsafe(condition)}`;
}

const days: RunScope = { kind: 'range', from: '2026-11-10', to: '2026-11-19', asOf };
const ofRun = (run: number): RunScope => ({ kind: 'run', runId: runId(run), asOf });

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  it('many files, their withdrawal, and the restoration of one are handled in proportion to their number', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      await storePayments(tx);
      await storeFiles(tx, 1, 1);
      await setStatistics(tx, kind);
      const beyond: (StatementBeyond & { readonly step: string })[] = [];
      const expectFew = async (name: string, work: () => Promise<unknown>) => {
        const handled = await statementsBeyond(recorder(), tx, { mostRows, work });
        beyond.push(...handled.beyond.map((each) => ({ step: name, ...each })));
      };
      const step = async (name: string, scope: RunScope, run: number) => {
        await expectFew(name, () => matchScope(tx, scope, { ...settings, runId: runId(run) }));
        await expectFew(`the report of ${name}`, () =>
          readReport(tx, scope, { asOf, lookbackDays: settings.lookbackDays, run }),
        );
      };
      await step('the first run', ofRun(1), 1);
      await storeFiles(tx, files + 1, 2);
      await step('a second run', ofRun(2), 2);
      await decide(tx, 'withdraw', 'true');
      await step('the run after the withdrawal', ofRun(3), 3);
      await decide(tx, 'restore', 'id = 7');
      await step('the run after the restoration', ofRun(4), 4);
      await step('a re-run of all days', days, 5);
      await decide(tx, 'restore', 'id <> 7');
      await step('a re-run after the restoration of all', days, 6);
      expect(beyond).toEqual([]);
    });
  });
});
