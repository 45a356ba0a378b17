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
  /** The same for a single call. */
  readonly one: SingleRead<Call, Result>;
}

/**
 * One read as a row of columns. Documents and sets, which several reads need, cost a single one 60 µs more in PostgreSQL
 * and 60 µs more here (measured).
 */
export interface SingleRead<Call, Result> {
  /** Returns one row or none. */
  readonly query: (given: string, columns: string) => string;
  /** Expressions with texts by the names of the columns. The first is never null. */
  readonly columns: Readonly<Record<string, string>>;
  readonly given: (call: Call) => string;
  readonly result: (row: TextRow | undefined, call: Call) => Result;
}

export type TextRow = Readonly<Record<string, string | null>>;

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
  if (reads.length === calls.length) return sendSingle(sql, calls, reads);
  const callsOf = reads.map((read) => calls.filter((one) => one.read === read).map(({ call }) => call));
  const given = reads.map((read, index) => read.given(callsOf[index] ?? []));
  const [row] = await sql.unsafe<{ found: string }[]>(
    statementOf('together', reads, togetherStatement),
    given,
    { prepare: true },
  );
  // The statement builds an array with a value for each kind.
  const found = JSON.parse(row?.found ?? '[]') as readonly unknown[];
  const results = reads.map((read, index) =>
    read.results(found[index], callsOf[index] ?? [])[Symbol.iterator](),
  );
  return calls.map(({ read }) => results[reads.indexOf(read)]?.next().value);
}

/** One call of each of these kinds. */
async function sendSingle(
  sql: Sql,
  calls: readonly AnyCall[],
  reads: readonly AnyCall['read'][],
): Promise<readonly unknown[]> {
  const inOrder = reads.flatMap((read) => calls.filter((call) => call.read === read));
  const given = inOrder.map(({ read, call }) => read.one.given(call));
  const statement = statementOf('single', reads, singleStatement);
  const [texts = []] = await sql.unsafe(statement, given, { prepare: true }).values();
  let place = 0;
  const results = new Map<AnyCall, unknown>();
  for (const one of inOrder) {
    const row: Record<string, string | null> = {};
    const from = place;
    for (const name of Object.keys(one.read.one.columns)) {
      // Every column is a text.
      row[name] = texts[place] as string | null;
      place += 1;
    }
    results.set(one, one.read.one.result(texts[from] === null ? undefined : row, one.call));
  }
  return calls.map((call) => results.get(call));
}

function singleStatement(reads: readonly AnyCall['read'][]): string {
  const names = reads.flatMap((read, index) =>
    Object.keys(read.one.columns).map((_, at) => `c${index}_${at}`),
  );
  const rows = reads.map(({ one }, index) => {
    const columns = Object.values(one.columns).map((column, at) => `${column} as c${index}_${at}`);
    return `left join (${one.query(`$${index + 1}::text`, columns.join(', '))}) as row${index} on true`;
  });
  return `select ${names.join(', ')} from (select) as always ${rows.join(' ')}`;
}

function togetherStatement(reads: readonly AnyCall['read'][]): string {
  const values = reads.map((read, index) => read.value(`$${index + 1}::text`));
  return `select json_build_array(${values.join(', ')})::text as found`;
}

/** Statements by the names of their reads. To build one for each request took longer than to execute it (measured). */
const statements = new Map<string, string>();

function statementOf(
  form: string,
  reads: readonly AnyCall['read'][],
  build: (reads: readonly AnyCall['read'][]) => string,
): string {
  const name = `${form} ${reads.map((read) => read.name).join()}`;
  const before = statements.get(name);
  if (before !== undefined) return before;
  const statement = build(reads);
  statements.set(name, statement);
  return statement;
}
