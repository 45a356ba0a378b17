import { decisionKinds, type DecisionKind } from '../../values/decision-kinds.js';
import type { DecisionColumn } from '../../findings/open-item.js';
import { asStored, type DecisionRequest } from '../decision-request.js';

type Cells = Readonly<Record<DecisionColumn, string>>;

/** A row that a person changed. */
export interface FilledInRow {
  readonly cells: Cells;
  readonly changed: readonly DecisionColumn[];
  /** Its cell `Lapsed` was emptied: an accept that no longer counts is made again. */
  readonly acceptsLapsed: boolean;
}

/** What a row of a sheet decides. */
export type WantedDecisions =
  | { readonly requests: readonly DecisionRequest[] }
  | { readonly problem: string }
  /** The row decides nothing. */
  | { readonly remark: string };

/**
 * What a row decides: the word in Decision; and the person it is assigned to, if that cell was changed beside another
 * decision. A note or a name that was written beside a decision that stands does not make that decision once more.
 */
export function wantedOf({ cells, changed, acceptsLapsed }: FilledInRow): WantedDecisions {
  if (cells.Decision === '') return { remark: withoutDecision(changed) };
  const beside = changed.every((column) => column in kindOfColumn);
  if (beside && !acceptsLapsed) return besideDecision(cells, changed);
  const word = cells.Decision.toLowerCase();
  const kind = decisionKinds.find((each) => each === word);
  if (kind === undefined) return { problem: unknownDecision(cells.Decision) };
  const request = asStored({
    kind,
    until: orNull(cells.Until),
    linkTo: orNull(cells.LinkTo),
    assignee: kind === 'assign' ? cells.Assignee : null,
    reason: orNull(cells.Reason),
    note: changed.includes('Note') || kind === 'note' ? orNull(cells.Note) : null,
  });
  const assign = asStored({ ...request, kind: 'assign', assignee: cells.Assignee, note: null });
  const alsoAssigned = kind !== 'assign' && changed.includes('Assignee');
  return { requests: alsoAssigned ? [request, assign] : [request] };
}

function besideDecision(cells: Cells, changed: readonly DecisionColumn[]): WantedDecisions {
  const nothing = { until: null, linkTo: null, assignee: null, reason: null, note: null };
  const note: DecisionRequest = { ...nothing, kind: 'note', note: cells.Note };
  const assign: DecisionRequest = { ...nothing, kind: 'assign', assignee: cells.Assignee };
  const requests = [
    ...(changed.includes('Note') && cells.Note !== '' ? [note] : []),
    ...(changed.includes('Assignee') ? [assign] : []),
  ];
  if (requests.length === 0) return { remark: 'Note was emptied: nothing was stored for it.' };
  return { requests: requests.map(asStored) };
}

const orNull = (text: string) => (text === '' ? null : text);

function unknownDecision(decision: string): string {
  const pending = decision.toLowerCase().endsWith('(pending)')
    ? 'the accept waits for a second person, who writes approve; '
    : '';
  return `Decision is "${decision}"; ${pending}it can be ${decisionKinds.join(', ')} or empty.`;
}

/** The decision that needs only this column. */
const kindOfColumn: Partial<Record<DecisionColumn, DecisionKind>> = { Note: 'note', Assignee: 'assign' };

/** What became of a row that was changed and decides nothing, and how it would. */
function withoutDecision(changed: readonly DecisionColumn[]): string {
  if (changed.includes('Decision')) {
    return 'Decision was emptied: nothing was stored for it. To take the decision back, write undo.';
  }
  const [only, ...more] = changed;
  const kind = only === undefined || more.length > 0 ? undefined : kindOfColumn[only];
  const advice = kind === undefined ? '' : ` Write ${kind}.`;
  return `${changed.join(', ')} changed, but Decision is empty: nothing was stored for it.${advice}`;
}
