import type { Fragment, Reader } from '../db/client.js';

/**
 * The decisions in effect that change matching (design 4.8, 4.9): a fragment that selects `file_id`, `line`, `kind`
 * (`decision_kind`), `payment_key` and `number`, for each record:
 *
 * - `link`, one row: the record belongs to `payment_key`, whatever the keys find (MatchedBy MANUAL);
 * - `unlink`, a row per payment: the record does not belong to `payment_key`, so that payment is not its candidate;
 * - `supersede` or `keep-both`, one row: what was decided about its RECORD_REDELIVERED.
 *
 * A record has rows of `link` or rows of `unlink`, never both: the latest one that was not taken back decides. An
 * `unlink` of a payment that was linked again later is not in effect. Such decisions do not lapse: they hold until
 * somebody takes them back.
 *
 * @param record restricts `d` (decisions) to those of one record, for a lateral join: as one list, all were compared
 *   with each of 20,000 records whenever the planner expected few. For the same reason, what was taken back is looked
 *   up as a value, and not by `not exists`, which may become a join with everything that was ever taken back.
 */
export function matchingDecisions(tx: Reader, record: Fragment = tx`true`): Fragment {
  return tx`
    select file_id, line, kind, payment_key, number
    from (
      select d.file_id, d.line, d.kind, d.payment_key, d.number,
        last_value(d.kind) over of_record as last_kind,
        last_value(d.number) over of_record as last_number,
        max(d.number) filter (where d.kind = 'link')
          over (partition by d.file_id, d.line, d.payment_key) as linked_at
      from decisions d
      where d.kind in ('link', 'unlink', 'supersede', 'keep-both') and ${record}
        and (select u.number from decisions u where u.kind = 'undo' and u.refers_to = d.number) is null
      window of_record as (partition by d.file_id, d.line, d.kind in ('link', 'unlink') order by d.number
        rows between unbounded preceding and unbounded following)
    ) d
    where case d.kind
      when 'unlink' then d.last_kind = 'unlink' and d.number > coalesce(d.linked_at, 0)
      else d.number = d.last_number end`;
}

/**
 * The records about which a decision that changes matching has ever been made, even one that was taken back: a fragment
 * that selects `file_id` and `line`. A run has to match them again, since the result may no longer be the stored one.
 */
export function recordsWithMatchingDecisions(tx: Reader): Fragment {
  return tx`select distinct d.file_id, d.line from decisions d
    where d.kind in ('link', 'unlink', 'supersede', 'keep-both') and d.file_id is not null`;
}
