import { isSameDay, isSameText } from '../../damaged-input/same-value.js';
import { isStanding, type DecisionColumn } from '../../findings/open-item.js';
import { activeUpTo, type PastDecision } from '../past-decisions.js';
import type { SheetRow } from './read-sheet.js';

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
