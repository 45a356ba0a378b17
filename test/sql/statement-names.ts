/** What a statement of the record path does and when it runs, recognised by how it begins. */
export interface StatementName {
  readonly begins: RegExp;
  /** File name in docs/sql, without its ending. */
  readonly name: string;
  /** The comment at the head of the file. */
  readonly does: string;
}

const name = (begins: RegExp, file: string, does: string): StatementName => ({ begins, name: file, does });

/** In the order of a run. Spaces stand for any white space. */
export const statementNames: readonly StatementName[] = [
  name(
    /^copy settlement_records /,
    'load/copy-records',
    'Stores the accepted rows of a file that are new; while a file is loaded.',
  ),
  name(
    /^copy settlement_records_N /,
    'load/copy-records-of-large-file',
    'Stores the accepted rows of a large file in its own table; while it is loaded.',
  ),
  name(
    /^copy rejected_rows /,
    'load/copy-rejected-rows',
    'Stores the rejected rows of a file with their issues; while a file is loaded.',
  ),
  name(
    /^insert into row_places /,
    'load/store-row-places',
    'Stores where rows of a file begin, every few kilobytes; for files of more than 64 KB.',
  ),
  name(
    /^select exists \( select from unnest/,
    'load/check-first-rows',
    'Checks whether one of the first 200 rows is stored already: the whole file is then compared before it is stored.',
  ),
  name(
    /^select exists \( select from settlement_records n join/,
    'load/check-other-parts',
    'Checks whether another part holds a record of the file that was just copied; only if its dates overlap.',
  ),
  name(
    /^create temporary table staged_records/,
    'load/create-staging',
    'Creates the table in which the rows of a file are compared with the stored records; only if some are known.',
  ),
  name(/^copy staged_records /, 'load/copy-to-staging', 'Copies the accepted rows of such a file there.'),
  name(
    /^create temporary table numbered_records/,
    'load/number-twins',
    'Numbers identical rows of the file by line.',
  ),
  name(
    /^insert into already_known_rows/,
    'load/note-known-rows',
    'Notes the rows that are stored already, each with the file and line of its record.',
  ),
  name(/^insert into settlement_records /, 'load/store-new-rows', 'Stores the other rows.'),
  name(
    /^insert into settlement_records_N /,
    'load/store-new-rows-of-large-file',
    'Stores the other rows of a large file in its own table.',
  ),
  name(
    /^create table "settlement_records_N" \([^()]*\([^()]*\)\)$/,
    'load/create-shared-part',
    'Creates the table that small files share; before the first file of a month, or the first after a large one.',
  ),
  name(
    /^create table "settlement_records_N"/,
    'load/create-part',
    'Creates the table of a large file; before its records are stored.',
  ),
  name(
    /^create unique index "settlement_records_N_identity"/,
    'load/index-part-identity',
    'Creates the unique index on the identity of records; after the part was filled.',
  ),
  name(
    /^alter table "settlement_records_N" add primary key/,
    'load/index-part-lines',
    'Creates the primary key of a filled table; before it is attached, so that other files need not wait for it.',
  ),
  name(
    /^alter table settlement_records attach/,
    'load/attach-part',
    'Attaches a filled table to settlement_records as a part.',
  ),
  name(
    /^alter table "settlement_records_N" drop constraint belongs_to_part/,
    'load/drop-part-constraint',
    'Drops the constraint because of which attaching need not read the table.',
  ),
  name(
    /^select currency, count.* from settlement_records /,
    'load/check-control-totals',
    'Adds up what a file has stored, to compare it with what was read; before a load is committed.',
  ),
  name(
    /^select currency, count.* from "settlement_records_N"/,
    'load/check-control-totals-of-large-file',
    'Adds up what a large file has stored in its own table, to compare it with what was read.',
  ),
  name(
    /^select r\.currency, count.*with repeated/,
    'load/check-known-control-totals-of-whole-files',
    'Adds up the known rows of a file that repeats most of earlier files, for the same comparison.',
  ),
  name(
    /^select r\.currency, count.* from already_known_rows/,
    'load/check-known-control-totals',
    'Adds up the known rows of a file, for the same comparison; only if it has any.',
  ),
  name(
    /^update settlement_files set status = 'loaded'/,
    'load/finish-file',
    'Marks a file as loaded with its counts; last statement of a load.',
  ),
  name(
    /^create temp table withdrawn_now/,
    'deliveries/list-withdrawn-files',
    'Lists the files that are withdrawn now; only if a file was ever withdrawn.',
  ),
  name(
    /^create temp table pending_files/,
    'deliveries/list-pending-files',
    'Lists the files whose withdrawal or restoration no run has acted on.',
  ),
  name(
    /^create temp table affected_records/,
    'deliveries/list-affected-records',
    'Lists the records that these files brought, and those of withdrawn files that the new files repeat.',
  ),
  name(
    /^create temp table brought_again/,
    'deliveries/list-repeated-records',
    'Lists those that a file brought which is not withdrawn.',
  ),
  name(
    /^insert into changed_records .* from affected_records/,
    'deliveries/list-changed-records',
    'Lists the records that count from now on, or no longer count.',
  ),
  name(
    /^delete from uncounted_records u using changed_records/,
    'deliveries/count-restored-records',
    'Lets the records of restored files count again.',
  ),
  name(
    /^insert into uncounted_records .* 'WITHDRAWN'/,
    'deliveries/exclude-withdrawn-records',
    'Stores the records of withdrawn files as not counting.',
  ),
  name(
    /^delete from withdrawn_files/,
    'deliveries/mark-restored-files',
    'Marks the restorations as in effect.',
  ),
  name(
    /^insert into withdrawn_files/,
    'deliveries/mark-withdrawn-files',
    'Marks the withdrawals as in effect.',
  ),
  name(
    /^with changed as \(.*select case when p\.withdrawn/,
    'deliveries/read-applied-withdrawals',
    'Reads what took effect, for the summary.',
  ),
  name(
    /^insert into run_rechecks .* from changed_records/,
    'deliveries/recheck-changed-records',
    'Notes the records that changed, and the reversals of chargebacks among them, as checked again by this run.',
  ),
  name(
    /^insert into run_rechecks .* from late_records/,
    'deliveries/recheck-late-records',
    'Does the same once deliveries were compared, for the records that are not in this matching yet.',
  ),
  name(
    /^insert into run_rechecks .* from room_rechecks/,
    'match/add-rechecks',
    'Notes the records that are judged again as looked at again by this run.',
  ),
  name(
    /^insert into run_rechecks .* k\.record_file_id, k\.record_line from row_corrections/,
    'match/select-repeated-by-corrections',
    'Selects the records that newly corrected rows repeat; only if a row was ever corrected.',
  ),
  name(
    /^insert into run_rechecks .* from row_corrections/,
    'match/select-corrected-rows',
    'Selects the corrected rows of earlier files that no run has matched; only if a row was ever corrected.',
  ),
  name(
    /^select last\.as_of.* or earlier\.run_id = last\.run_id /,
    'match/read-seen-payments',
    'Returns up to where former runs looked at payments.',
  ),
  name(
    /^create temp table "?looked_at_payments/,
    'match/list-looked-at-payments',
    'Lists the payments to which something may have happened since the last run: new, changed and pending ones.',
  ),
  name(
    /^create temp table pending_payments on commit/,
    'match/list-pending-payments',
    'Lists the pending payments among them, at which the next run looks again.',
  ),
  name(
    /^create temp table changed_payments/,
    'match/list-changed-payments',
    'Lists the payments to which something has happened; usually none, and the next steps are left out.',
  ),
  name(
    /^create temp table parent_ids/,
    'match/list-parent-ids',
    'Lists the payments to which they refer, without those that are new as well.',
  ),
  name(/^create temp table "?changed_parents/, 'match/find-changed-parents', 'Looks these up.'),
  name(
    /^delete from changed_payments/,
    'match/drop-new-families',
    'Drops the new payments that refer to a new one: no earlier record can depend on them.',
  ),
  name(
    /^insert into related_payments .* from changed_payments c join changed_parents/,
    'match/add-changed-parents',
    'Adds the payments to which changed ones refer.',
  ),
  name(
    /^insert into related_payments .* from changed_payments/,
    'match/add-changed-payments',
    'Begins the list of the payments whose records may depend on the changed ones.',
  ),
  name(
    /^create temp table "?next_related.* from \(select distinct "?short_id/,
    'match/find-similar-payments',
    'Finds the payments that share an identifier with a changed one.',
  ),
  name(
    /^create temp table "?next_related/,
    'match/find-neighbours',
    'Finds the parents and children of the payments that were listed last; repeated until there are no more.',
  ),
  name(
    /^create temp table last_related/,
    'match/list-last-related',
    'Copies the payments that were listed last.',
  ),
  name(
    /^insert into related_payments/,
    'match/add-related-payments',
    'Adds the payments that are not listed yet.',
  ),
  name(
    /^create temp table "?related_records/,
    'match/find-related-records',
    'Finds the records that depend on these payments.',
  ),
  name(
    /^create temp table "?awaited_payments"? on/,
    'match/list-awaited-payments',
    'Lists the new payments that are not late, but have an identifier of a record that is matched to another one.',
  ),
  name(
    /^create temp table frequent_values/,
    'match/list-frequent-values',
    'Lists the values that too many of these payments have.',
  ),
  name(
    /^create temp table "?former_placeholders/,
    'match/list-former-placeholders',
    'Lists those of them that too many payments had before.',
  ),
  name(
    /^create temp table awaited_values/,
    'match/list-awaited-values',
    'Lists the identifiers of changed payments that earlier records await, before and after the change.',
  ),
  name(
    /^create temp table "?placeholders/,
    'match/list-placeholders',
    'Lists those of them that too many payments have, before and after the change.',
  ),
  name(
    /^insert into awaiting_records/,
    'match/list-awaiting-records',
    'Lists the records that await the others.',
  ),
  name(
    /^insert into run_rechecks .* from related_records/,
    'match/recheck-related-records',
    'Notes these records as checked again by this run.',
  ),
  name(
    /^insert into run_rechecks/,
    'match/select-rechecks',
    'Selects the earlier records that are still open, so that this run matches and checks them again.',
  ),
  name(
    /^create temp table manual_links/,
    'decisions/list-links',
    'Lists the links and unlinks by people that are in effect; only if there ever was one.',
  ),
  name(
    /^create temp table redecided_records/,
    'decisions/list-redecided-records',
    'Lists the records whose stored result is based on other links and unlinks: they are matched again.',
  ),
  name(
    /^create temp table new_matches .* from former_matches/,
    'match/write-key-hits',
    'Writes the results together with the hits of the weaker keys, in a file without UniqueIDs.',
  ),
  name(
    /^create temp table new_matches/,
    'match/fast-path',
    'Matches every record in scope by UniqueID, makes every check, and marks the records that need a review.',
  ),
  name(
    /^select file_id as id, count\(\*\).* from new_matches where needs_review/,
    'match/list-files-to-review',
    'Lists the files of the records that need a review, and shows whether these are so few that they are looked up.',
  ),
  name(
    /^create temp table "review_records"/,
    'match/list-review-records',
    'Copies the records that need a review, which all later steps read.',
  ),
  name(
    /^create temp table undecided_records/,
    'match/list-undecided-records',
    'Copies those of them for which UniqueID found no payment: the weaker keys read only these.',
  ),
  name(
    /^create temp table shared_payments/,
    'match/list-shared-payments',
    'Lists the payments to which several records in scope are matched.',
  ),
  name(
    /^create temp table repeated_payments/,
    'match/list-repeated-payments',
    'Lists the payments with several records, and whether two of them are of different files.',
  ),
  name(
    /^create temp table "late_payments"/,
    'match/list-late-payments',
    'Lists earlier records whose UniqueID found no payment and would find one now; usually none.',
  ),
  name(
    /^update delivery_keys d set awaited_id = null/,
    'deliveries/forget-awaited-payments',
    'Notes that UniqueID has now matched such records.',
  ),
  name(
    /^insert into delivery_suspects select l\.key/,
    'deliveries/find-by-late-payments',
    'Finds those of them that may be delivered again: their payment has a record in this run.',
  ),
  name(
    /^update delivery_keys d set awaited_id = k/,
    'match/remember-awaited-payments',
    'Notes which payment a record with a stored key waits for.',
  ),
  name(
    /^create temp table keyed_records/,
    'match/list-delivery-keys',
    'Computes the keys by which other deliveries of a record are found, for those that no payment leads to.',
  ),
  name(
    /^create temp table "named_payments"/,
    'deliveries/list-named-payments',
    'Lists the payments that the records of withdrawn or restored files name.',
  ),
  name(
    /^insert into delivery_suspects select k\.key, max/,
    'match/find-deliveries-by-payment',
    'Finds the records of one payment that several files delivered with other cells.',
  ),
  name(
    /^insert into delivery_suspects select key, null/,
    'deliveries/find-within-withdrawn-files',
    'Finds two records of one withdrawn file that are deliveries of each other, because other files bring them.',
  ),
  name(
    /^insert into \S*moved_records/,
    'deliveries/list-moved-records',
    'Lists the records that still count, and that another file may have brought first now.',
  ),
  name(
    /^insert into delivery_suspects select d\.key, null/,
    'match/find-deliveries-by-key',
    'Finds the other records that several files delivered with other cells.',
  ),
  name(
    /^insert into delivery_suspects select k\.key, k\.unique_id from named_payments/,
    'deliveries/find-by-changed-records',
    'Finds the other deliveries of records of withdrawn or restored files.',
  ),
  name(
    /^insert into delivery_suspects select \(case .* intersect /,
    'deliveries/find-returned',
    'Finds the replaced records that a later file brings again as they were.',
  ),
  name(
    /^insert into delivery_suspects select \(case/,
    'deliveries/find-by-decisions',
    'Finds the records that somebody decided about, and undecided ones of a source that no longer asks.',
  ),
  name(
    /^insert into delivery_keys .* from keyed_records/,
    'deliveries/remember-keys',
    'Stores the keys of the records that no payment leads to.',
  ),
  name(
    /^create temp table delivery_groups/,
    'deliveries/list-groups',
    'Lists the keys of records that several files delivered; usually none, and the next steps are left out.',
  ),
  name(
    /^create temp table "delivery_payments"/,
    'deliveries/list-payments-of-groups',
    'Lists the payments that these records name, each once.',
  ),
  name(
    /^create temp table delivery_candidates/,
    'deliveries/list-candidates',
    'Lists all records with one of these keys or payments.',
  ),
  name(
    /^create temp table delivery_members/,
    'deliveries/list-members',
    'Lists the deliveries of each of these records.',
  ),
  name(
    /^create temp table carriers/,
    'deliveries/list-carriers',
    'Lists the files, not withdrawn, that brought each delivery.',
  ),
  name(
    /^create temp table received_deliveries/,
    'deliveries/list-received',
    'Lists the deliveries of each source with the decision about each and the setting of the source.',
  ),
  name(
    /^create temp table delivery_places/,
    'deliveries/list-places',
    'Numbers the files of each source that bring one of these records, in the order of receipt.',
  ),
  name(
    /^create temp table deliveries/,
    'deliveries/order-deliveries',
    'Orders the deliveries by these numbers.',
  ),
  name(
    /^select d\.number as "group"/,
    'deliveries/read-deliveries',
    'Reads them in this order, to judge which of them count: equal amounts are compared first.',
  ),
  name(
    /^insert into uncounted_deliveries/,
    'deliveries/list-uncounted',
    'Lists those that wait for a decision or are superseded.',
  ),
  name(
    /^create temp table new_judgements/,
    'deliveries/list-new-judgements',
    'Lists what differs from the stored judgements.',
  ),
  name(
    /^delete from uncounted_records u using new_judgements/,
    'deliveries/count-again',
    'Lets the records count again that are no longer superseded or undecided.',
  ),
  name(
    /^insert into uncounted_records .* from new_judgements/,
    'deliveries/store-uncounted',
    'Stores the records that are superseded or wait for a decision.',
  ),
  name(
    /^insert into changed_records \(file_id, line, counts\) select holder/,
    'deliveries/add-holders-of-ids',
    'Adds the records that hold the chargeback id of a changed record: it returns if that one counts again.',
  ),
  name(
    /^insert into changed_records .* from new_judgements/,
    'deliveries/list-judged-records',
    'Adds the records whose judgement changed to the changed ones.',
  ),
  name(
    /^insert into delivery_keys .* from new_judgements/,
    'deliveries/remember-judged-keys',
    'Stores the keys of these records, so that later runs find them.',
  ),
  name(
    /^create temp table late_records/,
    'deliveries/list-late-records',
    'Lists the changed records that are not in this matching yet.',
  ),
  name(
    /^select distinct c\.file_id as id from run_rechecks/,
    'match/list-recheck-files',
    'Lists the other files with records that a run matches again, if these records are so few that they are looked up.',
  ),
  name(
    /^insert into new_matches .* from run_rechecks/,
    'match/match-rechecks',
    'Matches these records as the fast path does.',
  ),
  name(
    /^insert into new_matches .* from late_records/,
    'deliveries/match-late-records',
    'Matches them as the fast path does.',
  ),
  name(
    /^update new_matches n set status = 'NOT_APPLICABLE'/,
    'deliveries/exclude-uncounted',
    'Takes the records that do not count out of the results.',
  ),
  name(
    /^update new_matches n set needs_review = true/,
    'deliveries/review-undecided',
    'Marks the records that wait for a decision for review.',
  ),
  name(
    /^create temp table found_payments .*"short_id"/,
    'match/find-by-short-id',
    'Finds payments by ShortId for records that UniqueID did not decide.',
  ),
  name(
    /^create temp table found_payments .*"connector_tx_id1"/,
    'match/find-by-connector-tx-id',
    'Finds payments by ConnectorTxId1-3 for records that no stronger key decided.',
  ),
  name(
    /^create temp table busy_attributes /,
    'match/list-busy-attributes',
    'Lists the account, digits, amount and currency that several records and more payments than the limit have in common.',
  ),
  name(
    /^create temp table busy_records /,
    'match/list-busy-records',
    'Lists the records with these; only if there are any, as the next four.',
  ),
  name(
    /^create temp table busy_payments /,
    'match/list-busy-payments',
    'Reads their payments once, and numbers them by time for each brand.',
  ),
  name(
    /^create temp table busy_brands /,
    'match/list-busy-brands',
    'Lists which brands of these payments fit each brand of these records.',
  ),
  name(
    /^create temp table busy_times /,
    'match/count-busy-times',
    'Counts how many of these payments fit the records of each time and brand.',
  ),
  name(
    /^create temp table found_payments .*\bbusy_records\b/,
    'match/find-by-busy-attributes',
    'Finds payments by account, amount and time, those of such records in this list.',
  ),
  name(
    /^create temp table found_payments .*\bp\.entity_id = /,
    'match/find-by-attributes',
    'Finds payments by account, amount and time for records that no stronger key decided.',
  ),
  name(
    /^insert into crowded_values/,
    'match/list-crowded-values',
    'Lists the values that more payments have than the limit; after each of these.',
  ),
  name(/^delete from found_payments/, 'match/drop-crowded-values', 'Drops what these values found.'),
  name(
    /^insert into key_hits .*"short_id"/,
    'match/key-short-id',
    'Lists the payments of the same ShortId for each record.',
  ),
  name(
    /^insert into key_hits .*"connector_tx_id1"/,
    'match/key-connector-tx-id',
    'Lists the payments of the same ConnectorTxId1-3 for each record.',
  ),
  name(
    /^insert into key_hits .* from found_payments p\) p/,
    'match/key-attributes',
    'Lists the payments whose account, amount and time agree for each record.',
  ),
  name(
    /^insert into decided_records/,
    'match/list-decided-records',
    'Lists the records for which a key has found payments; after each weaker key.',
  ),
  name(
    /^create temp table kept_hits/,
    'match/narrow',
    'Narrows several payments by type, success and amount; a step that would leave none is skipped.',
  ),
  name(
    /^select 10 \* kept\.reltuples/,
    'match/compare-key-hits',
    'Tests whether the weaker keys found so many records that writing all results once more is faster than updating some.',
  ),
  name(
    /^update new_matches n set matched_by/,
    'match/apply-key-hits',
    'Writes the hits of the weaker keys to the results.',
  ),
  name(
    /^insert into misfits/,
    'match/list-misfits',
    'Lists the records for which a key found payments of other types only, with these payments.',
  ),
  name(
    /^insert into family_tree/,
    'match/list-family-tree',
    'Lists the ancestors and descendants of those payments by their references, at any depth, each once.',
  ),
  name(
    /^insert into families/,
    'match/list-families',
    'Lists for each of those payments the ancestors and descendants whose type fits a record.',
  ),
  name(
    /^create temp table misfit_records/,
    'match/list-misfit-records',
    'Lists the records that name such payments, with the same number for those that name the same ones.',
  ),
  name(
    /^create temp table fitting_members/,
    'match/list-fitting-members',
    'Lists the members of their families whose type fits.',
  ),
  name(
    /^create temp table fitting_counts/,
    'match/count-fitting-members',
    'Counts them by success and amount.',
  ),
  name(
    /^create temp table family_choices/,
    'match/choose-members',
    'Chooses which of them narrowing leaves to each record, and counts these.',
  ),
  name(
    /^insert into crowded_families/,
    'match/list-crowded-families',
    'Lists the records that would be left with too many.',
  ),
  name(
    /^insert into family_hits/,
    'match/find-in-families',
    'Finds the payments that are left to the other records.',
  ),
  name(
    /^update new_matches n set status = 'NOT_MATCHED', matched_by = null, payment_key = null from \(select distinct/,
    'match/leave-crowded-bookings',
    'Leaves the chargebacks and reversals among those with too many without a payment.',
  ),
  name(
    /^delete from key_hits h using crowded_families/,
    'match/drop-crowded-bookings',
    'Drops what the keys found for these.',
  ),
  name(
    /^delete from key_hits/,
    'match/drop-misfits',
    'Drops what the keys found where a member of the family fits.',
  ),
  name(
    /^insert into key_hits .* from family_hits/,
    'match/insert-family-hits',
    'Puts the members of the family in its place.',
  ),
  name(
    /^insert into contested select k/,
    'match/list-contested',
    'Lists the payments of SETTLED records to which several are left, and whether each has room.',
  ),
  name(
    /^insert into room_payments/,
    'match/list-room-payments',
    'Lists the payments whose room may have changed and on which a record depends.',
  ),
  name(
    /^insert into room_takers/,
    'match/list-room-takers',
    'Lists the records that are matched to these payments without asking for room.',
  ),
  name(
    /^insert into rooms select p\.key/,
    'match/measure-room',
    'Adds them up: which of these payments still have room.',
  ),
  name(
    /^insert into rooms select payment_key/,
    'match/leave-room',
    'Notes that all of these payments have room; only if no record takes any.',
  ),
  name(
    /^insert into room_rechecks/,
    'match/list-room-rechecks',
    'Lists the records to judge again, because a payment of theirs gained or lost its room.',
  ),
  name(
    /^delete from room_rechecks/,
    'match/drop-room-rechecks-in-scope',
    'Leaves out those that this run matches anyway; only if there are any.',
  ),
  name(
    /^insert into contested select c/,
    'match/add-contested',
    'Adds the payments left to the records that are judged again.',
  ),
  name(
    /^insert into new_matches/,
    'match/add-rechecked-results',
    'Adds the results of the records that are judged again.',
  ),
  name(
    /^insert into review_records/,
    'match/add-rechecked-records',
    'Adds the records that are judged again to those that need a review.',
  ),
  name(
    /^insert into kept_hits/,
    'match/add-rechecked-hits',
    'Adds the payments left to the records that are judged again.',
  ),
  name(
    /^create temp table without_room/,
    'match/list-without-room',
    'Lists the payments without room of the records that have one with room.',
  ),
  name(/^delete from kept_hits/, 'match/drop-without-room', 'Drops them.'),
  name(
    /^update new_matches n set status = 'NOT_MATCHED'/,
    'decisions/apply-unlinks',
    'Takes the records that UniqueID matched to a payment that they were unlinked from away from it.',
  ),
  name(
    /^update new_matches n set status = 'MATCHED', matched_by = 'MANUAL'/,
    'decisions/apply-links',
    'Matches the linked records to the payments that were named.',
  ),
  name(
    /^delete from "(key|family)_hits"/,
    'decisions/drop-unlinked-payments',
    'Drops the payments that records were unlinked from out of what a key found.',
  ),
  name(
    /^update new_matches n set status = 'MATCHED'/,
    'match/apply-room',
    'Writes the results of the records to which one payment is left.',
  ),
  name(
    /^delete from room_candidates/,
    'match/delete-room-candidates',
    'Deletes what records were left with that are decided without asking for room now.',
  ),
  name(
    /^insert into room_candidates .* on conflict/,
    'match/store-room-candidates',
    'Stores what differs of what the records were left with, and which of these payments have room.',
  ),
  name(
    /^insert into room_candidates/,
    'match/insert-room-candidates',
    'Stores what new records were left with, and which of these payments have room.',
  ),
  name(
    /^insert into review_payments/,
    'match/list-review-payments',
    'Lists the payments under review: also those that a record settles in full.',
  ),
  name(
    /^insert into summed_payments/,
    'match/list-summed-payments',
    'Lists the payments whose records must be added up.',
  ),
  name(
    /^insert into reversed_payments/,
    'match/list-reversed-payments',
    'Lists the payments under review that are reversed in full.',
  ),
  name(/^insert into record_matches/, 'match/insert-results', 'Stores the results of new records.'),
  name(
    /^with changed as \( update record_matches/,
    'match/update-results',
    'Stores the results that changed, and keeps the former ones.',
  ),
  name(
    /^with deleted as \( ?delete from match_candidates/,
    'match/delete-candidates',
    'Deletes candidates of records that have been decided since.',
  ),
  name(
    /^with added as \( ?insert into match_candidates/,
    'match/add-candidates',
    'Stores the payments that were added to a record with MULTIPLE_MATCHES.',
  ),
  name(
    /^insert into match_candidates/,
    'match/insert-candidates',
    'Stores the payments of each new record with MULTIPLE_MATCHES.',
  ),
  name(
    /^create temp table rematched_records/,
    'match/list-rematched-records',
    'Lists the records that a weaker key matched before, and another key now.',
  ),
  name(
    /^delete from awaited_identifiers/,
    'match/delete-awaited-identifiers',
    'Deletes the awaited identifiers of these records.',
  ),
  name(
    /^insert into awaited_identifiers .* on conflict do nothing$/,
    'match/replace-awaited-identifiers',
    'Stores those of earlier records that another key matched now.',
  ),
  name(
    /^insert into awaited_identifiers/,
    'match/insert-awaited-identifiers',
    'Stores the identifiers of records that a weaker key matched: their payments may be stored later.',
  ),
  name(
    /^create temp table released_links/,
    'decisions/list-released-links',
    'Lists the chargeback ids of the redecided records that lost their payment, and of their reversals.',
  ),
  name(
    /^delete from chargeback_links l using released_links/,
    'decisions/release-chargebacks',
    'Takes these ids from the records.',
  ),
  name(
    /^update record_matches m set matched_by = null, matched_through = null from \(select file_id, line from removed_links/,
    'chargebacks/forget-keys',
    'Removes the key from the results of withdrawn records whose id returned to another record.',
  ),
  name(
    /^update record_matches m set matched_by = null, matched_through = null from/,
    'decisions/forget-keys',
    'Removes the key from the results of withdrawn records that lost their id, because they have no payment now.',
  ),
  name(
    /^create temp table changed_links/,
    'chargebacks/list-changed-links',
    'Lists the chargeback links of the changed records; mostly none.',
  ),
  name(
    /^with removed as \( delete from chargeback_links l using changed_records/,
    'chargebacks/remove-inherited-links',
    'Removes the links by which a record has the id of one that it no longer supersedes.',
  ),
  name(
    /^create temp table removed_links/,
    'chargebacks/create-removed-links',
    'Makes a table for the records of these links.',
  ),
  name(/^delete from changed_links/, 'chargebacks/drop-removed-links', 'Drops these from the changed links.'),
  name(
    /^create temp table inherited_links/,
    'chargebacks/find-inherited-links',
    'Finds the chargeback ids that pass from a superseded record to the one that supersedes it.',
  ),
  name(
    /^update chargeback_links set active = false/,
    'chargebacks/deactivate-links',
    'Deactivates the links of the records that do not count.',
  ),
  name(
    /^insert into chargeback_links .* from inherited_links/,
    'chargebacks/store-inherited-links',
    'Stores the links of the records that took an id over.',
  ),
  name(/^insert into changed_links/, 'chargebacks/add-inherited-links', 'Adds these to the changed links.'),
  name(
    /^update chargeback_links set active = true/,
    'chargebacks/activate-links',
    'Activates the links of the records that count again.',
  ),
  name(
    /^create temp table former_ids/,
    'chargebacks/create-former-ids',
    'Makes the table of the chargeback ids that reversals had.',
  ),
  name(
    /^with forgotten as/,
    'chargebacks/release-reversals',
    'Removes the links of the reversals that count again but whose chargeback another reversal has now.',
  ),
  name(
    /^create temp table moved_reversals/,
    'chargebacks/list-moved-reversals',
    'Lists the reversals whose chargeback is one of another payment now; mostly none.',
  ),
  name(
    /^with moved as \( delete from chargeback_links/,
    'chargebacks/release-moved-reversals',
    'Takes the chargeback id from these reversals, and adds them to the changed links.',
  ),
  name(
    /^select l\.booking_id as id, case/,
    'chargebacks/next-amended-bookings',
    'Reads the next bookings of the changed links with the values that they should have: amount 0 without an active link.',
  ),
  name(
    /^update payments p set amount_minor/,
    'chargebacks/amend-bookings',
    'Writes these values to the bookings, in the payment core.',
  ),
  name(
    /^select l\.booking_id as id, b\.payment_type.* from moved_reversals/,
    'chargebacks/list-bookings-of-moved',
    'Reads the bookings of these reversals that no record has any more; they get the amount 0.',
  ),
  name(
    /^select l\.booking_id as id, b\.payment_type/,
    'decisions/list-released-bookings',
    'Reads the bookings of the released ids that no record has any more; they get the amount 0.',
  ),
  name(
    /^delete from applied_links/,
    'decisions/forget-applied-links',
    'Deletes what the former results of the redecided records were based on.',
  ),
  name(
    /^insert into applied_links/,
    'decisions/note-applied-links',
    'Stores the links and unlinks that the new results are based on.',
  ),
  name(
    /^insert into new_links .* select r\.file_id/,
    'chargebacks/assign-ids',
    'Gives every matched CHARGEBACK record an id that derives from its identity.',
  ),
  name(
    /^insert into new_links .* select l\.file_id/,
    'chargebacks/link-reversals',
    'Gives every linked reversal the id of its chargeback.',
  ),
  name(
    /^insert into chargeback_links/,
    'chargebacks/store-links',
    'Stores the chargeback ids that this run gave, for one kind of record.',
  ),
  name(
    /^select from new_matches where reconciliation_type = 'CHARGEBACK REVERSAL'/,
    'chargebacks/has-reversals',
    'Checks whether the scope holds a matched reversal, if no chargeback got an id.',
  ),
  name(
    /^create temp table touched_payments/,
    'chargebacks/list-touched-payments',
    'Lists the payments whose reversals are linked to chargebacks.',
  ),
  name(
    /^create temp table "?(booked_payments|ids_of_booked)/,
    'chargebacks/list-booked-payments',
    'Lists the payments on which the back office may have booked a chargeback by hand; if the core has any payments.',
  ),
  name(
    /^create temp table "?core_/,
    'chargebacks/list-core-bookings',
    'Lists the chargebacks of these payments, and then the reversals of those.',
  ),
  name(
    /^select r\.file_id as "fileId", r\.line, m\.payment_key/,
    'chargebacks/waiting-reversals',
    'Reads the unlinked reversals of the payments in scope, in their order.',
  ),
  name(
    /^select r\.chargeback_id as "chargebackId"/,
    'chargebacks/open-chargebacks',
    'Reads the chargebacks that are not linked to a reversal yet, and those that were returned in part.',
  ),
  name(
    /^create temp table new_bookings/,
    'chargebacks/list-bookings',
    'Lists the chargebacks and reversals that the payment core books.',
  ),
  name(/^select position, id, payment_type/, 'chargebacks/next-bookings', 'Reads the next of them.'),
  name(
    /^select p\.id, d\.environment/,
    'chargebacks/referenced-payments',
    'Reads the payments that the booked ones refer to, whose owners get the notifications.',
  ),
  name(
    /^insert into payments /,
    'chargebacks/book-payments',
    'Books chargebacks (CB) and reversals (CR) as payments, in the payment core.',
  ),
  name(
    /^select json_build_object\( ?'key', p\.key/,
    'chargebacks/read-booked-payments',
    'Reads the booked payments, for the event of each booking.',
  ),
  name(
    /^insert into payment_events/,
    'chargebacks/record-events',
    'Records an event for each booking, in the payment core.',
  ),
  name(
    /^create temp table summed_records/,
    'discrepancies/list-summed-records',
    'Lists the records of the payments whose records are added up, whichever file they came in.',
  ),
  name(
    /^insert into failed_records/,
    'discrepancies/list-failed-records',
    'Lists the failed records of the payments under review, whichever file they came in.',
  ),
  name(
    /^insert into repeated_failures/,
    'discrepancies/list-repeated-failures',
    'Lists the failed settlements that later records made good: they are not SETTLEMENT_FAILED any more.',
  ),
  name(
    /^insert into found .* from failed_records /,
    'discrepancies/check-earlier-failures',
    'Checks SETTLEMENT_FAILED of records outside the scope, whose payment has a record in scope.',
  ),
  name(
    /^insert into found .*'RECORD_REDELIVERED'/,
    'discrepancies/compare-deliveries',
    'Finds RECORD_REDELIVERED: compares the cells of the records that wait for a decision with the former ones.',
  ),
  name(
    /^insert into found .* from review_records r/,
    'discrepancies/check-records',
    'Makes every check of a single record on the records that need a review, and writes the messages.',
  ),
  name(
    /^insert into found .* 'DUPLICATE_SETTLEMENT'|^insert into found .* in_order as/,
    'discrepancies/add-up-settlements',
    'Adds up the settlements of the payments under review: DUPLICATE_SETTLEMENT, AMOUNT_MISMATCH.',
  ),
  name(
    /^insert into found .* 'CHARGEBACK_EXCEEDS_PAYMENT'/,
    'discrepancies/add-up-chargebacks',
    'Adds up chargebacks less reversals: CHARGEBACK_EXCEEDS_PAYMENT.',
  ),
  name(
    /^insert into found .* 'CHARGEBACK_BOOKED_TWICE'/,
    'discrepancies/compare-hand-bookings',
    'Finds chargeback records of a payment that was charged back by hand before: CHARGEBACK_BOOKED_TWICE.',
  ),
  name(
    /^insert into lost_payments/,
    'discrepancies/list-lost-payments',
    'Lists the payments that a record was matched to before and is not matched to now.',
  ),
  name(
    /^select last\.as_of/,
    'discrepancies/read-former-check',
    'Returns up to where former runs looked for payments without a settlement.',
  ),
  name(
    /^select greatest\(max\(as_of\)/,
    'discrepancies/read-latest-as-of',
    'Returns the latest as-of date, at which a payment reported as missing was due.',
  ),
  name(
    /^insert into due_payments .*payments_to_check/,
    'discrepancies/list-payments-to-check',
    'Lists the payments with which something happened since the former run looked, and those reported as missing before.',
  ),
  name(
    /^insert into due_payments/,
    'discrepancies/list-due-payments',
    'Lists the payments whose settlement is due, and those reported as missing before.',
  ),
  name(
    /^insert into settlement_checks/,
    'discrepancies/note-check',
    'Notes up to where this run has looked for payments without a settlement.',
  ),
  name(
    /^delete from settlement_checks/,
    'discrepancies/forget-former-checks',
    'Deletes the notes of runs that no later run needs.',
  ),
  name(
    /^delete from payments_to_check/,
    'discrepancies/forget-checked-payments',
    'Empties the list of payments to look at again, which this run has done.',
  ),
  name(
    /^insert into payments_to_check select key from due_payments/,
    'discrepancies/note-pending-payments',
    'Notes the pending payments, at which the next run looks again.',
  ),
  name(
    /^insert into payments_to_check select key from lost_payments/,
    'discrepancies/note-lost-payments',
    'A re-run notes the payments that it took a record from, at which the next run looks again.',
  ),
  name(
    /^select exists \(select from settlement_files where status = 'retired'\) as removed$/,
    'discrepancies/has-removed-records',
    'Looks whether the records of any month were removed: then a payment that one of them was matched to is settled.',
  ),
  name(
    /^select exists \(select from removed_settlements\) as removed$/,
    'discrepancies/has-removed-settlements',
    'Looks whether there are settlements of removed months: then they are added up too.',
  ),
  name(
    /^create temp table results_of_due/,
    'discrepancies/list-results-of-due',
    'Lists the records that are matched to the due payments, and those that list them; except in a first run.',
  ),
  name(
    /^select file_id as id from results_of_due/,
    'discrepancies/list-files-of-due',
    'Lists the files of these records, those with most of them first.',
  ),
  name(
    /^insert into unsettled_payments/,
    'discrepancies/list-unsettled-payments',
    'Keeps the due payments that no settlement of a fitting type is matched to, and that no successful one lists.',
  ),
  name(
    /^delete from unsettled_payments/,
    'discrepancies/drop-reversed-payments',
    'Drops those that are reversed in full.',
  ),
  name(
    /^insert into found .* from unsettled_payments/,
    'discrepancies/missing-settlements',
    'Finds MISSING_SETTLEMENT: what is left of the unsettled payments.',
  ),
  name(
    /^insert into looked_at_findings/,
    'discrepancies/list-looked-at',
    'Lists the open discrepancies that this run checked again.',
  ),
  name(
    /^with resolved as \( update discrepancies/,
    'discrepancies/resolve',
    'Closes the discrepancies that were checked again and not found again, and keeps their former values.',
  ),
  name(
    /^insert into discrepancy_changes/,
    'discrepancies/keep-former-values',
    'Keeps the former values of the discrepancies that are found with others, for recon diff.',
  ),
  name(
    /^insert into discrepancies/,
    'discrepancies/store',
    'Stores the findings that are new, opened again or changed; unchanged ones are not written.',
  ),
  name(
    /^update discrepancies set accepted_at_risk_minor/,
    'discrepancies/forget-accepted',
    'Removes the notes that findings are accepted whose record has another payment or other candidates now.',
  ),
  name(
    /^select \(select coalesce\(max\(number\), 0\)::text from decisions\) as number/,
    'report/list-findings-to-compare',
    'Lists the findings that somebody accepted since the last run, and up to which decision; before items are counted.',
  ),
  name(
    /^update discrepancies d set accepted_at_risk_minor/,
    'report/note-accepted',
    'Notes which findings are accepted, and what is at risk in them, before items are counted.',
  ),
  name(
    /^select \(select name from settlement_files where id = file_id\) as name, records, results/,
    'match/check-results',
    'Compares the number of records with the number of results; before matching is committed.',
  ),
  name(
    /^select coalesce\(r\.kind, b\.kind\)/,
    'chargebacks/check-bookings',
    'Compares the booked amounts with those of the records; before matching is committed.',
  ),
  name(
    /^select m\.status, count/,
    'report/count-results',
    'Counts the records in scope by result, for the summary.',
  ),
  name(
    /^select count\(\*\) filter \(where l\.kind/,
    'report/count-chargebacks',
    'Counts the chargebacks and linked reversals in scope, for the summary.',
  ),
  name(
    /^select t\.code, t\.severity/,
    'report/discrepancy-amounts',
    'Adds up the open discrepancies in scope by code, severity and currency, for a dry run.',
  ),
  name(
    /^select r\.file_id, false as known, .* as fee_place, count/,
    'report/control-totals',
    'Adds up the accepted rows in scope, for the summary and to check the reconciled files.',
  ),
  name(
    /^select r\.by_file_id/,
    'report/repeated-rows',
    'Adds up the rows that came in earlier files, for the summary and to check the reconciled files.',
  ),
  name(
    /^select unnest\(case when octet_length\(w\.line\).*with unresolved/,
    'report/open-items',
    'Reads open-items.csv: every open item of the database with its decision, pattern and suggested link.',
  ),
  name(
    /^select unnest\(case when octet_length\(w\.line\)/,
    'report/discrepancies',
    'Reads discrepancies.csv in its order: the values of each row as one text.',
  ),
  name(/^select f\.source, f\.name as file, t\.line/, 'report/rejected-rows', 'Reads rejected-rows.csv.'),
  name(
    /^select f\.name as file, f\.sha256, q\.line/,
    'report/corrections',
    'Reads corrections.csv: the rejected rows of all files that nobody has corrected.',
  ),
  name(
    /^select line, cells from row_corrections/,
    'report/corrected-rows',
    'Reads the corrected rows of a file, which its reconciled file has in place of the rejected ones.',
  ),
  name(
    /^select c\.file_id as "fileId", c\.line/,
    'load/list-corrected-rows',
    'Lists the corrected rows that are no records yet; only if a row was ever corrected.',
  ),
  name(
    /^update settlement_files set rows_accepted = rows_accepted/,
    'load/count-corrected-rows',
    'Moves the corrected rows of a file from its rejected to its accepted rows.',
  ),
  name(
    /^select unnest.* as raw_text from rejected_rows/,
    'report/rejected-amounts',
    'Reads the rejected rows in scope, to add up the amounts that they state.',
  ),
  name(/^select cb\.chargeback_id/, 'report/chargebacks', 'Reads chargebacks.csv in its order.'),
  name(
    /^select \(every\.items/,
    'report/count-items',
    'Counts the items of the whole database by state, for the `--json` document.',
  ),
  name(
    /^select status, currency, width_bucket/,
    'report/closed-items',
    'Adds up the accepted items and those that the run resolved, for page.html.',
  ),
  name(
    /^select id as "runId", kind, as_of/,
    'report/earlier-runs',
    'Reads the figures of the runs before, for the charts of page.html.',
  ),
  name(
    /^select id, name, sha256, report_name/,
    'report/list-files',
    'Lists the files for which a reconciled file is written.',
  ),
  name(
    /^select min\(line\) as line from .*match_candidates/,
    'report/window-cuts',
    'Finds the lines before which a window of results ends, because records before them have many candidates.',
  ),
  name(
    /^select string_agg\(t\.line.* from record_matches m left join.* union all select k\.line/,
    'report/file-exceptions-with-known-rows',
    'The same for a file that repeats rows of earlier files.',
  ),
  name(
    /^select string_agg\(t\.line.* from record_matches m left join/,
    'report/file-exceptions',
    'Reads columns 34-36 for those of a window of lines that are not matched by their own UniqueID.',
  ),
  name(
    /^select string_agg\(t\.line.* from already_known_rows/,
    'report/file-results-with-known-rows',
    'The same for a file that repeats rows of earlier files.',
  ),
  name(
    /^select string_agg\(t\.line/,
    'report/file-results',
    'Reads columns 34-36 for a window of lines of one file; while its reconciled file is written.',
  ),
  name(
    /^select array_to_string\(lines/,
    'report/row-places',
    'Reads where rows of a file begin, of which a re-run reports few days.',
  ),
  name(
    /^select r\.line .*uuid_send.* union all select k\.line/,
    'report/rows-of-days-with-known-rows',
    'The same for a file that repeats rows of earlier files.',
  ),
  name(
    /^select r\.line .*uuid_send/,
    'report/rows-of-days',
    'Reads the lines of such days with the fingerprints of their records and columns 34-36.',
  ),
];

/** Statements that are not about records: transactions, settings, locks, run and file bookkeeping, work tables. */
export const otherStatements: readonly RegExp[] = [
  /^(begin|commit|rollback|savepoint|release|set|lock table only) ?/,
  /^select (1$|b\.oid|pg_|set_config|current_setting|c\.relname|f\.id from|from new_matches$)/,
  /^(analyze|drop table|alter table pg_temp|create (unique )?index on "?pg_temp) ?/,
  /^create temp table \w+ \(/,
  // Whether too many payments of a family fit a record.
  /^select from crowded_families limit 1$/,
  // Whether a key still has records to find payments for.
  /^select from undecided_records r /,
  // Whether a payment under review was charged back.
  /^select l\.payment_key from review_payments s /,
  // Whether several payments are left to a SETTLED record.
  /^select from kept_hits k join new_matches n .* limit 1$/,
  /^select from (misfits|late_payments|room_candidates|room_rechecks|awaited_values|awaited_identifiers|frequent_values|former_placeholders|rematched_records|busy_attributes) limit 1$/,
  // Whether so many records have a value that reading all payments is faster than looking up each.
  /^select 10 \* count\(\*\) > \(select reltuples from pg_class .* from undecided_records r /,
  // Whether a file was withdrawn or restored, or holds such records; usually not, and then nothing else is done.
  /^select from (file_withdrawals|changed_records|uncounted_records|changed_links|delivery_groups|inherited_links) /,
  /^select from affected_records limit 1$/,
  /^select from repeated_payments where of_several_files limit 1$/,
  /^select from \( select distinct d\.file_id, d\.line from decisions d .* limit 1$/,
  // Whether something in the scope was retired or removed by retention; usually not, and then nothing else is done.
  /^select f\.name(, f\.sha256|, f\.rows_rejected)?.* from settlement_files f where f\.(status|rows_rejected) /,
  // Whether a file that a re-run fetched has records of days outside of the range; only rows of files are read.
  /^select count\(\*\)::integer as files, min\(f\.first_settlement_date\)/,
  // Which files have the records that a file repeats, and of which of them a large part is repeated.
  /^select f\.id, k\.repeated \* .* from already_known_rows/,
  // Whether anybody corrected a rejected row; usually not, and then nothing else is done.
  /^select from row_corrections limit 1$/,
  // Whether a reversal that waited since an earlier run is linked now.
  /^select booking_id from new_links where kind = .* limit 1$/,
  // Whether the core has made a payment, a re-run has matched a record before the first run, or a payment changed.
  /^select from (payment_details|record_matches|changed_payments) limit 1$/,
  // Whether anybody linked or unlinked a record; usually not, and then nothing else is done.
  /^select from (decisions where kind in|(released_links|moved_reversals) limit 1|\(select file_id, line from changed_records union)/,
  /^create trigger require_fence/,
  /^(update|insert into) (runs|run_fence|record_parts|audit_head|audit_events|accept_checks) ?/,
  // Whether the statistics of the candidates are out of date.
  /^select \$1 > 0\.1 \* reltuples as "isStale" from pg_class/,
  // Whether data is stored on shards.
  /^select relkind = 'p' as divided from pg_class/,
  // How many files workers can load, before a file is offered to them.
  /^select coalesce\(sum\(files_at_once\), 0\)/,
  // Whether a file that waits for its turn holds up an earlier one.
  /^select exists \(\s?select from pg_locks /,
  // Whether a list is so short that the record of each row is looked up.
  /^select \(select count\(\*\) from \(/,
  // The end of a run, and the end of the audit log.
  /^(with before as \(select id, status from runs|select number, hash from audit_head)/,
  /^(update|insert into) settlement_files (f set finished_run_id|set finished_run_id|\(id, sha256)/,
  // The parts of the records that may hold those of a file.
  /^with recursive files as materialized/,
  /^select (id|name|report_name|p\.month|first_file_id|count\(\*\) as count from rejected_rows)/,
];
