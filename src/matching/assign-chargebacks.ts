import { onCopies } from '../db/shards/on-copies.js';
import { failPoint } from '../fail-point.js';
import { copyOfResults, rowsOfPayments } from './copies-from-shards.js';
import { activateLinks } from './deliveries/activate-links.js';
import { takesPart } from './deliveries/takes-part.js';
import { bookNewLinks } from './chargebacks/book-new-links.js';
import { recordOrder, textArray, type Fragment, type Tx } from './fragment.js';
import { noteAppliedLinks } from './manual-links/apply-manual-links.js';
import { emptyBookings, releaseChargebacks } from './manual-links/release-chargebacks.js';
import { hasRemovedRecords } from './removed-records.js';
import { beginLoadingCore } from './chargebacks/load-core.js';
import { ownBookingId, type LinkKind } from './chargebacks/own-booking-id.js';
import {
  formerBookings,
  giveHoldersOwnIds,
  releaseRemovedLinks,
  takeFormerBookings,
} from './chargebacks/removed-chargebacks.js';
import { refreshStatistics } from './refresh-statistics.js';
import { linkReversals, type OpenChargeback, type WaitingReversal } from './chargebacks/link-reversals.js';
import { openChargebacks } from './chargebacks/open-chargebacks.js';
import type { RunId } from '../values/ids.js';

interface IdentifiedReversal extends WaitingReversal {
  readonly bookingId: string;
  /** The booking that it had, or that the record had which it superseded; null for nearly all. */
  readonly formerBookingId: string | null;
}

/**
 * Assigns chargeback ids (design 4.5): every MATCHED CHARGEBACK record in scope gets one, every waiting MATCHED
 * reversal of the same payments is linked to the chargeback that it reverses, and the payment core books both. Ids
 * derive from the record's identity and never change, so repeating this step adds nothing. A reversal outside the scope
 * is linked too if its chargeback has now arrived.
 *
 * Second step of the matching transaction: reads `new_matches` and `review_records`.
 *
 * @param settings `hasManualLinks`: whether anybody has ever linked or unlinked a record
 * @returns how many chargebacks got an id, and how many reversals were linked.
 */
export async function assignChargebacks(
  tx: Tx,
  settings: { readonly runId: RunId; readonly hasManualLinks: boolean },
): Promise<{ assigned: number; reversed: number }> {
  await tx`create temp table new_links (position bigint generated always as identity primary key,
    file_id integer, line integer, kind text collate "C", chargeback_id text collate "C",
    booking_id text collate "C", payment_key bigint) on commit drop`;
  const released = settings.hasManualLinks && (await releaseChargebacks(tx));
  const changed = await activateLinks(tx, settings.runId);
  if (released) await emptyBookings(tx, tx`released_links`);
  if (settings.hasManualLinks) await noteAppliedLinks(tx);
  const assigned = await assignIds(tx);
  if (assigned > 0) beginLoadingCore();
  const mayReverse = released || changed || assigned > 0 || (await hasReversals(tx));
  const hasRemoved = mayReverse && (await hasRemovedRecords(tx));
  if (hasRemoved) {
    await takeFormerBookings(tx);
    await releaseRemovedLinks(tx, tx`select booking_id from new_links`);
    await giveHoldersOwnIds(tx, tx`select booking_id from new_links where kind = 'CHARGEBACK'`);
  }
  await storeLinks(tx, settings.runId, 'CHARGEBACK');
  const reversed = mayReverse ? await assignReversals(tx, { released, changed, hasRemoved }) : 0;
  if (reversed > 0) await giveHoldersOfReversals(tx, settings.runId, hasRemoved);
  await storeLinks(tx, settings.runId, 'CHARGEBACK REVERSAL');
  if (hasRemoved) await emptyBookings(tx, tx`links_of_removed`);
  // The checks and the report join all links of the run. Without statistics, the report compared each chargeback with
  // every other one.
  if (assigned + reversed > 0) await refreshStatistics(tx, 'chargeback_links');
  await tx`create index on pg_temp.new_links (file_id, line)`;
  await tx`analyze new_links`;
  failPoint('match.booking.before');
  if (assigned + reversed > 0) await bookNewLinks(tx);
  failPoint('match.booking.after');
  return { assigned, reversed };
}

