import type { Sql, Tx } from '../db/client.js';
import { inOwnTransaction } from '../db/transaction.js';

/** A part of a list, and how many entries there are without the limit. */
export interface Listing<Row> {
  /** How many there are without the limit. */
  readonly total: number;
  /** The first ones in the order of the list: `limit` at most. */
  readonly rows: readonly Row[];
}

/** A list in the database, read in batches: it may hold millions of entries. */
export interface ListSource<Row> {
  /** The entries in their order, `limit` at most (null: all). */
  batches(tx: Tx, limit: number | null): Batches<Row>;
  count(tx: Tx): Promise<number>;
}

/** Entries that the database sends at a time. */
export const batchSize = 1000;

/** The entries of a list, which are read again each time they are iterated. */
export type Batches<Row> = AsyncIterable<readonly Row[]>;

/** The batches of a list without entries. */
export const noBatches: Batches<never> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
};

/** @param read reads them from the beginning */
export function batches<Row>(read: () => Batches<Row>): Batches<Row> {
  return { [Symbol.asyncIterator]: () => read()[Symbol.asyncIterator]() };
}

/** The first rows of batches; no further batch is read. */
export async function* firstRows<Row>(read: Batches<Row>, most: number): AsyncGenerator<readonly Row[]> {
  let left = most;
  if (left === 0) return;
  for await (const batch of read) {
    yield batch.slice(0, left);
    left -= batch.length;
    if (left <= 0) return;
  }
}

/** All entries of a list in memory: for lists that are known to be short, or that a program asked for. */
export async function collected<Row>(read: Batches<Row>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of read) rows.push(...batch);
  return rows;
}

/** The two statements of a list: `select … order by …` without a limit, and one that selects an integer `total`. */
interface Statements {
  readonly rows: Fragment;
  readonly total: Fragment;
}

type Fragment = ReturnType<Tx>;

/**
 * A list of what a statement selects.
 *
 * @param toRow makes an entry of what the statement selected, whose type only the caller knows
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function listSource<Stored extends object, Row>(
  statements: (tx: Tx) => Statements | Promise<Statements>,
  toRow: (stored: Stored) => Row,
): ListSource<Row> {
  return {
    async *batches(tx, limit) {
      const { rows } = await statements(tx);
      const limited = limit === null ? tx`` : tx`limit ${limit}`;
      for await (const batch of tx<Stored[]>`${rows} ${limited}`.cursor(batchSize)) yield batch.map(toRow);
    },
    async count(tx) {
      const [counted] = await tx<{ total: number }[]>`${(await statements(tx)).total}`;
      return counted?.total ?? 0;
    },
  };
}

/** Does the work on one snapshot, so that a list and its total agree. */
export function onSnapshot<T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inOwnTransaction(sql, work, 'isolation level repeatable read read only');
}

/** A list up to a limit, in memory. */
export function collect<Row>(sql: Sql, source: ListSource<Row>, limit: number | null): Promise<Listing<Row>> {
  return onSnapshot(sql, async (tx) => {
    const rows = await collected(source.batches(tx, limit));
    const isWhole = limit === null || rows.length < limit;
    return { total: isWhole ? rows.length : await source.count(tx), rows };
  });
}
