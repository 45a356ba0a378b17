import type { DecisionKind } from '../values/decision-kinds.js';
import type { Decidable } from './decidable.js';

/** What can be decided about a record that has no finding. */
const withoutFinding: ReadonlySet<DecisionKind> = new Set(['link', 'unlink', 'undo']);

/** Why the decision cannot be made about the item, as the end of a sentence; null when it can. */
export function refusalOf(kind: DecisionKind, item: Decidable, author: string): string | null {
  if (item.code === '' && !withoutFinding.has(kind)) {
    return 'has nothing open: only --unlink, --link and --undo concern a record without a finding.';
  }
  if (item.isRetired && opens(kind, item)) {
    return 'is about a record that was removed with its month: open again, it would have no amount. Its accept stays.';
  }
  switch (kind) {
    case 'accept':
    case 'wait':
    case 'assign':
      return item.status === 'RESOLVED' ? 'is resolved: there is nothing left to decide.' : null;
    case 'note':
      return null;
    case 'link':
      return linkRefusal(item);
    case 'unlink':
      return isMatched(item) ? null : 'has no record that is matched to a payment.';
    case 'supersede':
    case 'keep-both':
      return item.code === 'RECORD_REDELIVERED'
        ? null
        : `is ${item.code}; ${kind} decides a RECORD_REDELIVERED.`;
    case 'approve':
      return approvalRefusal(item, author);
    case 'undo':
      return item.undoable === null ? 'has no decision that could be taken back.' : null;
  }
}

const isMatched = ({ matchedPaymentKey, matchingStatus }: Decidable) =>
  matchedPaymentKey !== null && matchingStatus === 'MATCHED';

/** Whether an accepted item would be open or waiting after the decision, if it can be made about such an item. */
function opens(kind: DecisionKind, { status, undoableKind }: Decidable): boolean {
  if (status !== 'ACCEPTED') return false;
  if (kind === 'wait' || kind === 'supersede' || kind === 'keep-both') return true;
  return kind === 'undo' && (undoableKind === 'accept' || undoableKind === 'approve');
}

function approvalRefusal({ pending, decidedBy }: Decidable, author: string): string | null {
  if (!pending) return 'has no accept that waits for a second person.';
  return decidedBy !== null && isSamePerson(decidedBy, author)
    ? `was accepted by ${decidedBy}, so another person has to approve it.`
    : null;
}

/**
 * Whether two names mean one person, for the second person of an accept. People type their names with `--by`, so letter
 * case, spaces and the form of a letter do not make another person.
 */
function isSamePerson(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

function linkRefusal(item: Decidable): string | null {
  if (item.fileId === null) return 'is about a payment; link names the record, and its payment.';
  if (item.unlinked || item.matchingStatus === 'NOT_MATCHED' || item.matchingStatus === 'MULTIPLE_MATCHES') {
    return null;
  }
  if (item.isRetired) return 'has a record that was removed with its month.';
  if (item.matchingStatus === null) return 'has a record that no run has matched yet.';
  return item.matchingStatus === 'MATCHED'
    ? 'has a record that is matched already; --unlink it first.'
    : 'has a record without a payment: it is a fee of the account, or it does not count; recon explain says which.';
}

/** Whether an accept of the item waits for a second person. */
export function needsApproval(item: Decidable, fourEyesAbove: ReadonlyMap<string, bigint>): boolean {
  const limit = fourEyesAbove.get(item.currency ?? '');
  const atRisk = item.atRiskMinor < 0n ? -item.atRiskMinor : item.atRiskMinor;
  return limit !== undefined && atRisk > limit;
}
