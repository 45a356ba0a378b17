/** A file of a source, as far as its running number is concerned. */
export interface NumberedFile {
  readonly name: string;
  /** Has the number if `name` has none. */
  readonly packedName: string | null;
  readonly sha256: string;
  /**
   * A rejected or withdrawn file belongs to no delivery: its number has arrived, but nothing is reported with it, and
   * the corrected file may have the same number.
   */
  readonly counts: boolean;
}

/** A skipped or repeated running number, and the file that it is reported with. */
export interface NumberProblem {
  readonly name: string;
  readonly sha256: string;
  readonly problem: string;
}

/**
 * Compares the running numbers of files in the order of their delivery. A number that comes later than its successor is
 * only late, and a gap is what is left of it after all files. The count may start again with 0 or 1. Pure.
 *
 * @param pattern has one group, which matches the number; other names are ignored
 */
export function judgeNumbers(pattern: RegExp, files: readonly NumberedFile[]): NumberProblem[] {
  const numbered = files.flatMap((file): Numbered[] => {
    const digits = (pattern.exec(file.name) ?? pattern.exec(file.packedName ?? ''))?.[1];
    return digits === undefined || !/^\d{1,18}$/.test(digits) ? [] : [{ file, number: BigInt(digits) }];
  });
  let count: Count | undefined;
  const skipped: NumberProblem[] = [];
  const repeated: NumberProblem[] = [];
  for (const [index, { file, number }] of numbered.entries()) {
    if (count === undefined || startsAgain(numbered, index, count)) {
      if (count !== undefined) skipped.push(...gapsOf(count));
      count = { first: number, highest: number, seen: new Map([[number, file]]) };
      continue;
    }
    const same = count.seen.get(number);
    if (same === undefined) {
      count.seen.set(number, file);
      if (number > count.highest) count.highest = number;
    } else if (same.sha256 !== file.sha256) {
      if (same.counts) {
        repeated.push(problemOf(file, `The number ${number} was already used by ${same.name}.`));
      } else count.seen.set(number, file);
    }
  }
  if (count !== undefined) skipped.push(...gapsOf(count));
  return [...skipped, ...repeated];
}

interface Numbered {
  readonly file: NumberedFile;
  readonly number: bigint;
}

/** The numbers since the count began, or since the earliest file that is known. */
interface Count {
  readonly first: bigint;
  highest: bigint;
  readonly seen: Map<bigint, NumberedFile>;
}

/**
 * Whether the count starts again with the file at this index. The former count may also go on after it: then it is
 * late, or its number was used before.
 */
function startsAgain(numbered: readonly Numbered[], index: number, count: Count): boolean {
  const number = numbered[index]?.number;
  if (number === undefined) return false;
  const { first, highest, seen } = count;
  const isLate = number > first && !seen.has(number);
  return number <= 1n && highest > number + 1n && !isLate && !goesOn(numbered, index + 1, count);
}

/**
 * Whether the former count goes on. It does not if a number of it is used again, or if more files have come in between
 * than are known of it: then it is the new count that has come so far.
 */
function goesOn(numbered: readonly Numbered[], from: number, { highest, seen }: Count): boolean {
  const end = Math.min(numbered.length, from + seen.size - 1);
  for (let index = from; index < end; index += 1) {
    const number = numbered[index]?.number;
    if (number === undefined) break;
    if (number > highest) return true;
    if (seen.has(number)) return false;
  }
  return false;
}

/** A late number before the first one shows no gap: the numbers between them may have come before what is known. */
function gapsOf({ first, seen }: Count): NumberProblem[] {
  const known = [...seen].filter(([number]) => number >= first).sort(([a], [b]) => (a < b ? -1 : 1));
  const files = filesFromEach(known.map(([, file]) => file));
  return known.flatMap(([number], index) => {
    const before = known[index - 1]?.[0] ?? number;
    const file = files[index];
    if (number <= before + 1n || file === undefined) return [];
    const [low, high] = [before + 1n, number - 1n];
    const which = low === high ? `the number ${low}` : `the numbers ${low} to ${high}`;
    return [problemOf(file, `Between ${before} and ${number}, ${which} did not arrive.`)];
  });
}

const problemOf = ({ name, sha256 }: NumberedFile, problem: string): NumberProblem => ({
  name,
  sha256,
  problem,
});

/** For each file, the first that counts from it on. They are read once, from the last to the first. */
function filesFromEach(files: readonly NumberedFile[]): (NumberedFile | undefined)[] {
  let next: NumberedFile | undefined;
  return files
    .map((_, index) => {
      const file = files[files.length - 1 - index];
      if (file?.counts === true) next = file;
      return next;
    })
    .reverse();
}
