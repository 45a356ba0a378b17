import type { Tx } from '../../db/client.js';
import type { DecisionColumn } from '../../findings/open-item.js';
import { placeOf } from '../../spreadsheet/filled-in-table.js';
import { conflictOf, readBasis, type Basis } from '../conflict.js';
import { damagedColumns, problemOfDay } from './damaged-decision-cells.js';
import { readDecidables, type Decidable } from '../decidable.js';
import { requestProblem, type Deciding, type DecisionRequest } from '../decision-request.js';
import { findLinkedPayment, linkedPaymentKey } from '../linked-payment.js';
import { readHistories, type PastDecision } from '../past-decisions.js';
import type { Sheet, SheetRow } from './read-sheet.js';
import { refusalOf } from '../refuse-decision.js';
import { changedColumns, givenOut, restoredCells } from './sheet-as-exported.js';
import type { MadeDecision } from '../store-decisions.js';
import { wantedOf } from './wanted-decisions.js';

const columnNames = {
  until: 'the column Until',
  linkTo: 'the column LinkTo',
  assignee: 'the column Assignee',
  reason: 'the column Reason',
  note: 'the column Note',
};

/** What the rows of a sheet decide, and what a person has to know about them. */
export interface JudgedSheet {
  readonly made: MadeDecision[];
  /** Rows that cannot be read or decided. */
  readonly problems: string[];
  /** Rows that others decided meanwhile. */
  readonly conflicts: string[];
  readonly remarks: string[];
}

/**
 * Compares each row with what was given out and with what was decided since, and stores nothing. The caller holds the
 * lock of the decisions, so that nobody decides anything before they are stored.
 */
export async function judgeSheet(tx: Tx, sheet: Sheet, deciding: Deciding): Promise<JudgedSheet> {
  const ids = sheet.rows.map(({ id }) => id).join(',');
  const wanted = tx`string_to_array(${ids}, ',')`;
  const found = await readDecidables(tx, deciding, tx`d.id = any (${wanted})`);
  const items = new Map(found.map((item) => [item.item, item]));
  const histories = await readHistories(
    tx,
    sheet.rows.map(({ id }) => id),
  );
  const judged: JudgedSheet = { made: [], problems: [], conflicts: [], remarks: [] };
  const seen = new Map<string, string>();
  for (const row of sheet.rows) {
    const item = items.get(row.id);
    if (item === undefined) {
      judged.problems.push(`${placeOf(row)}: no item has the DiscrepancyId ${row.id}.`);
      continue;
    }
    const history = histories.get(row.id) ?? [];
    const basis = readBasis(row.basis);
    const given = givenOut(history, basis.number, basis.facts);
    const changed = changedColumns(row, given.cells);
    // A copy of a row that nobody changed, such as one in a second sheet, is not a second decision.
    const acceptsLapsed = given.acceptLapsed && row.lapsedEmptied;
    if (changed.length === 0 && !acceptsLapsed) continue;
    const twice = seen.get(row.id);
    seen.set(row.id, placeOf(row));
    if (twice !== undefined)
      judged.problems.push(`${placeOf(row)}: ${twice} has this item too; fill in one of them only.`);
    else {
      const restored = { ...row, cells: restoredCells(row, given.cells, changed) };
      const rowCase = { row: restored, item, history, basis, changed, acceptsLapsed, sheet, deciding };
      await judgeRow(tx, rowCase, judged);
    }
  }
  return judged;
}

interface RowCase {
  readonly row: SheetRow;
  readonly item: Decidable;
  readonly history: readonly PastDecision[];
  readonly basis: Basis;
  readonly changed: readonly DecisionColumn[];
  readonly acceptsLapsed: boolean;
  readonly sheet: Sheet;
  readonly deciding: Deciding;
}

