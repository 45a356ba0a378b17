import type { Fragment, Tx } from '../db/client.js';

export type { Fragment, Tx };

/** Hundredths as `123.45`. */
export function amountText(tx: Tx, minor: Fragment): Fragment {
  return tx`round((${minor})::numeric / 100, 2)::text`;
}

/** The first 128 bits of a text's SHA-256 as 32 lower-case hexadecimal characters. */
export function derivedId(tx: Tx, text: Fragment): Fragment {
  return tx`left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 32)`;
}

/** The total order of records (design 4.6), over `r` (settlement_records). */
export function recordOrder(tx: Tx): Fragment {
  return tx`r.settlement_date, coalesce(r.settlement_tx_id, ''), r.fingerprint, r.occurrence`;
}

/**
 * A text[] of plain words (ids, numbers, codes: nothing with a comma in it) as one parameter. The driver
 * would take an array of bigint for a single one.
 */
export function textArray(tx: Tx, words: readonly (string | number | bigint)[]): Fragment {
  return tx`string_to_array(${words.join(',')}, ',')`;
}
