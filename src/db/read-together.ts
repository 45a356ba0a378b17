import type { Sql } from './client.js';
import { sendTogether } from './send-together.js';

/** A kind of read whose calls share a statement with one another, and with reads of other kinds. */
export interface SharedRead<Call, Result> {
  /** Unique in the program; determines the place in the statement. */
  readonly name: string;
  /**
   * An expression in parentheses whose value is JSON with what all of the calls read, or null.
   *
   * @param given the place of the parameter, a text
   */
  readonly value: (given: string) => string;
  /** The parameter. */
  readonly given: (calls: readonly Call[]) => string;
  /** The result of each call, from the parsed value. */
  readonly results: (value: unknown, calls: readonly Call[]) => readonly Result[];
}

/** Reads together with others of the same moment. All of them see the same state of the database. */
export type ReadTogether = <Call, Result>(read: SharedRead<Call, Result>, call: Call) => Promise<Result>;

interface AnyCall {
  readonly read: SharedRead<unknown, unknown>;
  readonly call: unknown;
}

const readers = new WeakMap<Sql, ReadTogether>();

/** The reads of a client, whoever makes them: `sendTogether` for all kinds at once. */
export function readTogetherOn(sql: Sql): ReadTogether {
  const before = readers.get(sql);
  if (before !== undefined) return before;
  const join = sendTogether((calls: readonly AnyCall[]) => sendReads(sql, calls));
  // The result of a call comes from `results` of its read.
  const reader = ((read: AnyCall['read'], call: unknown) => join({ read, call })) as ReadTogether;
  readers.set(sql, reader);
  return reader;
}

async function sendReads(sql: Sql, calls: readonly AnyCall[]): Promise<readonly unknown[]> {
  // Always in the same order, so that the number of different statements is small.
  const reads = [...new Set(calls.map(({ read }) => read))].sort((a, b) => (a.name < b.name ? -1 : 1));
  const callsOf = reads.map((read) => calls.filter((one) => one.read === read).map(({ call }) => call));
  const given = reads.map((read, index) => read.given(callsOf[index] ?? []));
  const [row] = await sql.unsafe<{ found: string }[]>(statementOf(reads), given, { prepare: true });
  // The statement builds an array with a value for each kind.
  const found = JSON.parse(row?.found ?? '[]') as readonly unknown[];
  const results = reads.map((read, index) =>
    read.results(found[index], callsOf[index] ?? [])[Symbol.iterator](),
  );
  return calls.map(({ read }) => results[reads.indexOf(read)]?.next().value);
}

/** Statements by the names of their reads. To build one for each request took longer than to execute it (measured). */
const statements = new Map<string, string>();

function statementOf(reads: readonly AnyCall['read'][]): string {
  const names = reads.map(({ name }) => name).join();
  const before = statements.get(names);
  if (before !== undefined) return before;
  const values = reads.map((read, index) => read.value(`$${index + 1}::text`));
  const statement = `select json_build_array(${values.join(', ')})::text as found`;
  statements.set(names, statement);
  return statement;
}
