import type { SumsByCurrency } from '../../differing-sums.js';
import type { Tx } from '../../db/client.js';
import type { RunScope } from '../../db/run-scope.js';
import { formatAmount } from '../../values/money.js';
import type { FileId } from '../../values/ids.js';
import type { AcceptedSum } from './accepted-sum.js';
import { readAcceptedSums, type SumsOfFiles } from './read-accepted-sums.js';

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
 * Folds the sums of every accepted row in scope, which are read once for all purposes.
 *
 * @param early sums of whole files that were read before
 */
export async function sumAcceptedRows(
  tx: Tx,
  scope: RunScope,
  early: SumsOfFiles | null = null,
): Promise<AcceptedTotals> {
  const sums = await readAcceptedSums(tx, scope, early);
  return { controlTotals: foldControlTotals(sums), sums, byFile: foldFileTotals(sums) };
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
