import type { SentParameter } from './parameter-request.js';
import type { Violation } from './rules/rule.js';

interface Series {
  readonly indexes: Set<number>;
  readonly first: Map<number, string>;
}

/**
 * Indexes start at 0 without gaps: otherwise an array that is built from them would have holes. Reports the first
 * parameter after each gap.
 */
export function findGaps(sent: readonly SentParameter[]): readonly Violation[] {
  if (sent.every(({ indexes }) => indexes.length === 0)) return [];
  const byContainer = new Map<string, Series>();
  for (const parameter of sent) {
    let from = 0;
    for (const index of parameter.indexes) {
      const bracket = parameter.name.indexOf('[', from);
      from = bracket + 1;
      const container = parameter.name.slice(0, bracket);
      const series = byContainer.get(container) ?? { indexes: new Set(), first: new Map() };
      byContainer.set(container, series);
      if (!series.indexes.has(index)) series.first.set(index, parameter.name);
      series.indexes.add(index);
    }
  }
  return [...byContainer].flatMap(([container, { indexes, first }]) => {
    const ordered = [...indexes].sort((a, b) => a - b);
    const beyond = ordered.find((index, position) => index !== position);
    const name = beyond === undefined ? undefined : first.get(beyond);
    return name === undefined
      ? []
      : [{ name, message: `skips an index of ${container}; indexes start at 0 without gaps` }];
  });
}
