/** A file of a source, as far as its running number is concerned. */
export interface NumberedFile {
  readonly name: string;
  /** Has the number if `name` has none. */
  readonly packedName: string | null;
  readonly sha256: string;
}

/** A skipped or repeated running number, and the file that shows it. */
export interface NumberProblem {
  readonly name: string;
  readonly problem: string;
}

/**
 * Compares the running numbers of files in the order of their delivery. A number that comes later than its successor is
 * only late. The count may start again with 0 or 1. Pure.
 *
 * @param pattern has one group, which matches the number; other names are ignored
 */
export function judgeNumbers(pattern: RegExp, files: readonly NumberedFile[]): NumberProblem[] {
  let seen = new Map<bigint, NumberedFile>();
  let highest: bigint | undefined;
  const skipped = new Map<bigint, NumberProblem>();
  const repeated: NumberProblem[] = [];
  for (const file of files) {
    const digits = (pattern.exec(file.name) ?? pattern.exec(file.packedName ?? ''))?.[1];
    if (digits === undefined || !/^\d{1,18}$/.test(digits)) continue;
    const number = BigInt(digits);
    const same = seen.get(number);
    if (highest !== undefined && number <= 1n && highest > number + 1n && !skipped.has(number)) {
      seen = new Map();
    } else if (same !== undefined) {
      if (same.sha256 !== file.sha256) {
        repeated.push({ name: file.name, problem: `The number ${number} was already used by ${same.name}.` });
      }
      continue;
    } else if (highest !== undefined && number > highest + 1n) {
      const [first, last] = [highest + 1n, number - 1n];
      const which = first === last ? `the number ${first}` : `the numbers ${first} to ${last}`;
      skipped.set(first, {
        name: file.name,
        problem: `Between ${highest} and ${number}, ${which} did not arrive.`,
      });
    } else if (highest !== undefined && number < highest) {
      // It fills a gap of one number; a longer gap stays reported.
      skipped.delete(number);
      seen.set(number, file);
      continue;
    }
    seen.set(number, file);
    highest = number;
  }
  return [...skipped.values(), ...repeated];
}
