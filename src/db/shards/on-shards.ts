import type { Fragment, Tx } from '../client.js';

/** Rows of the home server that a statement reads on the shards, under the name of the table that has them at home. */
export interface ShardInput {
  readonly name: string;
  /** As in a table definition. */
  readonly columns: string;
  /** Selects these columns, in this order. Few rows: each shard gets all of them. */
  readonly rows: Fragment;
}

/** What every shard does with its own rows. */
export interface ShardWork {
  readonly inputs: readonly ShardInput[];
  /** Done first, for what it writes. */
  readonly step?: string;
  /** A query whose rows are the answer. */
  readonly answer: string;
}

/**
 * A statement as one text with its parameters in it, to be sent to the shards. The home server checks it, but does not
 * execute it: so every table that it names must be there too.
 */
export async function statementText(tx: Tx, statement: Fragment): Promise<string> {
  const query = tx`${statement}`;
  await query.describe();
  // Set by the driver (3.4.9) when the statement is sent; not in its public type.
  const { string = '', parameters = [] } = query as unknown as {
    readonly string?: string;
    readonly parameters?: readonly unknown[];
  };
  return string.replace(/\$(\d+)/g, (_all, number) => literal(parameters[Number(number) - 1]));
}

/** Quoted without a type, so that its type follows from its place, as that of a parameter does. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (
    typeof value !== 'string' &&
    typeof value !== 'number' &&
    typeof value !== 'bigint' &&
    typeof value !== 'boolean'
  )
    throw new Error(`a ${typeof value} cannot be sent to a shard`);
  return quoted(String(value));
}

const quoted = (text: string) => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/**
 * Gives every shard its inputs and its work. Nothing is done yet: reading the view `shard_answers` does the work, on
 * all shards at the same time, and returns the rows of their answers as text. Read it once, without a join.
 */
export async function askShards(tx: Tx, { inputs, step, answer }: ShardWork): Promise<void> {
  const tables = inputs.map(
    ({
      name,
      columns,
      rows,
    }) => tx`${`drop table if exists pg_temp.${name}; create temp table ${name} on commit drop as
        select * from json_to_recordset(`}::text || quote_literal((select coalesce(json_agg(i), '[]') from (${rows}) i)::text)
      || ${`) as t(${columns}); analyze pg_temp.${name};`}::text`,
  );
  const prepare = tables.reduce<Fragment>((all, each) => tx`${all} || ${each}`, tx`''`);
  await tx`select ask_shards(${prepare}, ${step ?? ''}, ${answer})`;
}

/**
 * Executes a query on every shard, on the rows there, and makes a temporary table of what all of them return.
 *
 * @param table its name; the tables of the query keep theirs, even if it is one of them
 */
export async function collectFromShards(
  tx: Tx,
  table: string,
  query: Fragment,
  inputs: readonly ShardInput[],
): Promise<void> {
  const text = await statementText(tx, query);
  await tx`create temp table ${tx(table)} on commit drop as ${query} with no data`;
  await askShards(tx, { inputs, answer: `select t::text from (${text}) t` });
  await readAnswers(tx, table);
}

/** Adds the answers to a temporary table of the same columns. */
export async function readAnswers(tx: Tx, table: string): Promise<void> {
  const own = tx(`pg_temp.${table}`);
  await tx`insert into ${own} select (a.row).* from (select answer::${own} as row from shard_answers offset 0) a`;
}

/** Does the work whose answer is empty. */
export async function awaitAnswers(tx: Tx): Promise<void> {
  await tx`select from shard_answers`;
}
