import { derivedId, type Fragment, type Tx } from '../fragment.js';
import { onCopiedPayments, paymentsUnderReview } from '../copies-from-shards.js';
import { discrepancyCodes, type DiscrepancyCode } from '../../findings/discrepancy-codes.js';

/**
 * One row of the table of design 4.6 that can be checked on a single record, as SQL over
 *
 * - `r` settlement_records, `m` its match (status, payment_key)
 * - `p` the payment of a MATCHED record, else nulls
 * - `v` nulls unless that payment is reversed in full
 * - `e` nulls unless the record is a failed settlement that was repeated with success
 *
 * The same definition finds the discrepancies of a run and explains a single record. `expected`, `actual` and `message`
 * are text; `difference` is in hundredths (actual minus expected).
 */
export interface Check {
  readonly code: DiscrepancyCode;
  /** Whether the check is made for such a record. */
  readonly applies: Fragment;
  /** The condition of a discrepancy, where the check applies. */
  readonly wrong: Fragment;
  /**
   * For a check that needs a look-up: a condition on the record and its payment alone that is true whenever `wrong`
   * may be. A look-up per row would prevent parallel plans for a million rows.
   */
  readonly mayBeWrong?: Fragment;
  readonly expected: Fragment;
  readonly actual: Fragment;
  readonly difference?: Fragment;
  readonly message: Fragment;
}

/** Whether the check finds something wrong: never null, because an unknown value does not contradict anything. */
export function holdsAgainst(tx: Tx, check: Check): Fragment {
  return tx`coalesce(${check.applies} and ${check.wrong}, false)`;
}

/**
 * Whether a check may find something wrong, decided without a look-up. Each check is named in the statement, so that it
 * can be read where it is logged.
 */
export function anyMayHold(tx: Tx, checks: readonly Check[]): Fragment {
  return checks
    .map((check) => {
      const mayHold = holdsAgainst(tx, { ...check, wrong: check.mayBeWrong ?? check.wrong });
      return tx`${tx.unsafe(`/* ${check.code} */`)} ${mayHold}`;
    })
    .reduce((any, more) => tx`${any} or ${more}`);
}

/**
 * Applies the checks to the records that need a review and writes what is wrong to `found`, with messages for finance.
 */
export async function collectRecordFindings(tx: Tx, checks: readonly Check[]): Promise<void> {
  const each = checks
    .map(
      (check) => tx`select ${check.code}::text, ${discrepancyCodes[check.code].severity}::text,
        ${check.expected}::text, ${check.actual}::text, ${check.difference ?? tx`null`}::bigint,
        ${check.message}::text where ${holdsAgainst(tx, check)}`,
    )
    .reduce((all, more) => tx`${all} union all ${more}`);
  const payments = tx`${paymentsUnderReview(tx)}
    union all
    select c.payment_key from match_candidates c join new_matches n on n.file_id = c.file_id and n.line = c.line
    where n.needs_review
    union all
    select a.payment_key from applied_links a join new_matches n on n.file_id = a.file_id and n.line = a.line
    where n.needs_review`;
  await onCopiedPayments(tx, payments, () => writeRecordFindings(tx, each, mayHaveFinding(tx, checks)));
}

/**
 * Whether a check may hold against a record that a weaker key matched. The fast path asked this of all others. One
 * condition is decided in less than half of the time that it takes to make every check. In a file without UniqueIDs,
 * this is done for each record.
 */
function mayHaveFinding(tx: Tx, checks: readonly Check[]): Fragment {
  return tx`(m.matched_by is null or m.matched_by = 'UNIQUE_ID' or ${anyMayHold(tx, checks)})`;
}

async function writeRecordFindings(tx: Tx, each: Fragment, mayHave: Fragment): Promise<void> {
  await tx`
    insert into found (id, code, severity, file_id, line, payment_key, expected, actual, difference_minor, message)
    select ${recordFindingId(tx, tx`f.code`)}, f.code, f.severity, r.file_id, r.line, m.payment_key,
      f.expected, f.actual, f.difference_minor, f.message
    from review_records r
    join new_matches m on m.file_id = r.file_id and m.line = r.line and m.needs_review
    left join payments p on p.key = m.payment_key
    left join reversed_payments v on v.payment_key = m.payment_key
    left join repeated_failures e on e.file_id = r.file_id and e.line = r.line
    cross join lateral (${each}) f (code, severity, expected, actual, difference_minor, message)
    where ${mayHave}`;
}

/** What a message says about the amount of record `r`: the money of a FAILED record did not move. */
export function wasSettled(tx: Tx): Fragment {
  return tx`case r.settlement_status when 'FAILED' then 'was to be settled' else 'was settled' end`;
}

/** The id of a finding about record `r`: always the same for the same record and code. */
export function recordFindingId(tx: Tx, code: Fragment): Fragment {
  return derivedId(tx, tx`${code} || ':' || r.fingerprint || ':' || r.occurrence`);
}

/** The id of a finding about a payment as a whole: the same whichever of its records shows it (design 4.6). */
export function paymentFindingId(tx: Tx, code: Fragment, paymentId: Fragment): Fragment {
  return derivedId(tx, tx`${code} || ':' || ${paymentId}`);
}
