import type { SumsByCurrency } from '../differing-sums.js';
import type { Tx } from '../db/client.js';
import { isDivided } from '../db/divided.js';
import { collectFromShards, type Fragment } from '../db/on-shards.js';
import { fileIdArray, reportedFilesInScope, type RunScope } from '../db/run-scope.js';
import { feePlace } from './fee-place.js';
import { formatAmount } from '../values/money.js';
import type { FileId } from '../values/ids.js';

/**
 * Sums with which a person (or a ledger) can compare a file with what the sender announced, per file ×
 * MerchantAccountId × SettlementCurrency × ReconciliationType. They cover exactly the rows of the reconciled file.
 * Amounts are settlement amounts as `123.45`; `net` is POS less NEG. A FAILED row is counted, but its amount did not
 * move: it is shown separately in `failed`.
 */
export interface ControlTotal {
  readonly source: string;
  readonly file: string;
  readonly sha256: string;
  readonly merchantAccountId: string;
  readonly settlementCurrency: string;
  readonly reconciliationType: string;
  readonly count: number;
  /** Rows in `count` whose record is from an earlier file: do not add these up over files. */
  readonly alreadyKnown: number;
  readonly pos: string;
  readonly neg: string;
  readonly net: string;
  /** Rows in `count` with SettlementStatus FAILED, and their amounts. */
  readonly failed: { readonly count: number; readonly pos: string; readonly neg: string };
}

/** One group of the accepted rows of one file, summed in the database. */
export interface AcceptedSum {
  source: string;
  file: string;
  sha256: string;
  file_id: FileId;
  merchant_account_id: string;
  settlement_currency: string;
  reconciliation_type: string;
  cashflow: string;
  currency: string;
  settlement_status: string;
  settlement_date: string;
  payment_type: string;
  /** See `feePlace`. */
  fee_place: number;
  known: boolean;
  /** The numbers of the lines, added up. */
  lines: number;
  /** Whether these records count in totals: each record once, and none that was withdrawn or replaced (design 4.8). */
  counted: boolean;
  count: number;
  /** Hundredths, as text: a sum of bigints is a numeric, which may exceed a bigint. */
  settlement_amount: string;
  amount: string;
  settlement_fee: string;
}

/** Rows and amounts per currency of a file's accepted rows in scope: what its reconciled file must hold. */
export interface FileTotals {
  readonly rows: number;
  /** The numbers of their lines, added up: rows whose lines were exchanged for others make another sum. */
  readonly lines: number;
  /** By Currency. */
  readonly amounts: SumsByCurrency;
  /** By SettlementCurrency. */
  readonly settlementAmounts: SumsByCurrency;
}

/** The accepted rows in scope, summed once for all purposes. */
export interface AcceptedTotals {
  readonly controlTotals: readonly ControlTotal[];
  readonly sums: readonly AcceptedSum[];
  /** By file id; a file without accepted rows in scope is missing. */
  readonly byFile: ReadonlyMap<FileId, FileTotals>;
}

export const noTotals: FileTotals = { rows: 0, lines: 0, amounts: new Map(), settlementAmounts: new Map() };

/**
 * Reads every accepted row in scope once. Records and repeated rows are summed separately: most rows are the records
 * themselves, which need no join.
 */
export async function sumAcceptedRows(tx: Tx, scope: RunScope): Promise<AcceptedTotals> {
  // As a value and not as a subquery: for files that the planner knows, it adds up in memory instead of sorting.
  const reported = await tx<{ id: FileId }[]>`${reportedFilesInScope(tx, scope)}`;
  const files = fileIdArray(
    tx,
    reported.map((file) => file.id),
  );
  const own = tx`select r.file_id, false as known, u.file_id is null as counted, sum(r.line)::float8 as lines, ${sumsOf(tx)}
      from settlement_records r
      left join uncounted_records u on u.file_id = r.file_id and u.line = r.line
      where r.file_id = any (${files}) and ${isInRange(tx, scope)}
      group by r.file_id, counted, ${sumKeys(tx)}`;
  const divided = await isDivided(tx);
  if (divided) await sumOnShards(tx, own, files);
  const sums = await tx<AcceptedSum[]>`
    select f.source, f.name as file, f.sha256, t.* from (
      ${divided ? sumsOfShards(tx) : own}
      union all
      select k.file_id, true, ${countsInstead(tx)} as counted, sum(k.line)::float8 as lines, ${sumsOf(tx)}
      from already_known_rows k
      join settlement_records r on r.file_id = k.record_file_id and r.line = k.record_line
      where k.file_id = any (${files}) and ${isInRange(tx, scope)}
      group by k.file_id, counted, ${sumKeys(tx)}) t
    join settlement_files f on f.id = t.file_id
    order by f.source collate "C", f.name collate "C", t.file_id, t.merchant_account_id collate "C",
      t.settlement_currency collate "C", t.reconciliation_type collate "C", t.settlement_date, t.payment_type collate "C"`;
  return { controlTotals: foldControlTotals(sums), sums, byFile: foldFileTotals(sums) };
}

