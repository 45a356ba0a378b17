import { byBytes } from '../../values/by-bytes.js';
import type { FileId } from '../../values/ids.js';
import { formatAmount } from '../../values/money.js';
import type { AcceptedSum, SummedFile } from './accepted-sum.js';

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

/** Amounts in hundredths. */
interface GrowingTotal {
  readonly file: SummedFile;
  readonly fileId: FileId;
  readonly merchantAccountId: string;
  readonly settlementCurrency: string;
  readonly reconciliationType: string;
  count: number;
  alreadyKnown: number;
  pos: bigint;
  neg: bigint;
  failedCount: number;
  failedPos: bigint;
  failedNeg: bigint;
}

/** Adds up the accepted rows to control totals. Whatever is not a key of these is added to the same total. */
export class ControlTotalsAdder {
  readonly #totals = new Map<string, GrowingTotal>();

  add(sum: AcceptedSum, file: SummedFile): void {
    const total = this.#totalOf(sum, file);
    const amount = BigInt(sum.settlement_amount);
    const isPos = sum.cashflow === 'POS';
    total.count += sum.count;
    if (sum.known) total.alreadyKnown += sum.count;
    if (sum.settlement_status === 'FAILED') {
      total.failedCount += sum.count;
      total[isPos ? 'failedPos' : 'failedNeg'] += amount;
    } else {
      total[isPos ? 'pos' : 'neg'] += amount;
    }
  }

  /** In the order of their keys, each made when it is read. */
  totals(): Iterable<ControlTotal> {
    const inOrder = [...this.#totals.values()].sort(byKeys);
    return {
      *[Symbol.iterator]() {
        for (const total of inOrder) yield toControlTotal(total);
      },
    };
  }

  #totalOf(sum: AcceptedSum, file: SummedFile): GrowingTotal {
    const key = `${sum.file_id}\n${sum.merchant_account_id}\n${sum.settlement_currency}\n${sum.reconciliation_type}`;
    let total = this.#totals.get(key);
    if (total === undefined) {
      total = {
        file,
        fileId: sum.file_id,
        merchantAccountId: sum.merchant_account_id,
        settlementCurrency: sum.settlement_currency,
        reconciliationType: sum.reconciliation_type,
        count: 0,
        alreadyKnown: 0,
        pos: 0n,
        neg: 0n,
        failedCount: 0,
        failedPos: 0n,
        failedNeg: 0n,
      };
      this.#totals.set(key, total);
    }
    return total;
  }
}

function byKeys(a: GrowingTotal, b: GrowingTotal): number {
  if (a.fileId !== b.fileId)
    return byText(a.file.source, b.file.source) || byText(a.file.name, b.file.name) || a.fileId - b.fileId;
  return (
    byText(a.merchantAccountId, b.merchantAccountId) ||
    byText(a.settlementCurrency, b.settlementCurrency) ||
    byText(a.reconciliationType, b.reconciliationType)
  );
}

/** Most texts that are compared are equal. */
function byText(a: string, b: string): number {
  return a === b ? 0 : byBytes(a, b);
}

function toControlTotal(total: GrowingTotal): ControlTotal {
  const { merchantAccountId, settlementCurrency, reconciliationType, count, alreadyKnown, pos, neg } = total;
  return {
    source: total.file.source,
    file: total.file.name,
    sha256: total.file.sha256,
    merchantAccountId,
    settlementCurrency,
    reconciliationType,
    count,
    alreadyKnown,
    pos: formatAmount(pos),
    neg: formatAmount(neg),
    net: formatAmount(pos - neg),
    failed: {
      count: total.failedCount,
      pos: formatAmount(total.failedPos),
      neg: formatAmount(total.failedNeg),
    },
  };
}
