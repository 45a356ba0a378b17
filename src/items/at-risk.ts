import type { Fragment, Reader } from '../db/client.js';
import { formatAmount } from '../values/money.js';

/**
 * What is at risk in several items of one currency: money that we should have and do not have, and money that we have
 * and should not have, as amounts that are not negative. They are not offset against each other where a person reads
 * them; the JSON of decisions and of patterns also has the first less the second.
 */
export interface AtRisk {
  /** Such as `10.00`. */
  readonly missing: string;
  readonly surplus: string;
}

/** In hundredths. */
export interface SumsAtRisk {
  readonly missing: bigint;
  readonly surplus: bigint;
}

/** {@link SumsAtRisk} of a group of rows with `at_risk_minor`. */
export function sumsAtRisk(sql: Reader): Fragment {
  return sql`sum(greatest(at_risk_minor, 0))::bigint as missing, sum(greatest(- at_risk_minor, 0))::bigint as surplus`;
}

/** The sums as text, with two decimals. */
export function atRiskOf({ missing, surplus }: SumsAtRisk): AtRisk {
  return { missing: formatAmount(missing), surplus: formatAmount(surplus) };
}
