import type { FileId } from '../../values/ids.js';
import type { AcceptedSum, SummedFile } from './accepted-sum.js';
import { ControlTotalsAdder, type ControlTotal } from './control-totals.js';
import { FileTotalsAdder, type FileTotals } from './file-totals.js';
import { MoneyAdder, type MoneyTotals } from './money-totals.js';

/** The accepted rows in scope, summed once for all purposes. */
export interface AcceptedTotals {
  /** In the order of their keys; made when they are read, because there may be many. */
  readonly controlTotals: Iterable<ControlTotal>;
  readonly money: MoneyTotals;
  /** By file id; a file without accepted rows in scope is missing. */
  readonly byFile: ReadonlyMap<FileId, FileTotals>;
}

/**
 * Adds up sums of accepted rows to all totals of a report, one after the other: there may be as many sums as rows, if
 * nearly each row has another merchant account, and the totals are fewer.
 */
export class AcceptedTotalsAdder {
  readonly #files: ReadonlyMap<FileId, SummedFile>;
  readonly #controlTotals = new ControlTotalsAdder();
  readonly #money = new MoneyAdder();
  readonly #byFile = new FileTotalsAdder();

  /** @param files those of all sums that will be added */
  constructor(files: readonly SummedFile[]) {
    this.#files = new Map(files.map((file) => [file.id, file]));
  }

  /** The files of the sums, in order. */
  get summed(): readonly SummedFile[] {
    return [...this.#files.values()];
  }

  /** Their ids. */
  get files(): readonly FileId[] {
    return [...this.#files.keys()];
  }

  add(sum: AcceptedSum): void {
    const file = this.#files.get(sum.file_id);
    if (file === undefined) throw new Error('the sum belongs to none of the files');
    this.#controlTotals.add(sum, file);
    this.#money.add(sum, file);
    this.#byFile.add(sum);
  }

  /** Says that records which were added as if they counted do not. They stay in the totals of their file. */
  uncount(sum: AcceptedSum): void {
    this.#money.uncount(sum);
  }

  /** Says that records which were added as if they did not count do. */
  count(sum: AcceptedSum): void {
    this.#money.count(sum);
  }

  totals(): AcceptedTotals {
    return {
      controlTotals: this.#controlTotals.totals(),
      money: this.#money.totals(),
      byFile: this.#byFile.totals(),
    };
  }
}
