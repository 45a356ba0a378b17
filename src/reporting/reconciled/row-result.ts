import type { Tx } from '../../db/client.js';
import { matchedPaymentIds } from '../../findings/matched-payment-ids.js';
import { isFoundByOwnId } from './found-by-own-id.js';

/** The content of columns 34-36 of one accepted row; empty where there is no result. */
export interface RowResult {
  readonly matchingStatus: string;
  /** The matched transaction is the row's own UniqueID, which need not be sent for every row. */
  readonly isOwnUniqueId: boolean;
  readonly matchedTransactions: string;
  readonly chargebackId: string;
  /** The three cells as bytes to write after cell 33, with its `;` and the end of the line: those before … */
  readonly head: Buffer;
  /** … and after the row's own UniqueID. */
  readonly tail: Buffer;
}

/** Placeholder for the row's own UniqueID. */
const ownUniqueId = '=';

/** Columns 34-36 as one text, for {@link parseOutcome}, over `m` (record_matches) and `l` (chargeback_links). */
export function outcomeOf(tx: Tx, payments = tx`payments`) {
  return tx`coalesce(nullif(m.status::text, 'NOT_APPLICABLE'), '') || ';'
    || case when ${isFoundByOwnId(tx)} then ${ownUniqueId}
      else coalesce(${matchedPaymentIds(tx, undefined, payments)}, '') end || ';'
    || coalesce(l.chargeback_id, '')`;
}

/** @param outcome columns 34-36 as one text, as `outcomeOf` selects them */
export function parseOutcome(outcome: string): RowResult {
  const [matchingStatus = '', matched = '', chargebackId = ''] = outcome.split(';');
  const isOwnUniqueId = matched === ownUniqueId;
  const matchedTransactions = isOwnUniqueId ? '' : matched;
  return {
    matchingStatus,
    isOwnUniqueId,
    matchedTransactions,
    chargebackId,
    head: Buffer.from(`;${matchingStatus};${matchedTransactions}`),
    tail: Buffer.from(`;${chargebackId}\n`),
  };
}

/** The result of nearly all rows. */
export const matchedByOwnId = parseOutcome(`MATCHED;${ownUniqueId};`);
