import type { Tx } from '../db/client.js';
import type { ShardPlace } from '../db/shards/shard-state.js';
import { askShards, awaitAnswers } from '../db/shards/on-shards.js';
import { digestQuery } from '../db/row-digest.js';
import { ReconError } from '../errors.js';
import { shardedTables } from './ledger-of-shard.js';
import { columnsOf } from './move-rows.js';

/** What must be the same on the home server and on all shards together: numbers that add up. */
type Facts = readonly bigint[];

/** A query that returns such numbers in one row, and means the tables of a shard there. */
interface Question {
  readonly subject: string;
  readonly query: string;
}

/** How many rows of one table each shard has. */
export interface RowsOnShards {
  readonly table: string;
  readonly rows: number;
  readonly shards: Readonly<Record<string, number>>;
}

/**
 * Compares every row of the three tables on the home server with those on the shards, by their number and a digest, and
 * the results that are on the shard of their record.
 *
 * @throws ReconError DIVISION_NOT_VERIFIED
 */
export async function compareRows(tx: Tx, shards: readonly ShardPlace[]): Promise<RowsOnShards[]> {
  await analyzeOnShards(tx);
  const compared: RowsOnShards[] = [];
  // As postgres_fdw has it on the shards: the text of a moment depends on it.
  await tx`select set_config('timezone', 'GMT', true), set_config('datestyle', 'ISO', true)`;
  for (const question of await questions(tx)) {
    const here = await answerHere(tx, question);
    const there = await answersOfShards(tx, question);
    const sums = here.map((_, index) =>
      [...there.values()].reduce((sum, facts) => sum + (facts[index] ?? 0n), 0n),
    );
    if (!here.every((fact, index) => fact === sums[index])) throw differs(question, here, sums);
    compared.push({
      table: question.subject,
      rows: Number(here[0]),
      shards: Object.fromEntries(
        shards.map(({ name, position }) => [name, Number(there.get(position)?.[0] ?? 0n)]),
      ),
    });
  }
  await tx`set local timezone to default`;
  await tx`set local datestyle to default`;
  return compared.filter(({ table }) => shardedTables.some(({ name }) => name === table));
}

/**
 * @throws ReconError SHARD_INVALID if a shard has rows: the home database did not put them there, or it was restored
 */
export async function requireEmptyShards(tx: Tx, shards: readonly ShardPlace[]): Promise<void> {
  for (const { name: table } of shardedTables) {
    const filled = await answersOfShards(tx, {
      subject: table,
      query: `select exists (select from ${table})::integer as filled`,
    });
    const shard = shards.find(({ position }) => filled.get(position)?.[0] === 1n);
    if (shard === undefined) continue;
    throw new ReconError(
      'SHARD_INVALID',
      `Shard ${shard.name} cannot be used: it has rows in ${table} that this home database did not put there, as after a restore of the home database alone. Nothing was moved.`,
    );
  }
}

/** Without it, a shard takes its tables for empty, and compares every result with every record. */
async function analyzeOnShards(tx: Tx): Promise<void> {
  const step = shardedTables.map(({ onShard }) => `analyze public.${onShard}`).join('; ');
  await askShards(tx, { inputs: [], step, answer: `select ''::text where false` });
  await awaitAnswers(tx);
}

async function questions(tx: Tx): Promise<Question[]> {
  const ofRows: Question[] = [];
  for (const { name } of shardedTables) {
    const columns = await columnsOf(tx, name);
    const row = `row(${columns.map((column) => column.name).join(', ')})::text`;
    ofRows.push({ subject: name, query: digestQuery(row, name) });
  }
  return [
    ...ofRows,
    {
      subject: 'results of records',
      query: `select count(*)::text as rows from record_matches m
        join settlement_records r on r.file_id = m.file_id and r.line = m.line`,
    },
  ];
}

async function answerHere(tx: Tx, { query }: Question): Promise<Facts> {
  const [row] = await tx.unsafe<Record<string, string>[]>(query);
  return Object.values(row ?? {}).map(BigInt);
}

/** By the position of the shard. All of them work at the same time. */
async function answersOfShards(tx: Tx, { query }: Question): Promise<ReadonlyMap<number, Facts>> {
  await askShards(tx, {
    inputs: [],
    answer: `select current_setting('recon.shard') || ',' || trim(both '()' from a::text) from (${query}) a`,
  });
  const rows = await tx<{ answer: string }[]>`select answer from shard_answers`;
  return new Map(
    rows.map(({ answer }) => {
      const [position = '', ...facts] = answer.split(',');
      return [Number(position), facts.map(BigInt)];
    }),
  );
}

function differs({ subject }: Question, here: Facts, sums: Facts): ReconError {
  return new ReconError(
    'DIVISION_NOT_VERIFIED',
    `After they were copied, the rows on the shards differ from those of the home database: ${subject}, ${here[0] ?? 0n} rows on the home server and ${sums[0] ?? 0n} on the shards${here[0] === sums[0] ? ', with other values' : ''}. Nothing was changed.`,
  );
}
