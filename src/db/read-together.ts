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
 * One read as a row of columns. Documents and sets, which several reads need, cost a single one 60 µs more in
 * PostgreSQL and 60 µs more here (measured).
 */
export interface SingleRead<Call, Result> {
  /** Returns one row or none. */
  readonly query: (given: string, columns: string) => string;
  /** Expressions with texts. The first is never null. */
  readonly columns: readonly string[];
  readonly given: (call: Call) => string;
  /** From the values of the columns, in their order; undefined if there is no row. */
  readonly result: (row: TextRow | undefined, call: Call) => Result;
}

/** A row in which every column was selected as text. */
export type TextRow = readonly (string | null)[];

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
  const ordered = calls.length === 1 ? calls : [...calls].sort(byName);
  const isSingle = ordered.every((call, index) => call.read !== ordered[index - 1]?.read);
  const results = isSingle ? await sendSingle(sql, ordered) : await sendShared(sql, ordered);
  return ordered === calls ? results : calls.map((call) => results[ordered.indexOf(call)]);
}

const byName = (one: AnyCall, other: AnyCall) =>
  one.read.name < other.read.name ? -1 : one.read.name === other.read.name ? 0 : 1;

/** Several calls of some kinds. */
async function sendShared(sql: Sql, calls: readonly AnyCall[]): Promise<readonly unknown[]> {
  const reads = [...new Set(calls.map(({ read }) => read))];
  const callsOf = reads.map((read) => calls.filter((one) => one.read === read).map(({ call }) => call));
  const given = reads.map((read, index) => read.given(callsOf[index] ?? []));
  const statement = statementOf('together', reads, togetherStatement);
  const [row] = await sql.unsafe<{ found: string }[]>(statement, given, { prepare: true });
  // The statement builds an array with a value for each kind.
  const found = JSON.parse(row?.found ?? '[]') as readonly unknown[];
  return reads.flatMap((read, index) => read.results(found[index], callsOf[index] ?? []));
}

/** One call of each of these kinds. */
async function sendSingle(sql: Sql, calls: readonly AnyCall[]): Promise<readonly unknown[]> {
  const reads = calls.map(({ read }) => read);
  const given = calls.map(({ read, call }) => read.one.given(call));
  const statement = statementOf('single', reads, singleStatement);
  const [texts = []] = await sql.unsafe(statement, given, { prepare: true }).values();
  let place = 0;
  return calls.map(({ read, call }) => {
    const from = place;
    place += read.one.columns.length;
    // Every column is a text.
    const row = texts[from] === null ? undefined : (texts.slice(from, place) as TextRow);
    return read.one.result(row, call);
  });
}

/** Without names for the columns: the driver looks a statement up by its text, so a shorter one costs less. */
function singleStatement(reads: readonly AnyCall['read'][]): string {
  const rows = reads.map(
    ({ one }, index) =>
      `left join (${one.query(`$${index + 1}::text`, one.columns.join(', '))}) as row${index} on true`,
  );
  return `select * from (select) as always ${rows.join(' ')}`;
}

function togetherStatement(reads: readonly AnyCall['read'][]): string {
  const values = reads.map((read, index) => read.value(`$${index + 1}::text`));
  return `select json_build_array(${values.join(', ')})::text as found`;
}

/** Statements by the names of their reads. Building one for each request took longer than executing it (measured). */
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
