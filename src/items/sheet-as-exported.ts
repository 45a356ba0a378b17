import { isSameDay, isSameText } from '../damaged-input/same-value.js';
import { isStanding, type DecisionColumn } from '../findings/open-item.js';
import type { DecisionKind } from '../values/decision-kinds.js';
import type { PaymentKey } from '../values/ids.js';
import type { SheetRow } from './read-sheet.js';

/** A decision of an item's history, as far as its cells in a sheet show it. */
export interface PastDecision {
  readonly item: string;
  readonly number: bigint;
  readonly kind: DecisionKind;
  readonly until: string | null;
  readonly linkTo: string | null;
  /** The key of that payment. */
  readonly linkKey: PaymentKey | null;
  readonly assignee: string | null;
  readonly reason: string | null;
  readonly note: string | null;
  readonly needsApproval: boolean;
  readonly refersTo: bigint | null;
  readonly basis: string;
  readonly author: string;
  readonly decidedOn: string;
}

type Cells = Readonly<Record<DecisionColumn, string>>;

/** What a sheet showed of an item. */
export interface GivenOut {
  readonly cells: Cells;
  /** An accept that no longer counted, because the facts had changed. */
  readonly acceptLapsed: boolean;
}

/**
 * What a sheet showed of an item when its latest decision was number `upTo` and its facts had the hash `facts`.
 * Decisions are never changed, so it can be found out at any later time.
 *
 * @param history all decisions of the item, in the order in which they were made
 */
export function givenOut(history: readonly PastDecision[], upTo: bigint, facts: string): GivenOut {
  const active = activeUpTo(history, upTo);
  const latest = (wanted: (decision: PastDecision) => boolean) => active.filter(wanted).at(-1);
  const standing = latest(({ kind }) => isStanding(kind));
  const assigned = latest(({ kind }) => kind === 'assign');
  const noted = latest(({ note }) => note !== null);
  const sameFacts = standing?.basis === facts;
  const approved = active.some(({ kind, refersTo }) => kind === 'approve' && refersTo === standing?.number);
  const pending = standing?.kind === 'accept' && sameFacts && standing.needsApproval && !approved;
  return {
    cells: {
      Decision: `${standing?.kind ?? ''}${pending ? ' (pending)' : ''}`,
      Until: standing?.until ?? '',
      LinkTo: standing?.linkTo ?? '',
      Assignee: assigned?.assignee ?? '',
      Reason: standing?.reason ?? '',
      Note: noted?.note ?? '',
    },
    acceptLapsed: standing?.kind === 'accept' && !sameFacts,
  };
}

/** The decisions up to a number that were not taken back by then. */
function activeUpTo(history: readonly PastDecision[], upTo: bigint): readonly PastDecision[] {
  const known = history.filter(({ number }) => number <= upTo);
  const undone = new Set(known.filter(({ kind }) => kind === 'undo').map(({ refersTo }) => refersTo));
  return known.filter(({ number, kind }) => kind !== 'undo' && !undone.has(number));
}

/**
 * The decision that stands again once decision `number`, the latest one that was not taken back, is taken back. An undo
 * takes back the latest first, so no later one concerns what was decided before it.
 */
export function standingBefore(history: readonly PastDecision[], number: bigint): PastDecision | undefined {
  return activeUpTo(history, number - 1n)
    .filter(({ kind }) => isStanding(kind))
    .at(-1);
}

/** The columns of a row that were changed after it was given out; a column that was deleted says nothing. */
export function changedColumns({ cells, columns }: SheetRow, given: Cells): DecisionColumn[] {
  // It has an entry for each of the columns.
  return (Object.keys(given) as DecisionColumn[]).filter(
    (column) =>
      columns.has(column) &&
      (column === 'Until' ? !isSameDay(cells.Until, given.Until) : !isSameText(cells[column], given[column])),
  );
}

/**
 * The cells of a row, each one that nobody changed as it was given out: a spreadsheet may have written it in its own
 * notation.
 */
export function restoredCells(row: SheetRow, given: Cells, changed: readonly DecisionColumn[]): Cells {
  const entries = Object.entries(row.cells) as [DecisionColumn, string][];
  return Object.fromEntries(
    entries.map(([column, cell]) => [
      column,
      row.columns.has(column) && !changed.includes(column) ? given[column] : cell,
    ]),
    // It has an entry for each of the columns.
  ) as Cells;
}
