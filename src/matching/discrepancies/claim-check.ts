import { matchedPaymentIds } from '../../findings/matched-payment-ids.js';
import type { Tx } from '../fragment.js';
import type { Check } from './check.js';

/**
 * CLAIM_DIFFERS: the sender filled column 34 or 35, and it differs from our result. An empty column claims nothing; the
 * order of the payments in column 35 does not matter.
 */
export function claimCheck(tx: Tx): Check {
  const status = tx`(case when m.status = 'NOT_APPLICABLE' then '' else m.status::text end)`;
  const claimedIds = tx`(select string_agg(distinct claimed, ',' order by claimed)
    from regexp_split_to_table(r.claimed_matched_transactions, '[,[:space:]]+') claimed where claimed <> '')`;
  const ourIds = matchedPaymentIds(tx, tx`p.id`);
  const ours = tx`coalesce(nullif(concat_ws(' ', nullif(${status}, ''), ${ourIds}), ''), 'nothing')`;
  const theirs = tx`concat_ws(' ', nullif(r.claimed_matching_status, ''), ${claimedIds})`;
  const otherStatus = tx`(r.claimed_matching_status <> '' and r.claimed_matching_status <> ${status})`;
  const plainlyOurs = tx`(coalesce(r.claimed_matched_transactions, '') in ('', p.id))`;
  return {
    code: 'CLAIM_DIFFERS',
    applies: tx`concat(r.claimed_matching_status, r.claimed_matched_transactions) <> ''`,
    wrong: tx`(${otherStatus} or (case
      when ${plainlyOurs} then false
      else coalesce(${claimedIds}, '') <> coalesce(${ourIds}, '') end))`,
    mayBeWrong: tx`(${otherStatus} or not coalesce(${plainlyOurs}, false))`,
    expected: ours,
    actual: theirs,
    message: tx`format('The file itself claims %s; our own result, which counts, is %s.', ${theirs}, ${ours})`,
  };
}
