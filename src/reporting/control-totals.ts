import type { SumsByCurrency } from '../conservation.js';
import type { Tx } from '../db/client.js';
import { fileIdArray, reportedFilesInScope, type RunScope } from '../db/run-scope.js';
import { formatAmount } from '../values/money.js';
import type { FileId } from '../values/ids.js';

/**
 * Sums with which a person (or a ledger) can compare a file with what the sender announced, per file ×
 * MerchantAccountId × SettlementCurrency × ReconciliationType. They cover exactly the rows of the
 * reconciled file. Amounts are settlement amounts as `123.45`; `net` is POS less NEG.
 */
export interface ControlTotal {
  readonly source: string;
  readonly file: string;
  readonly sha256: string;
  readonly merchantAccountId: string;
  readonly settlementCurrency: string;
  readonly reconciliationType: string;
  readonly count: number;
  /** Rows among `count` whose record came in an earlier file: do not add these up over files. */
  readonly alreadyKnown: number;
  readonly pos: string;
  readonly neg: string;
  readonly net: string;
}

/** One group of the accepted rows of one file, summed in the database. */
interface Sum {
  source: string;
  file: string;
  sha256: string;
  file_id: FileId;
  merchant_account_id: string;
  settlement_currency: string;
  reconciliation_type: string;
  cashflow: string;
  currency: string;
  known: boolean;
  count: number;
  /** Hundredths, as text: a sum of bigints is a numeric, which may exceed a bigint. */
  settlement_amount: string;
  amount: string;
}

/** Rows and amounts per currency of a file's accepted rows in scope: what its reconciled file must hold. */
export interface FileTotals {
  readonly rows: number;
  /** By Currency. */
  readonly amounts: SumsByCurrency;
  /** By SettlementCurrency. */
  readonly settlementAmounts: SumsByCurrency;
}

/** The accepted rows in scope, summed once for all purposes. */
export interface AcceptedTotals {
  readonly controlTotals: readonly ControlTotal[];
  /** By file id; a file without accepted rows in scope is missing. */
  readonly byFile: ReadonlyMap<FileId, FileTotals>;
}

export const noTotals: FileTotals = { rows: 0, amounts: new Map(), settlementAmounts: new Map() };

/** The control totals of a scope, in the order of their keys. */
export async function controlTotals(tx: Tx, scope: RunScope): Promise<readonly ControlTotal[]> {
  return (await sumAcceptedRows(tx, scope)).controlTotals;
}

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
  const sums = await tx<Sum[]>`
    select f.source, f.name as file, f.sha256, t.* from (
      select r.file_id, false as known, ${sumsOf(tx)} from settlement_records r
      where r.file_id = any (${files}) and ${isInRange(tx, scope)}
      group by r.file_id, ${sumKeys(tx)}
      union all
      select k.file_id, true, ${sumsOf(tx)} from already_known_rows k
      join settlement_records r on r.file_id = k.record_file_id and r.line = k.record_line
      where k.file_id = any (${files}) and ${isInRange(tx, scope)}
      group by k.file_id, ${sumKeys(tx)}) t
    join settlement_files f on f.id = t.file_id
    order by f.source collate "C", f.name collate "C", t.file_id, t.merchant_account_id collate "C",
      t.settlement_currency collate "C", t.reconciliation_type collate "C"`;
  return { controlTotals: foldControlTotals(sums), byFile: foldFileTotals(sums) };
}

function sumKeys(tx: Tx) {
  return tx`r.merchant_account_id, r.settlement_currency, r.reconciliation_type, r.cashflow, r.currency`;
}

function sumsOf(tx: Tx) {
  return tx`${sumKeys(tx)}, count(*)::int as count,
    sum(r.settlement_amount_minor)::text as settlement_amount, sum(r.amount_minor)::text as amount`;
}

/** Whether record `r` is reported: a range includes only its own days of the files that touch it. */
export function isInRange(tx: Tx, scope: RunScope) {
  return scope.kind === 'run' ? tx`true` : tx`r.settlement_date between ${scope.from} and ${scope.to}`;
}

/** Cashflow, currency and `known` are folded into the group. */
function foldControlTotals(sums: readonly Sum[]): ControlTotal[] {
  const groups = new Map<string, [Sum, ...Sum[]]>();
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

function toControlTotal(group: readonly [Sum, ...Sum[]]): ControlTotal {
  const [first] = group;
  const flow = (cashflow: string) =>
    group.reduce((sum, row) => (row.cashflow === cashflow ? sum + BigInt(row.settlement_amount) : sum), 0n);
  const pos = flow('POS');
  const neg = flow('NEG');
  return {
    source: first.source,
    file: first.file,
    sha256: first.sha256,
    merchantAccountId: first.merchant_account_id,
    settlementCurrency: first.settlement_currency,
    reconciliationType: first.reconciliation_type,
    count: group.reduce((sum, row) => sum + row.count, 0),
    alreadyKnown: group.reduce((sum, row) => (row.known ? sum + row.count : sum), 0),
    pos: formatAmount(pos),
    neg: formatAmount(neg),
    net: formatAmount(pos - neg),
  };
}

function foldFileTotals(sums: readonly Sum[]): Map<FileId, FileTotals> {
  const byFile = new Map<
    FileId,
    { rows: number; amounts: Map<string, bigint>; settlementAmounts: Map<string, bigint> }
  >();
  for (const sum of sums) {
    const totals = byFile.get(sum.file_id) ?? {
      rows: 0,
      amounts: new Map<string, bigint>(),
      settlementAmounts: new Map<string, bigint>(),
    };
    byFile.set(sum.file_id, totals);
    totals.rows += sum.count;
    addTo(totals.amounts, sum.currency, sum.amount);
    addTo(totals.settlementAmounts, sum.settlement_currency, sum.settlement_amount);
  }
  return byFile;
}

function addTo(sums: Map<string, bigint>, currency: string, amount: string): void {
  sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount));
}
