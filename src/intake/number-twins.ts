/**
 * These take about 10 MB. A file of 32 MB, the largest that shares a part by default, has about 75,000 ordinary rows.
 */
const mostKept = 131_072;

/**
 * The occurrence numbers of the rows of one file: the first row with a fingerprint has number 1, the next one 2
 * (design 4.3). With them, a file that holds identical rows goes straight into a part that it shares with other files:
 * numbered in a staging table and then stored, such rows took twice the CPU time of the server.
 */
export class TwinNumbers {
  readonly #last = new Map<string, number>();
  readonly #mostKept: number;

  constructor(most = mostKept) {
    this.#mostKept = most;
  }

  /**
   * The number of the next row. Later fingerprints than those that are kept get 1 each time: the index on identity then
   * finds their twins, and the file is staged.
   */
  next(fingerprint: string): number {
    const number = (this.#last.get(fingerprint) ?? 0) + 1;
    if (number > 1 || this.#last.size < this.#mostKept) this.#last.set(fingerprint, number);
    return number;
  }
}
