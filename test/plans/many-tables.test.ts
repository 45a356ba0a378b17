import { expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { addPart, nextFileId, partOf } from '../../src/db/parts/record-parts.js';
import { closedItems } from '../../src/items/closed-items.js';
import { everyOpenItem, listItems } from '../../src/items/list-items.js';
import { discrepancyList } from '../../src/listings/list-discrepancies.js';
import { fileIdsInScope, openFindingsInScope } from '../../src/db/run-scope.js';
import { dueWithSettlement, listResultsOfDue } from '../../src/matching/discrepancies/settled-payments.js';
import { listReviewRecords } from '../../src/matching/discrepancies/review-lists.js';
import { takeFastPath } from '../../src/matching/fast-path.js';
import { allRecordChecks } from '../../src/matching/find-discrepancies.js';
import { prepareMatching } from '../../src/matching/work-tables.js';
import { countDiscrepancies } from '../../src/reporting/count-discrepancies.js';
import { countResults } from '../../src/reporting/count-results.js';
import { sumAcceptedRows } from '../../src/reporting/totals/sum-accepted-rows.js';
import { runId, type FileId } from '../../src/values/ids.js';
import { settings } from '../matching/findings.js';
import { rolledBack } from '../matching/scenario.js';
import { settlementRow, storedCells } from '../support/settlement-rows.js';
import { knowledge, setStatistics } from './crowded-quarter.js';
import {
  nodeTypes,
  plansOf,
  recorderOfTests,
  rowsRead,
  tablesRead,
  type ExecutedPlan,
} from './record-plans.js';

/**
 * The planner counts the look-up of a record once for each table of records. With many large files, it therefore read
 * all records of a year for each list of what is open.
 */
const tables = 40;
const recordsOfTable = 250;

const recorder = recorderOfTests();

/** Large files with one open finding each. Returns their ids. */
async function storeLargeFiles(tx: Tx): Promise<readonly FileId[]> {
  await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
  const files: FileId[] = [];
  for (let number = 1; number <= tables; number += 1) {
    const file = await nextFileId(tx, { timesLarge: 100, month: '2026-11-01' });
    files.push(file);
    await tx`
      insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id,
        finished_run_id, rows_total, rows_accepted, rows_already_known, first_settlement_date, last_settlement_date)
      values (${file}, ${`${number}`.padStart(64, '0')}, 'test', ${`file-${number}`}, 1, 'loaded', now(), 1, 1,
        ${recordsOfTable}, ${recordsOfTable}, 0, '2026-11-11', '2026-11-11')`;
    await addPart(tx, await partOf(tx, file), async (table) => {
      const cells = { ...storedCells(settlementRow()), ...stored, file_id: file, line: 2 };
      await tx`insert into ${tx(table)} ${tx({ ...cells, fingerprint: fingerprint(number, 2) })}`;
      const others = Array.from({ length: recordsOfTable - 1 }, (_, n) => ({
        ...cells,
        line: n + 3,
        fingerprint: fingerprint(number, n + 3),
      }));
      await tx`insert into ${tx(table)} ${tx(others)}`;
      return [];
    });
    await tx`insert into record_matches (file_id, line, status, run_id)
      select ${file}, 1 + n, 'NOT_MATCHED', 1 from generate_series(1, ${recordsOfTable}::integer) n`;
    await tx`insert into discrepancies (id, code, severity, file_id, line, message, first_seen_run)
      values (${`${number}`.padStart(32, '0')}, 'NOT_MATCHED', 'error', ${file}, 2, 'no payment', 1)`;
  }
  return files;
}

const fingerprint = (file: number, line: number) =>
  `00000000-0000-0000-${`${file}`.padStart(4, '0')}-${`${line}`.padStart(12, '0')}`;

const stored = {
  occurrence: 1,
  reconciliation_type: 'SETTLED',
  payment_type: 'DEBIT',
  cashflow: 'POS',
  merchant_account_id: 'a'.repeat(32),
  amount_minor: 9000n,
  currency: 'EUR',
  settlement_amount_minor: 9000n,
  settlement_currency: 'EUR',
  settlement_fx_rate_hundredths: 100n,
  settlement_date: '2026-11-11',
  settlement_status: 'SUCCESS',
};

const view = { asOf: '2026-11-20', timezone: 'UTC' };
const run = { kind: 'run', runId: runId(1), asOf: '2026-11-20' } as const;
const list = discrepancyList({
  code: null,
  severity: null,
  from: null,
  to: null,
  timezone: 'UTC',
  runId: null,
  withResolved: false,
});

it.each([...knowledge])(
  'what is open is listed without the other records of many large files (statistics are %s)',
  async (kind) => {
    await rolledBack(recorder().sql, async (tx) => {
      await storeLargeFiles(tx);
      await setStatistics(tx, kind);
      const { result, plans } = await plansOf(recorder(), tx, async () => {
        const { total } = await listItems(tx, view, everyOpenItem, 1_000);
        const { byCode } = await countDiscrepancies(tx, run, settings);
        return { total, byCode, listed: await list.count(tx) };
      });
      expect(result).toEqual({ total: tables, byCode: { NOT_MATCHED: tables }, listed: tables });
      const read = plans.map(({ root }) => rowsRead(root, 'settlement_records'));
      expect(Math.max(...read)).toBeGreaterThan(0);
      expect(Math.max(...read)).toBeLessThanOrEqual(2 * tables);
    });
  },
);

/** In how many tables of records the statement that reads most of them looks. */
function mostTables(plans: readonly ExecutedPlan[]): number {
  return Math.max(...tablesOfStatements(plans));
}

/** The same for each statement that reads any. */
function tablesOfStatements(plans: readonly ExecutedPlan[]): number[] {
  return plans
    .map(
      ({ root }) => new Set(tablesRead(root).filter((name) => name.startsWith('settlement_records_'))).size,
    )
    .filter((tables) => tables > 0);
}

it.each([...knowledge])(
  'a run looks for the records that it matches again only in the tables of their files (statistics are %s)',
  async (kind) => {
    await rolledBack(recorder().sql, async (tx) => {
      const files = await storeLargeFiles(tx);
      const ofRun = runId(2);
      for (const id of files.slice(3, 5)) {
        await tx`insert into run_rechecks (run_id, file_id, line) values (${ofRun}, ${id}, 2), (${ofRun}, ${id}, 3)`;
      }
      await setStatistics(tx, kind);
      await prepareMatching(tx);
      const { plans } = await plansOf(recorder(), tx, async () => {
        const circumstances = { fileIds: [], extraFiles: [], hasManualLinks: false };
        const scope = { kind: 'run', runId: ofRun, asOf: '2026-11-20' } as const;
        await takeFastPath(tx, scope, { checks: allRecordChecks(tx, settings), ...circumstances });
        await listReviewRecords(tx, []);
      });
      const reviewed = await tx<{ place: string }[]>`
        select file_id || ':' || line as place from review_records order by file_id, line`;
      const expected = files.slice(3, 5).flatMap((id) => [`${id}:2`, `${id}:3`]);
      expect(reviewed.map(({ place }) => place)).toEqual(expected);
      expect(mostTables(plans)).toBe(2);
      const read = plans.map(({ root }) => rowsRead(root, 'settlement_records'));
      expect(Math.max(...read)).toBe(expected.length);
    });
  },
);

it.each([
  ['few', 3],
  ['most', recordsOfTable - 1],
])(
  'rows that repeat %s records of a large file are added up with its table only',
  async (_what, repeated) => {
    await rolledBack(recorder().sql, async (tx) => {
      const [first] = await storeLargeFiles(tx);
      const file = await nextFileId(tx, { timesLarge: 0, month: '2026-11-01' });
      await tx`
      insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id,
        finished_run_id, rows_total, rows_accepted, rows_already_known, first_settlement_date, last_settlement_date)
      values (${file}, ${'f'.repeat(64)}, 'test', 'again', 1, 'loaded', now(), 2, 2,
        ${repeated}, ${repeated}, ${repeated}, '2026-11-11', '2026-11-11')`;
      await tx`insert into already_known_rows (file_id, line, record_file_id, record_line)
      select ${file}, 1 + n, ${first ?? 0}, 1 + n from generate_series(1, ${repeated}::integer) n`;
      await setStatistics(tx, 'fresh');
      const scope = { kind: 'run', runId: runId(2), asOf: '2026-11-20' } as const;
      const { result, plans } = await plansOf(recorder(), tx, () => sumAcceptedRows(tx, scope));
      expect(result.byFile.get(file)).toMatchObject({ rows: repeated });
      expect(mostTables(plans)).toBe(1);
    });
  },
);

it.each([...knowledge])(
  'a re-run of a day counts its results and findings only in the tables of its files (statistics are %s)',
  async (kind) => {
    await rolledBack(recorder().sql, async (tx) => {
      const files = await storeLargeFiles(tx);
      const day = '2026-11-05';
      for (const id of files.slice(3, 5)) {
        await tx`update settlement_records set settlement_date = ${day} where file_id = ${id}`;
        await tx`update settlement_files set first_settlement_date = ${day}, last_settlement_date = ${day}
          where id = ${id}`;
      }
      await setStatistics(tx, kind);
      await tx`create temp table looked_at (id text) on commit drop`;
      const scope = { kind: 'range', from: day, to: day, asOf: '2026-11-20' } as const;
      const { result, plans } = await plansOf(recorder(), tx, async () => {
        const fileIds = await fileIdsInScope(tx, scope);
        await tx`insert into looked_at select id from (${openFindingsInScope(tx, scope, fileIds)}) d`;
        return countResults(tx, scope);
      });
      expect(result.matching).toMatchObject({ NOT_MATCHED: 2 * recordsOfTable });
      expect(await tx`select from looked_at`).toHaveLength(2);
      const tables = tablesOfStatements(plans);
      expect(tables.length).toBeGreaterThanOrEqual(3);
      expect(Math.max(...tables)).toBe(2);
    });
  },
);

it.each([...knowledge])(
  'what a run resolved is added up by one process, without the other records of many large files (statistics are %s)',
  async (kind) => {
    await rolledBack(recorder().sql, async (tx) => {
      await storeLargeFiles(tx);
      const resolved = 20;
      await tx`update discrepancies set resolved_run = 2 where id <= ${`${resolved}`.padStart(32, '0')}`;
      await setStatistics(tx, kind);
      // As if there were so many findings that a scan of them could be shared out.
      await tx`select set_config('min_parallel_table_scan_size', '0', true), set_config('parallel_setup_cost', '50', true)`;
      const { result, plans } = await plansOf(recorder(), tx, () => closedItems(tx, view, runId(2)));
      expect(result.resolved.map(({ count }) => count)).toEqual([resolved]);
      expect(
        plans.flatMap(({ root }) => nodeTypes(root)).filter((type) => type.startsWith('Gather')),
      ).toEqual([]);
      const read = plans.map(({ root }) => rowsRead(root, 'settlement_records'));
      expect(Math.max(...read)).toBe(resolved);
    });
  },
);

it.each([...knowledge])(
  'the settlements of due payments are looked for only in the tables of their files (statistics are %s)',
  async (kind) => {
    await rolledBack(recorder().sql, async (tx) => {
      const files = await storeLargeFiles(tx);
      const chosen = files.slice(3, 11);
      for (const id of chosen) {
        await tx`update record_matches set status = 'MATCHED', payment_key = file_id * 1000 + line where file_id = ${id}`;
      }
      await setStatistics(tx, kind);
      await tx`create temp table due_payments (key bigint, is_pending boolean, payment_type text) on commit drop`;
      await tx`insert into due_payments
        select f * 1000 + n, false, 'DB' from unnest(${chosen}::integer[]) f, generate_series(1, 50) n`;
      await tx`create temp table settled (key bigint) on commit drop`;
      const { plans } = await plansOf(recorder(), tx, async () => {
        const named = await listResultsOfDue(tx);
        await tx`insert into settled ${dueWithSettlement(tx, named)}`;
      });
      // The records of a file begin at line 2.
      expect(await tx`select from settled`).toHaveLength(8 * 49);
      expect(mostTables(plans)).toBe(8);
    });
  },
);
