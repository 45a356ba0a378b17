import { planForMillions } from '../db/plan-for-millions.js';
import { sampleRows } from '../db/sample-rows.js';
import type { Tx } from './fragment.js';

/*
 * The temporary tables with which one matching transaction passes its intermediate results from step to step; they end
 * with it. Those marked (shards) exist only with shards. A table that a step drops again is described there.
 *
 * Earlier records that are matched again (`select-rechecks.ts`, `changed-payments/`):
 * - `looked_at_payments`, `changed_payments`, `parent_ids`, `changed_parents`: the payments to which something happened
 *   since the last run, and those to which they refer; `changed_references` (shards): the latter
 * - `pending_payments`: the payments to look at again
 * - `related_payments`, `last_related`, `next_related`, `related_records`: the payments whose records may depend on
 *   these, and such records
 * - `awaited_payments`: the new payments with an identifier of a record that is matched to another one;
 *   `frequent_values`, `former_placeholders`: the values that many of these have, and those that many others had before
 * - `awaiting_records`, `awaited_values`, `placeholders`: the records that await an identifier of the changed payments,
 *   the values, and those of them that identify no payment
 * - `rematched_records`: the records that another key matched before
 * - `open_records` (shards): the earlier records that a run matches again because they are open
 *
 * Withdrawn files and manual links (`deliveries/apply-withdrawals.ts`, `manual-links/`):
 * - `withdrawn_now`, `pending_files`, `affected_records`, `brought_again`: files that are withdrawn, those of them and
 *   of the restored ones on which no run has acted, and their records
 * - `changed_records`: the records that begin or cease to count, and those that hold the chargeback id of one;
 *   `moved_records`: those that another file may have brought first now; `extra_records`: those that a re-run has to
 *   match although their date is not in its range
 * - `named_payments`: the changed or moved records whose UniqueID names a payment, with its key
 * - `manual_links`, `redecided_records`: the links and unlinks in effect, and the records that were matched to other
 *   payments; `released_links`: the chargeback links of those of them that lost their payment
 *
 * The result of each record (`fast-path.ts`, `apply-key-hits.ts`):
 * - `partly_reversed` (shards): the payments with a reversal
 * - `new_matches`: the result for every record in scope, whether it needs a review, and its stored result;
 *   `former_matches`: the same before many results of weaker keys are added
 * - `review_records`: those that need a review, with all their columns; `undecided_records`: those of them for which
 *   UniqueID found no payment
 * - `result_counts` (shards): how many results each file has
 *
 * Which deliveries of a record count (`deliveries/judge-deliveries.ts`):
 * - `shared_payments`: the payments of several records in scope; `repeated_payments`: those with several records,
 *   counting earlier ones
 * - `late_payments`, `keyed_records`, `delivery_suspects`, `delivery_groups`, `delivery_payments`,
 *   `delivery_candidates`, `delivery_members`, `carriers`, `received_deliveries`, `deliveries`, `delivery_places`,
 *   `uncounted_deliveries`, `new_judgements`: records that several files delivered with other cells, and which of them
 *   count; `delivery_results` (shards): the results of the payments of their groups
 * - `returned_again`: records that wait for a decision about their return, and that a file brings once more
 * - `late_records`: these, and records of other runs that count differently now
 *
 * Weaker keys and references (`match-by-weaker-keys.ts`, `references.ts`):
 * - `key_hits`, `kept_hits`: the payments that the weaker keys found for the undecided records, and those that
 *   narrowing left
 * - `found_payments`: what the key that is tried finds; `crowded_values`: the values that find too many payments
 * - `busy_attributes`, `busy_records`, `busy_payments`, `busy_brands`, `busy_times`: the attributes that several
 *   records and too many payments have in common, these records and payments, and how many each record finds
 * - `decided_records`: those for which a key has found a payment, so that no weaker key is tried
 * - `misfits`, `family_tree`, `families`: the payments of other types that keys found, all payments of their families,
 *   and the members of each whose type fits a record
 * - `misfit_records`, `fitting_members`, `fitting_counts`, `family_choices`, `family_hits`: the records that name such
 *   payments, the members that fit those which name the same ones, how many there are of each amount, which of them and
 *   how many are left to each record, and these; `crowded_families`: the records that would be left with too many
 *
 * Room (`narrow-by-room.ts`):
 * - `contested`: the payments left to records with several
 * - `room_payments`, `room_takers`, `rooms`: which of them have room, and the records that take it
 * - `without_room`: those dropped; `room_rechecks`: older records to judge again
 *
 * What is stored of the results (`store-matches.ts`):
 * - `lost_payments`: payments to which a record was matched before, or which a record listed
 * - `changed_candidates`: the earlier records of which a candidate was added or removed
 *
 * Chargebacks (`assign-chargebacks.ts`):
 * - `changed_links`: the chargeback links of the changed records; `removed_links`: those of them that return their id
 *   to another record; `inherited_links`: the ids that pass to another record; `moved_reversals`: the links of
 *   reversals whose chargeback is now one of another payment
 * - `links_of_removed`: the ids of the bookings of removed records that were delivered again; `former_holders`: the
 *   links of other records that had such an id until then
 * - `touched_payments`: the payments whose reversals are linked to chargebacks
 * - `booked_payments`, `ids_of_booked`, `core_chargebacks`, `core_reversals`: payments, and what is booked on them: the
 *   back office may have booked some of it by hand
 * - `new_links`, `new_bookings`: the chargeback ids given by this run, and what the payment core books for them
 * - `booking_sums` (shards): the sums of the records and bookings of chargebacks
 *
 * Discrepancies (`find-discrepancies.ts`):
 * - `review_payments`, `summed_payments`, `reversed_payments`: the payments of records under review, those of them
 *   whose records are added up, and those that are reversed in full
 * - `summed_records`: the records of those payments
 * - `failed_records`, `repeated_failures`: the failed ones of these, and those of them that were repeated with success
 * - `due_payments`, `unsettled_payments`: payments whose settlement may be missing, and those of them without one;
 *   `results_of_due`: the records that are matched to the former, and those that list them; `missing_on_shards`
 *   (shards): the findings about the latter
 * - `found`: everything that is wrong
 * - `looked_at_findings`: the open discrepancies that this transaction checked again
 *
 * A work table that is joined has an index on what it is joined by, and is analysed once it is filled. The planner's
 * estimate of a join or of a condition may be wrong by any factor, and it then compares every row of one table with
 * every row of another; with an index the worst case is one look-up per row. The difference of two sets is computed
 * with `except`, which is never a loop within a loop.
 */

/** Sets what statements over millions of rows need, and that a work table to drop may be missing without a notice. */
export async function prepareMatching(tx: Tx): Promise<void> {
  await planForMillions(tx);
  await tx`set local client_min_messages to warning`;
}

/** Indexes and analyses `new_matches` once it is filled, because later steps look up few of its rows. */
export async function indexMatches(tx: Tx): Promise<void> {
  // All later steps read the few records with needs_review.
  await tx`create index on pg_temp.new_matches (file_id, line) where needs_review`;
  // There are usually none: without the index, five statements would read all results to find those that had one
  // before.
  await tx`create index on pg_temp.new_matches (former_payment_key) where not is_new`;
  await sampleRows(tx, 9000, tx`new_matches`);
}
