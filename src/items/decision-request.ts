import { ReconError } from '../errors.js';
import type { DecisionKind } from '../values/decision-kinds.js';
import { listed } from '../spreadsheet/sheet-problems.js';
import { isCalendarDate, type CalendarDate } from '../values/calendar-date.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';

/** A decision, apart from the items that it is about. */
export interface DecisionRequest {
  readonly kind: DecisionKind;
  /** Of `wait`: the day on which the item is open again. */
  readonly until: CalendarDate | null;
  /** Of `link`: a payment's id, or the DiscrepancyId of its MISSING_SETTLEMENT. */
  readonly linkTo: string | null;
  /** Of `assign`; empty to assign the item to nobody. */
  readonly assignee: string | null;
  readonly reason: string | null;
  readonly note: string | null;
}

/** Who decides, when, and under which rules. */
export interface Deciding {
  readonly author: string;
  /** The day that counts as today. */
  readonly asOf: CalendarDate;
  readonly timezone: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Hundredths by currency: an accept of an item with more at risk waits for a second person. */
  readonly fourEyesAbove: ReadonlyMap<string, bigint>;
  /** Check everything and store nothing. */
  readonly dryRun: boolean;
}

/** A text of a decision is kept for years and printed in every report, so it is short. */
const longestText = 2000;

/**
 * What is wrong with a decision, whichever items it is about; null if it is valid.
 *
 * @param words what messages call the parts of the decision: options or columns
 */
export function requestProblem(
  { kind, until, linkTo, assignee, reason, note }: DecisionRequest,
  asOf: CalendarDate,
  words: { until: string; linkTo: string; assignee: string; reason: string; note: string },
): string | null {
  for (const text of [assignee, reason, note]) {
    if (text !== null && text.length > longestText)
      return `a text has ${text.length} characters; at most ${longestText} are allowed.`;
  }
  switch (kind) {
    case 'accept':
      return reason === null ? `accept needs a reason: ${words.reason}.` : null;
    case 'wait':
      if (until === null) return `wait needs a day: ${words.until}, yyyy-MM-dd.`;
      if (!isCalendarDate(until))
        return `wait needs an existing day: ${words.until}, yyyy-MM-dd; "${until}" is not one.`;
      return until <= asOf ? `a wait must end after ${asOf}, and ${until} does not.` : null;
    case 'link':
      return linkTo === null ? `link needs a payment: ${words.linkTo}.` : null;
    case 'assign':
      return assignee === null ? `assign needs a name: ${words.assignee}.` : null;
    case 'note':
      return note === null ? `note needs a text: ${words.note}.` : null;
    case 'unlink':
    case 'supersede':
    case 'keep-both':
    case 'approve':
    case 'undo':
      return null;
  }
}

/** The request as it is stored: card numbers in its texts are truncated, and a name has no blanks around it. */
export function asStored(request: DecisionRequest): DecisionRequest {
  const masked = (text: string | null) => (text === null ? null : maskCardNumbers(text));
  return {
    ...request,
    assignee: masked(request.assignee)?.trim() ?? null,
    reason: masked(request.reason),
    note: masked(request.note),
  };
}

/**
 * @param problems may be the first ones only, at least as many as a message names
 * @param count how many there are
 * @throws ReconError DECISION_REFUSED with one line per problem: nothing was stored.
 */
export function refuse(problems: readonly string[], count = problems.length): never {
  throw new ReconError('DECISION_REFUSED', listed('Nothing was decided', problems, count));
}