async function assignIds(tx: Tx): Promise<number> {
  const id = ownBookingId(tx, 'CHARGEBACK');
  const inserted = await tx`
    insert into new_links (file_id, line, kind, chargeback_id, booking_id, payment_key)
    select r.file_id, r.line, n.reconciliation_type, ${id}, ${id}, n.payment_key
    from new_matches n join review_records r on r.file_id = n.file_id and r.line = n.line
    where n.reconciliation_type = 'CHARGEBACK' and n.status = 'MATCHED' and n.needs_review
      and not exists (select from chargeback_links l where l.file_id = r.file_id and l.line = r.line offset 0)
      and ${takesPart(tx)}
    order by ${recordOrder(tx)}`;
  return inserted.count;
}

async function hasReversals(tx: Tx): Promise<boolean> {
  const found = await tx`select from new_matches
    where reconciliation_type = 'CHARGEBACK REVERSAL' and status = 'MATCHED' and needs_review limit 1`;
  return found.length > 0;
}

/** What happened before reversals are linked. */
interface Before {
  /** Decisions took ids from records. */
  readonly released: boolean;
  /** Records with an id count now, or do not count any more. */
  readonly changed: boolean;
  /** The records of a file were removed by `recon retire` or `recon purge`, at any time. */
  readonly hasRemoved: boolean;
}

async function assignReversals(tx: Tx, before: Before): Promise<number> {
  const { hasRemoved } = before;
  let reversals: IdentifiedReversal[] = [];
  let chargebacks: readonly OpenChargeback[] = [];
  await listTouchedPayments(tx, before);
  await onRowsOfTouched(tx, async () => {
    reversals = leaveToOwners(await waitingReversals(tx, before));
    if (hasRemoved) reversals = await releaseRemovedReversals(tx, reversals);
    else
      reversals = reversals.map((each) => ({ ...each, bookingId: each.formerBookingId ?? each.bookingId }));
    if (reversals.length > 0) chargebacks = await openChargebacks(tx, reversals, hasRemoved);
  });
  if (reversals.length === 0) return 0;
  const links = linkReversals(reversals, chargebacks);
  const column = (pick: (link: (typeof links)[number]) => string | number | bigint) =>
    textArray(tx, links.map(pick));
  await tx`
    insert into new_links (file_id, line, kind, chargeback_id, booking_id, payment_key)
    select l.file_id, l.line, 'CHARGEBACK REVERSAL', l.chargeback_id, l.booking_id, l.payment_key
    from unnest(${column((link) => link.reversal.fileId)}::integer[],
      ${column((link) => link.reversal.line)}::integer[], ${column((link) => link.chargebackId)},
      ${column((link) => link.reversal.bookingId)}, ${column((link) => link.reversal.paymentKey)}::bigint[])
      with ordinality l (file_id, line, chargeback_id, booking_id, payment_key, position)
    order by l.position`;
  return links.length;
}

/** A booking that another waiting reversal had first is left to that one: it returns to it as it counts again. */
function leaveToOwners(waiting: readonly IdentifiedReversal[]): IdentifiedReversal[] {
  const owned = new Set(waiting.map(({ bookingId }) => bookingId));
  return waiting.map((each) =>
    each.formerBookingId !== null && owned.has(each.formerBookingId)
      ? { ...each, formerBookingId: null }
      : each,
  );
}

/** @returns the reversals, with the bookings and chargebacks that some of them had before they were removed */
async function releaseRemovedReversals(
  tx: Tx,
  reversals: readonly IdentifiedReversal[],
): Promise<IdentifiedReversal[]> {
  const idsOf = (waiting: readonly IdentifiedReversal[]) =>
    tx`select unnest(${textArray(
      tx,
      waiting.map(({ bookingId }) => bookingId),
    )}) as booking_id`;
  const former = await formerBookings(tx, idsOf(reversals));
  const identified = reversals.map((each) => ({
    ...each,
    bookingId: each.formerBookingId ?? former.get(each.bookingId) ?? each.bookingId,
  }));
  const released = await releaseRemovedLinks(tx, idsOf(identified));
  return identified.map((each) => ({ ...each, formerId: released.get(each.bookingId) ?? each.formerId }));
}