/** Each shard adds up its own records. */
async function sumOnShards(tx: Tx, own: Fragment, files: Fragment): Promise<void> {
  await tx`drop table if exists pg_temp.sums_of_shards`;
  await collectFromShards(tx, 'sums_of_shards', own, [
    {
      name: 'uncounted_records',
      columns: 'file_id integer, line integer',
      rows: tx`select file_id, line from uncounted_records where file_id = any (${files})`,
    },
  ]);
}

/** The same groups as on one server: records of one group may lie on several shards. */
function sumsOfShards(tx: Tx) {
  const sum = (column: string) => tx`sum(${tx(column)}::numeric)::text as ${tx(column)}`;
  return tx`select r.file_id, r.known, r.counted, sum(r.lines) as lines, ${keyColumns(tx)}, fee_place,
      sum(r.count)::int as count, ${sum('settlement_amount')}, ${sum('amount')}, ${sum('settlement_fee')}
    from sums_of_shards r group by r.file_id, r.known, r.counted, ${keyColumns(tx)}, fee_place`;
}

/**
 * Whether the repeated row `k` counts instead of its record: the record's own file is withdrawn, and this is the first
 * of the other files that brought it (design 4.8).
 */
function countsInstead(tx: Tx) {
  return tx`(k.record_file_id in (select file_id from withdrawn_files)
    and not exists (select from uncounted_records u
      where u.file_id = k.record_file_id and u.line = k.record_line)
    and not exists (select from already_known_rows e
      where e.record_file_id = k.record_file_id and e.record_line = k.record_line
        and (e.file_id, e.line) < (k.file_id, k.line)
        and e.file_id not in (select file_id from withdrawn_files)))`;
}

function keyColumns(tx: Tx) {
  return tx`r.merchant_account_id, r.settlement_currency, r.reconciliation_type, r.cashflow, r.currency,
    r.settlement_status, r.settlement_date, r.payment_type`;
}

function sumKeys(tx: Tx) {
  return tx`${keyColumns(tx)}, fee_place`;
}

function sumsOf(tx: Tx) {
  return tx`${keyColumns(tx)}, ${feePlace(tx)} as fee_place, count(*)::int as count,
    sum(r.settlement_amount_minor)::text as settlement_amount, sum(r.amount_minor)::text as amount,
    coalesce(sum(r.settlement_fee_minor), 0)::text as settlement_fee`;
}

/** Whether record `r` is reported: a range includes only its own days of the files that touch it. */
export function isInRange(tx: Tx, scope: RunScope) {
  return scope.kind === 'run' ? tx`true` : tx`r.settlement_date between ${scope.from} and ${scope.to}`;
}

/** Whatever is not a key of the control totals is folded into the group. */
function foldControlTotals(sums: readonly AcceptedSum[]): ControlTotal[] {
  const groups = new Map<string, [AcceptedSum, ...AcceptedSum[]]>();
  for (const sum of sums) {
    const key = [sum.file_id, sum.merchant_account_id, sum.settlement_currency, sum.reconciliation_type].join(
      '\n',
    );
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [sum]);
    else group.push(sum);
  }
  return [...groups.values()].map(toControlTotal);
}

function toControlTotal(group: readonly [AcceptedSum, ...AcceptedSum[]]): ControlTotal {
  const [first] = group;
  const moved = group.filter((row) => row.settlement_status !== 'FAILED');
  const failed = group.filter((row) => row.settlement_status === 'FAILED');
  const pos = flow(moved, 'POS');
  const neg = flow(moved, 'NEG');
  return {
    source: first.source,
    file: first.file,
    sha256: first.sha256,
    merchantAccountId: first.merchant_account_id,
    settlementCurrency: first.settlement_currency,
    reconciliationType: first.reconciliation_type,
    count: countOf(group),
    alreadyKnown: countOf(group.filter((row) => row.known)),
    pos: formatAmount(pos),
    neg: formatAmount(neg),
    net: formatAmount(pos - neg),
    failed: {
      count: countOf(failed),
      pos: formatAmount(flow(failed, 'POS')),
      neg: formatAmount(flow(failed, 'NEG')),
    },
  };
}

const countOf = (group: readonly AcceptedSum[]) => group.reduce((sum, row) => sum + row.count, 0);

function flow(group: readonly AcceptedSum[], cashflow: string): bigint {
  return group.reduce(
    (sum, row) => (row.cashflow === cashflow ? sum + BigInt(row.settlement_amount) : sum),
    0n,
  );
}

function foldFileTotals(sums: readonly AcceptedSum[]): Map<FileId, FileTotals> {
  const byFile = new Map<
    FileId,
    { rows: number; lines: number; amounts: Map<string, bigint>; settlementAmounts: Map<string, bigint> }
  >();
  for (const sum of sums) {
    const totals = byFile.get(sum.file_id) ?? {
      rows: 0,
      lines: 0,
      amounts: new Map<string, bigint>(),
      settlementAmounts: new Map<string, bigint>(),
    };
    byFile.set(sum.file_id, totals);
    totals.rows += sum.count;
    totals.lines += sum.lines;
    addTo(totals.amounts, sum.currency, sum.amount);
    addTo(totals.settlementAmounts, sum.settlement_currency, sum.settlement_amount);
  }
  return byFile;
}

function addTo(sums: Map<string, bigint>, currency: string, amount: string): void {
  sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount));
}