async function judgeRow(tx: Tx, rowCase: RowCase, judged: JudgedSheet): Promise<void> {
  const { row, item, history, basis, changed, acceptsLapsed, sheet, deciding } = rowCase;
  const damaged = damagedColumns(row, changed);
  if (damaged.length > 0) {
    judged.problems.push(...damaged);
    return;
  }
  const wanted = wantedOf({ cells: row.cells, changed, acceptsLapsed });
  if ('remark' in wanted) {
    judged.remarks.push(`${placeOf(row)}: ${wanted.remark}`);
    return;
  }
  if ('problem' in wanted) {
    judged.problems.push(`${placeOf(row)}: ${wanted.problem}`);
    return;
  }
  if (await areMadeAlready(tx, wanted.requests, rowCase)) return;
  const conflict = conflictOf(item, history, basis, 'of the sheet');
  if (conflict !== null) {
    judged.conflicts.push(`${placeOf(row)}: ${conflict}`);
    return;
  }
  for (const request of wanted.requests) {
    const checked = await checkedRequest(tx, request, deciding);
    const refusal =
      'problem' in checked ? checked.problem : named(item, refusalOf(request.kind, item, deciding.author));
    if (refusal !== null) judged.problems.push(`${placeOf(row)}: ${refusal}`);
    if ('problem' in checked) return;
    const name = row.sheet === null ? sheet.name : `${sheet.name} (${row.sheet})`;
    const origin = { by: 'sheet', name, sha256: sheet.sha256, line: row.line } as const;
    judged.made.push({ item, request, linkKey: checked.linkKey, origin });
  }
}

const named = ({ name }: Decidable, refusal: string | null) =>
  refusal === null ? null : `${name} ${refusal}`;

/**
 * Whether the same person has made the decisions of the row since the sheet was given out, and nobody has decided
 * anything else. A person who decides ten rows, gives the sheet back and then decides ten more gives the first ten back
 * again.
 */
async function areMadeAlready(
  tx: Tx,
  requests: readonly DecisionRequest[],
  { history, basis, deciding }: RowCase,
): Promise<boolean> {
  const later = history.filter(({ number }) => number > basis.number);
  const isUndo = requests.some(({ kind }) => kind === 'undo');
  if (later.length === 0) return false;
  if (!later.every(({ author, kind }) => author === deciding.author && (kind !== 'undo' || isUndo)))
    return false;
  for (const request of requests) {
    const linkKey = request.kind === 'link' ? await linkedPaymentKey(tx, request.linkTo ?? '') : null;
    if (!later.some((past) => isMade(past, request, linkKey))) return false;
  }
  return true;
}

/** @param linkKey the payment of the request, which may name it by its MISSING_SETTLEMENT */
function isMade(
  past: PastDecision,
  { kind, until, assignee, reason, note }: DecisionRequest,
  linkKey: MadeDecision['linkKey'] | undefined,
): boolean {
  return (
    past.kind === kind &&
    (kind !== 'wait' || past.until === until) &&
    (kind !== 'link' || past.linkKey === linkKey) &&
    (kind !== 'assign' || past.assignee === assignee) &&
    past.reason === reason &&
    past.note === note
  );
}

/** The payment that a request links to, if the request can be made. */
async function checkedRequest(
  tx: Tx,
  request: DecisionRequest,
  { asOf }: Deciding,
): Promise<{ readonly problem: string } | { readonly linkKey: MadeDecision['linkKey'] }> {
  const unusableDay = request.kind === 'wait' ? problemOfDay(request.until ?? '') : null;
  const problem = unusableDay ?? requestProblem(request, asOf, columnNames);
  if (problem !== null) return { problem };
  const link = await linkOf(tx, request);
  return 'problem' in link ? link : { linkKey: link.key };
}

/** The payment that a request links to, which is null for other requests, or why there is none. */
async function linkOf(
  tx: Tx,
  { kind, linkTo }: DecisionRequest,
): Promise<{ readonly key: MadeDecision['linkKey'] } | { readonly problem: string }> {
  return kind === 'link' ? findLinkedPayment(tx, linkTo ?? '') : { key: null };
}
