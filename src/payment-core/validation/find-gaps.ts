import type { SentParameter } from './parameter-request.js';
import type { Violation } from './rules/rule.js';

/**
 * Indexes start at 0 without gaps: otherwise an array that is built from them would have holes. Reports the first
 * parameter after each gap.
 */
export function findGaps(sent: readonly SentParameter[]): readonly Violation[] {
  if (sent.every(({ indexes }) => indexes.length === 0)) return [];
  return [...namesByIndex(sent)].flatMap(([container, names]) => {
    const ordered = [...names.keys()].sort((a, b) => a - b);
    const beyond = ordered.find((index, position) => index !== position);
    const name = beyond === undefined ? undefined : names.get(beyond);
    return name === undefined
      ? []
      : [{ name, message: `skips an index of ${container}; indexes start at 0 without gaps` }];
  });
}

/** The first parameter with each index, by what the index belongs to: `airline.passengers[0].legs`. */
function namesByIndex(sent: readonly SentParameter[]): ReadonlyMap<string, ReadonlyMap<number, string>> {
  const byContainer = new Map<string, Map<number, string>>();
  for (const { name, indexes } of sent) {
    let from = 0;
    for (const index of indexes) {
      const bracket = name.indexOf('[', from);
      from = bracket + 1;
      const container = name.slice(0, bracket);
      const names = byContainer.get(container) ?? new Map<number, string>();
      byContainer.set(container, names);
      if (!names.has(index)) names.set(index, name);
    }
  }
  return byContainer;
}
