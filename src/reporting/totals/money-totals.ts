import { byBytes } from '../../values/by-bytes.js';
import type { AcceptedSum, SummedFile } from './accepted-sum.js';
import { addMoney, moneyOf, negated, noMoney, type Money } from './money-of-sum.js';

/** Sums in one settlement currency, in hundredths: gross - refunds - chargebacks + reversals - fees = net. */
export interface MoneySums {
  readonly currency: string;
  /** Records of which the money moved. */
  readonly records: number;
  readonly gross: bigint;
  readonly refunds: bigint;
  readonly chargebacks: bigint;
  readonly reversals: bigint;
  /** feesDeducted + feesCharged + feeRecords. */
  readonly fees: bigint;
  readonly net: bigint;
  readonly feesDeducted: bigint;
  readonly feesCharged: bigint;
  readonly feeRecords: bigint;
  /** Records that are FAILED: their money did not move and is in no other sum. */
  readonly failed: { readonly count: number; readonly pos: bigint; readonly neg: bigint };
}

/** The money of a scope, by everything that a bank statement may be compared with; each list in order of its keys. */
export interface MoneyTotals {
  readonly byCurrency: readonly MoneySums[];
  readonly byMerchantAccount: readonly (MoneySums & { readonly merchantAccountId: string })[];
  readonly bySettlementDate: readonly (MoneySums & { readonly settlementDate: string })[];
  /** Of whole files: rows that came in an earlier file count here as well, and nowhere else. */
  readonly byFile: readonly (MoneySums & {
    readonly file: string;
    readonly reconciledFile: string;
    /** How many of `records` came in an earlier file. */
    readonly alreadyKnown: number;
  })[];
  /** FEE records: AUTH_FEE … REFUND_FEE belong to a payment, the other types to an account or a payout. */
  readonly byFeeType: readonly (MoneySums & { readonly paymentType: string })[];
}

/**
 * Adds up the accepted rows to totals that tie out (design 6). Each record counts once: a row that was already known
 * counts with the file that brought it first, except in the totals of a file, which are as it was sent.
 */
export class MoneyAdder {
  readonly #byCurrency = new MoneyGroups();
  readonly #byAccount = new MoneyGroups();
  readonly #byDate = new MoneyGroups();
  readonly #byFile = new MoneyGroups();
  readonly #byFeeType = new MoneyGroups();

  add(sum: AcceptedSum, file: SummedFile): void {
    const money = moneyOf(sum);
    const known = sum.known ? money.records : 0;
    this.#byFile.add([file.name, file.reconciledName], sum.settlement_currency, money, known);
    if (sum.counted) this.#addRecords(sum, money);
  }

  /** Adds records that were added as if they did not count. */
  count(sum: AcceptedSum): void {
    this.#addRecords(sum, moneyOf(sum));
  }

  /** Takes out records that were added as if they counted. */
  uncount(sum: AcceptedSum): void {
    this.#addRecords(sum, negated(moneyOf(sum)));
  }

  totals(): MoneyTotals {
    return {
      byCurrency: this.#byCurrency.list(({ sums }) => sums),
      byMerchantAccount: this.#byAccount.list(({ sums, key: [merchantAccountId] }) => ({
        merchantAccountId,
        ...sums,
      })),
      bySettlementDate: this.#byDate.list(({ sums, key: [settlementDate] }) => ({ settlementDate, ...sums })),
      byFile: this.#byFile.list(({ sums, key: [file, reconciledFile = file], known }) => ({
        file,
        reconciledFile,
        alreadyKnown: known,
        ...sums,
      })),
      byFeeType: this.#byFeeType.list(({ sums, key: [paymentType] }) => ({ paymentType, ...sums })),
    };
  }

  #addRecords(sum: AcceptedSum, money: Readonly<Money>): void {
    const currency = sum.settlement_currency;
    this.#byCurrency.add([''], currency, money);
    this.#byAccount.add([sum.merchant_account_id], currency, money);
    this.#byDate.add([sum.settlement_date], currency, money);
    if (sum.reconciliation_type === 'FEE') this.#byFeeType.add([sum.payment_type], currency, money);
  }
}

/** What identifies a group, besides its currency; one text or more. */
type GroupKey = readonly [string, ...string[]];

interface MoneyGroup {
  readonly key: GroupKey;
  readonly currency: string;
  readonly money: Money;
  /** Records of which the money moved, and which were already known. */
  known: number;
}

/** Money by a key and settlement currency. */
class MoneyGroups {
  readonly #groups = new Map<string, MoneyGroup>();

  add(key: GroupKey, currency: string, money: Readonly<Money>, known = 0): void {
    const name = `${key.length === 1 ? key[0] : key.join('\n')}\n${currency}`;
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = { key, currency, money: { ...noMoney }, known: 0 };
      this.#groups.set(name, group);
    }
    addMoney(group.money, money);
    group.known += known;
  }

  /** The groups that have records, in the order of their keys. */
  list<T>(entryOf: (group: { sums: MoneySums; key: GroupKey; known: number }) => T): T[] {
    return [...this.#groups]
      .filter(([, { money }]) => money.records + money.failedRecords > 0)
      .sort(([a], [b]) => byBytes(a, b))
      .map(([, { key, currency, money, known }]) => entryOf({ sums: sumsOf(currency, money), key, known }));
  }
}

function sumsOf(currency: string, money: Readonly<Money>): MoneySums {
  const { records, gross, refunds, chargebacks, reversals, feesDeducted, feesCharged, feeRecords } = money;
  const fees = feesDeducted + feesCharged + feeRecords;
  return {
    currency,
    records,
    gross,
    refunds,
    chargebacks,
    reversals,
    fees,
    net: gross - refunds - chargebacks + reversals - fees,
    feesDeducted,
    feesCharged,
    feeRecords,
    failed: { count: money.failedRecords, pos: money.failedPos, neg: money.failedNeg },
  };
}
