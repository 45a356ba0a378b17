import type { Decidable } from './decidable.js';
import type { PastDecision } from './past-decisions.js';

/** What a decision is based on: the facts of an item, and the number of its latest decision, as a person saw them. */
export interface Basis {
  readonly facts: string;
  readonly number: bigint;
}

/** What a `Basis` looks like in a sheet or on the page. */
export const basisPattern = /^b([0-9a-f]{16})n(\d+)$/;

/** Reads a text that `basisPattern` matches. */
export function readBasis(text: string): Basis {
  const [, facts = '', number = '0'] = basisPattern.exec(text) ?? [];
  return { facts, number: BigInt(number) };
}

/**
 * Why the item is no longer as a person saw it, and so cannot be decided on that basis; null if it still is.
 *
 * @param where what showed the item, such as `of the sheet`
 */
export function conflictOf(
  item: Decidable,
  history: readonly PastDecision[],
  basis: Basis,
  where: string,
): string | null {
  const later = history.filter((past) => past.number > basis.number).at(-1);
  if (later !== undefined) {
    return `${item.name} was decided in the meantime: ${later.kind} by ${later.author} on ${later.decidedOn}.`;
  }
  return basis.facts === item.facts
    ? null
    : `${item.name} changed: its facts are not those ${where} any more.`;
}
