/** The name that a misspelt name most likely stands for; undefined if none is similar enough. */
export function closestName(name: string, candidates: readonly string[]): string | undefined {
  // At most half of a short name may differ, otherwise every name would be similar.
  const most = Math.min(3, Math.floor(name.length / 2));
  const ranked = candidates
    .filter((candidate) => Math.abs(candidate.length - name.length) <= most)
    .map((candidate) => ({ candidate, distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= most ? best.candidate : undefined;
}

/** ` (did you mean port?)`, or an empty text. */
export function suggestion(name: string, candidates: readonly string[]): string {
  const guess = closestName(name, candidates);
  return guess === undefined ? '' : ` (did you mean ${guess}?)`;
}

/** Levenshtein distance with one row of memory. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