/** The payments whose chargebacks or reversals are in scope. */
async function listTouchedPayments(tx: Tx, { released, hasRemoved }: Before): Promise<void> {
  const ofReleased = released ? tx`union select payment_key from released_links` : tx``;
  const ofHolders = hasRemoved ? tx`union select payment_key from new_links` : tx``;
  await tx`create temp table touched_payments on commit drop as
    select payment_key from new_matches
      where reconciliation_type in ('CHARGEBACK', 'CHARGEBACK REVERSAL') and status = 'MATCHED'
        and needs_review
      union select payment_key from changed_links ${ofReleased} ${ofHolders}`;
  await tx`create index on pg_temp.touched_payments (payment_key)`;
  await tx`analyze touched_payments`;
}

/** Does work that reads only the results and records of `touched_payments`, and the records of their links. */
async function onRowsOfTouched(tx: Tx, work: () => Promise<void>): Promise<void> {
  const { inputs, results, records } = rowsOfPayments(tx, 'touched_payments');
  await onCopies(
    tx,
    {
      inputs,
      copies: [
        {
          table: 'settlement_records',
          rows: tx`${records} where r.reconciliation_type in ('CHARGEBACK', 'CHARGEBACK REVERSAL')`,
          indexed: 'file_id, line',
        },
        copyOfResults(tx, results),
      ],
    },
    work,
  );
}

/**
 * Unlinked MATCHED reversals of `touched_payments`, in their order. One that FAILED returned no money, so its
 * chargeback stays open for the repeat. The links are looked up: the planner knows nothing of those of this run, and a
 * join compares each reversal with all of them.
 */
async function waitingReversals(tx: Tx, { changed }: Before): Promise<IdentifiedReversal[]> {
  const former = (column: Fragment) =>
    changed
      ? tx`(select f.${column} from former_ids f where f.file_id = r.file_id and f.line = r.line)`
      : tx`null`;
  return tx<IdentifiedReversal[]>`
    select r.file_id as "fileId", r.line, m.payment_key as "paymentKey", r.amount_minor as "amountMinor",
      r.currency, ${ownBookingId(tx, 'CHARGEBACK REVERSAL')} as "bookingId",
      ${former(tx`chargeback_id`)} as "formerId", ${former(tx`booking_id`)} as "formerBookingId"
    from touched_payments t
    join record_matches m on m.payment_key = t.payment_key
    join settlement_records r on r.file_id = m.file_id and r.line = m.line
    where r.reconciliation_type = 'CHARGEBACK REVERSAL' and r.settlement_status = 'SUCCESS'
      and not exists (select from chargeback_links l where l.file_id = m.file_id and l.line = m.line offset 0)
      and ${takesPart(tx)}
    order by ${recordOrder(tx)}`;
}

/**
 * Only a reversal that waited since an earlier run, or was removed, can find another record with its booking. All
 * bookings are read once for these, because the planner may look each of them up in the wrong index.
 */
async function giveHoldersOfReversals(tx: Tx, runId: RunId, hasRemoved: boolean): Promise<void> {
  const bookings = tx`select booking_id from new_links where kind = 'CHARGEBACK REVERSAL'`;
  if (hasRemoved) return giveHoldersOwnIds(tx, bookings);
  const waited = tx`${bookings} and file_id not in (
    select id from settlement_files where received_run_id = ${runId})`;
  const [any] = await tx`${waited} limit 1`;
  if (any === undefined) return;
  await giveHoldersOwnIds(tx, tx`${waited} intersect select booking_id from chargeback_links where active`);
}

async function storeLinks(tx: Tx, runId: RunId, kind: LinkKind): Promise<void> {
  await tx`
    insert into chargeback_links (file_id, line, kind, chargeback_id, booking_id, payment_key, run_id)
    select file_id, line, kind, chargeback_id, booking_id, payment_key, ${runId} from new_links
    where kind = ${kind}`;
}
