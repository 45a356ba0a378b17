import type { Fragment, Reader } from '../db/client.js';
import type { ItemStatus, StandingKind } from '../findings/open-item.js';
import type { DecisionKind } from '../values/decision-kinds.js';
import type { PaymentKey } from '../values/ids.js';
import { isActive, itemRows, prepareView, type ItemView, type PreparedView } from './item-rows.js';

/** What a decision is about: an item, or a record without a finding. */
export interface Decidable {
  /** The DiscrepancyId, or `record:FILE_ID:LINE`. */
  readonly item: string;
  /** How messages name it. */
  readonly name: string;
  /** Empty for a record. */
  readonly code: string;
  readonly status: ItemStatus;
  readonly pending: boolean;
  /** The hash of its facts as they are now. */
  readonly facts: string;
  /** The number of its latest decision; 0 without any. */
  readonly lastNumber: bigint;
  /** The latest decision that was not taken back: what an undo takes back. */
  readonly undoable: bigint | null;
  readonly undoableKind: DecisionKind | null;
  readonly standing: bigint | null;
  readonly decision: StandingKind | null;
  readonly decidedBy: string | null;
  readonly fileId: number | null;
  readonly line: number | null;
  /** Its record was removed with its month. */
  readonly isRetired: boolean;
  readonly date: string | null;
  /** The payment that its record is matched to. */
  readonly matchedPaymentKey: PaymentKey | null;
  readonly matchingStatus: string | null;
  /** An `unlink` of the record is in effect, so it may be linked whatever it is matched to now. */
  readonly unlinked: boolean;
  readonly atRiskMinor: bigint;
  readonly currency: string | null;
}

/** The items of a condition over `d` (discrepancies), in the order of their ids. */
export async function readDecidables(sql: Reader, view: ItemView, wanted: Fragment): Promise<Decidable[]> {
  const rows = selectDecidables(sql, await prepareView(sql, view), wanted);
  return sql<Decidable[]>`
    select ${decidableColumns(sql)} from (${rows}) i
    order by i.item collate "C"`;
}

/**
 * A fragment that selects what `decidableColumns` needs, of the items of a condition over `d` (discrepancies).
 *
 * @param fits another condition, over `i` (item rows)
 */
export function selectDecidables(
  sql: Reader,
  view: PreparedView,
  wanted: Fragment,
  fits = sql`true`,
): Fragment {
  // Chosen before they are joined: otherwise a decision about two items joined all findings with their records.
  const from = sql`(select * from discrepancies d where ${wanted} offset 0)`;
  return sql`
    select i.id as item, i.code, i.status, i.pending, i.facts, i.last_number, ${undoable(sql, sql`i.id`)}, i.standing,
      i.decision, i.decided_by, i.file_id, i.line, i.file_id is not null and i.reconciliation_type is null as is_retired,
      i.date, i.matched_payment_key, i.matching_status::text as matching_status,
      ${isUnlinked(sql, sql`i.file_id`, sql`i.line`)} as unlinked, i.at_risk_minor, i.currency
    from (${itemRows(sql, view, { from, only: wanted })}) i
    where ${fits}`;
}

/** The columns of a `Decidable` over `i`, rows of `selectDecidables`. */
export function decidableColumns(sql: Reader): Fragment {
  return sql`i.item, i.item as name, i.code, i.status, i.pending, i.facts, i.last_number as "lastNumber", i.undoable,
    i.undoable_kind as "undoableKind", i.standing, i.decision, i.decided_by as "decidedBy", i.file_id as "fileId",
    i.line, i.is_retired as "isRetired", i.date::text as date, i.matched_payment_key as "matchedPaymentKey",
    i.matching_status as "matchingStatus", i.unlinked, i.at_risk_minor as "atRiskMinor", i.currency`;
}

/** A record that a decision can be about; undefined if there is none at this line. */
export async function readRecord(
  sql: Reader,
  { fileId, line, name }: { readonly fileId: number; readonly line: number; readonly name: string },
): Promise<Decidable | undefined> {
  const item = `record:${fileId}:${line}`;
  const [found] = await sql<Decidable[]>`
    select ${item} as item, ${name} as name, '' as code, 'OPEN' as status, false as pending,
      left(encode(sha256(convert_to(coalesce(m.status::text, '') || coalesce(m.payment_key::text, ''), 'UTF8')),
        'hex'), 16) as facts,
      coalesce((select max(number) from decisions where item = ${item}), 0) as "lastNumber",
      undone.undoable, undone.undoable_kind as "undoableKind", null::bigint as standing, null::text as decision,
      null::text as "decidedBy", r.file_id as "fileId", r.line, false as "isRetired", r.settlement_date::text as date,
      m.payment_key as "matchedPaymentKey", m.status::text as "matchingStatus",
      ${isUnlinked(sql, sql`r.file_id`, sql`r.line`)} as unlinked, 0::bigint as "atRiskMinor", r.currency
    from settlement_records r left join record_matches m on m.file_id = r.file_id and m.line = r.line
    cross join (select ${undoable(sql, sql`${item}::text`)}) undone
    where r.file_id = ${fileId} and r.line = ${line}`;
  return found;
}

function undoable(sql: Reader, item: Fragment): Fragment {
  const latest = (column: Fragment) => sql`(select ${column} from decisions latest
    where latest.item = ${item} and latest.kind <> 'undo' and ${isActive(sql, sql`latest.number`)}
    order by latest.number desc limit 1)`;
  return sql`${latest(sql`latest.number`)} as undoable, ${latest(sql`latest.kind::text`)} as undoable_kind`;
}

function isUnlinked(sql: Reader, fileId: Fragment, line: Fragment): Fragment {
  return sql`exists (select from decisions made where made.file_id = ${fileId} and made.line = ${line}
    and made.kind = 'unlink' and ${isActive(sql, sql`made.number`)})`;
}
