import type { Sql } from '../db/client.js';
import { isDivided } from '../db/shards/is-divided.js';
import type { RunScope } from '../db/run-scope.js';
import type { AcceptedTotalsAdder } from './totals/accepted-totals.js';
import { inOwnTransaction } from '../db/transaction.js';
import { sumFiles } from './totals/sum-accepted-rows.js';

/** Fewer are added up before another connection is open. */
const manyRecords = 50_000;

/**
 * Adds up the records of a run on another connection while their matching keeps only one core busy: a million of them
 * take more than a second. Only the matching decides which records count, so the report corrects that.
 *
 * It can always be given up, and then the report adds up the records itself: after a signal, or if the database fails,
 * which whoever uses it next reports.
 */
export class EarlySums {
  readonly #sql: Sql;
  readonly #scope: RunScope;
  readonly #records: number;
  #giveUp: AbortController | null = null;
  #isTaken = false;
  #sums: Promise<AcceptedTotalsAdder | null> = Promise.resolve(null);

  /**
   * @param scope is stored and committed, and its records do not change any more
   * @param records how many they are
   */
  constructor(sql: Sql, scope: RunScope, records: number) {
    this.#sql = sql;
    this.#scope = scope;
    this.#records = records;
  }

  /** Begins once, however often it is called, and not for a few records. */
  begin(): void {
    if (this.#giveUp !== null || this.#records < manyRecords) return;
    this.#giveUp = new AbortController();
    const read = inOwnTransaction(
      this.#sql,
      // With shards, the records are not on this server.
      async (tx) => ((await isDivided(tx)) ? null : sumFiles(tx, this.#scope)),
      'isolation level repeatable read read only',
      this.#giveUp.signal,
    );
    this.#sums = read.catch(() => null);
  }

  /**
   * The sums, once, because whoever takes them adds to them. Null if they were given up, never begun, or taken before
   * by a report that is being repeated.
   */
  take(): Promise<AcceptedTotalsAdder | null> {
    if (this.#isTaken) return Promise.resolve(null);
    this.#isTaken = true;
    return this.#sums;
  }

  /** Gives them up if they are still being read. */
  async end(): Promise<void> {
    this.#giveUp?.abort();
    await this.#sums;
  }
}
