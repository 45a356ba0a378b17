import type { Sql, Tx } from '../db/client.js';
import { inOwnSession } from '../db/transaction.js';
import { damageOf, formulaError, shortenedNumber, spreadsheetError } from '../damaged-input/cell-damage.js';
import { ReconError } from '../errors.js';
import type { DecisionColumn } from '../findings/open-item.js';
import { isCalendarDate } from '../values/calendar-date.js';
import { mergedCell, uncalculatedCell } from '../spreadsheet/cells-without-text.js';
import { placeOf, type FilledInTable } from '../spreadsheet/filled-in-table.js';
import { invalid, listed } from '../spreadsheet/sheet-problems.js';
import { makeDecisions, paymentOf, type UseDecided } from './decide.js';
import { readDecidables, type Decidable } from './decidable.js';
import { refusalOf } from './refuse-decision.js';
import { requestProblem, type Deciding, type DecisionRequest } from './decision-request.js';
import { heldRows } from './in-batches.js';
import { conflictOf, readBasis, readHistories, type Basis } from './conflict.js';
import { changedColumns, givenOut, restoredCells, type PastDecision } from './sheet-as-exported.js';
import { readSheet, type Sheet, type SheetRow } from './read-sheet.js';
import { lockDecisions, type MadeDecision } from './store-decisions.js';
import { wantedOf } from './wanted-decisions.js';

const columnNames = {
  until: 'the column Until',
  linkTo: 'the column LinkTo',
  assignee: 'the column Assignee',
  reason: 'the column Reason',
  note: 'the column Note',
};

/** The results of the rows of a sheet. */
interface Judged {
  readonly made: MadeDecision[];
  /** Rows that cannot be read or decided, and rows that others decided meanwhile. */
  readonly problems: string[];
  readonly conflicts: string[];
  readonly remarks: string[];
}

/**
 * Stores the decisions of a sheet that was given back (design 4.9): all of them or none. An unchanged row decides
 * nothing, and a row whose decision already stands changes nothing, so a sheet may be given back twice.
 *
 * @throws ReconError SHEET_INVALID, DECISION_CONFLICT, errors of the database; each names all rows concerned
 */
export async function decideSheet<Result>(
  sql: Sql,
  table: FilledInTable,
  deciding: Deciding,
  use: UseDecided<Result>,
): Promise<Result> {
  const sheet = readSheet(table);
  const transact = async (tx: Tx) => {
    await lockDecisions(tx);
    const judged = await judgeRows(tx, sheet, deciding);
    if (judged.problems.length > 0) throw invalid(sheet.name, judged.problems);
    if (judged.conflicts.length > 0) {
      throw new ReconError(
        'DECISION_CONFLICT',
        listed(`Nothing of ${sheet.name} was stored`, judged.conflicts),
      );
    }
    return makeDecisions(tx, heldRows(judged.made), deciding, { remarks: judged.remarks });
  };
  return inOwnSession(sql, transact, (session, readDecided) => use(readDecided(session)));
}

async function judgeRows(tx: Tx, sheet: Sheet, deciding: Deciding): Promise<Judged> {
  const ids = sheet.rows.map(({ id }) => id).join(',');
  const wanted = tx`string_to_array(${ids}, ',')`;
  const found = await readDecidables(tx, deciding, tx`d.id = any (${wanted})`);
  const items = new Map(found.map((item) => [item.item, item]));
  const histories = await readHistories(
    tx,
    sheet.rows.map(({ id }) => id),
  );
  const judged: Judged = { made: [], problems: [], conflicts: [], remarks: [] };
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

async function judgeRow(tx: Tx, rowCase: RowCase, judged: Judged): Promise<void> {
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

/** The cells that a person changed, and that hold what a spreadsheet shows instead of a value. */
function damagedColumns(row: SheetRow, changed: readonly DecisionColumn[]): string[] {
  return changed.flatMap((column) => {
    const text = row.cells[column];
    const what = shownInstead(text);
    if (what === null) return [];
    return [`${placeOf(row)}: ${column} is "${text}", which is ${what}: write what you mean as a text.`];
  });
}

/** What a spreadsheet shows in a cell instead of its value; null if the cell may have that value. */
function shownInstead(text: string): string | null {
  if (text === uncalculatedCell) return 'a formula without a result';
  if (text === mergedCell) return 'part of merged cells';
  if (spreadsheetError.test(text) || formulaError.test(text)) return 'the error of a formula';
  return shortenedNumber.test(text) ? 'a number that a spreadsheet shortened' : null;
}

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
    const linkKey = await linkKeyOf(tx, request);
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
  const linkKey = await linkKeyOf(tx, request);
  if (linkKey !== undefined) return { linkKey };
  return { problem: `no payment ${request.linkTo ?? ''} is stored that a record can be linked to.` };
}

/** Why a cell is not the day until which an item waits; null if it is one, or empty. */
function problemOfDay(until: string): string | null {
  const damage = damageOf('date', until);
  if (damage !== undefined) {
    return `Until is "${until}", which looks like ${damage.what}: ${damage.advice}. If the spreadsheet changes what you write, save the sheet as .xlsx.`;
  }
  if (until === '' || isCalendarDate(until)) return null;
  return `Until is "${until}", which is not a day: write yyyy-MM-dd.`;
}

async function linkKeyOf(tx: Tx, request: DecisionRequest): Promise<MadeDecision['linkKey'] | undefined> {
  try {
    return await paymentOf(tx, request);
  } catch (thrown) {
    if (thrown instanceof ReconError && thrown.code === 'DECISION_REFUSED') return undefined;
    throw thrown;
  }
}
