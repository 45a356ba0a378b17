import type { Fragment, Tx } from './fragment.js';

/** Differences that the configuration accepts (design 4.6). Both are empty by default. */
export interface Allowances {
  /** Hundredths by currency: an AMOUNT_MISMATCH of at most this much has only the severity `info`. */
  readonly tolerance: ReadonlyMap<string, bigint>;
  /** The name of a brand in a file, and the name of that brand in payments. */
  readonly brandAliases: ReadonlyMap<string, string>;
}

/**
 * The tolerance of a currency in hundredths as SQL, null in a currency without one. Returns null if there is no
 * tolerance at all, so that the statements without tolerances stay as they are.
 */
export function toleranceOf(tx: Tx, tolerance: Allowances['tolerance'], currency: Fragment): Fragment | null {
  const cases = [...tolerance].map(([name, amount]) => tx`when ${name}::text then ${amount}::bigint`);
  if (cases.length === 0) return null;
  return tx`(case ${currency} ${cases.reduce((all, more) => tx`${all} ${more}`)} end)`;
}

/**
 * Whether record `r` names the brand of payment `p` by an alias, as SQL. An alias holds in one direction: the name of
 * the file stands for the name of the payment. Returns null if there are no aliases, for the same reason as above.
 */
export function namesByAlias(tx: Tx, brandAliases: Allowances['brandAliases']): Fragment | null {
  const pairs = [...brandAliases].map(([inFile, ofPayment]) => tx`(${inFile}::text, ${ofPayment}::text)`);
  if (pairs.length === 0) return null;
  return tx`((r.brand, p.payment_brand) in (${pairs.reduce((all, more) => tx`${all}, ${more}`)}))`;
}
