import { ReconError } from '../../errors.js';
import type { Reader, Sql, Tx } from '../client.js';

/** The answers of transactions that began with one. */
const noted = new WeakMap<object, boolean>();

/**
 * Notes in a transaction handle whether data is stored on shards, so that `isDivided` need not ask again: each run
 * asked more than thirty times. Only for a transaction during which data cannot be divided, like those of a run, which
 * holds the run lock.
 */
export function noteDivided(tx: Tx, divided: boolean): void {
  noted.set(tx, divided);
}

/** Whether payments, records and results of this database are stored on shards (decision 14). */
export async function isDivided(sql: Reader): Promise<boolean> {
  const known = noted.get(sql);
  if (known !== undefined) return known;
  const [row] = await sql<{ divided: boolean }[]>`
    select relkind = 'p' as divided from pg_class where oid = to_regclass('public.payments')`;
  return row?.divided === true;
}

/**
 * Whether shards were added, even if no data is stored on them yet: that of an installation in use is moved by a
 * division.
 */
export async function hasShards(sql: Sql | Tx): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`select to_regclass('public.shards') is not null as found`;
  return row?.found === true;
}

/** @throws ReconError SHARDS_UNSUPPORTED when data of the database is stored on shards */
export async function refuseShards(sql: Sql | Tx, what: string): Promise<void> {
  if (await isDivided(sql)) throw unsupported(what);
}

/** @throws ReconError SHARDS_UNSUPPORTED when shards were added, even if no data is stored on them yet */
export async function refuseNotedShards(sql: Sql | Tx, what: string): Promise<void> {
  if (await hasShards(sql)) throw unsupported(what);
}

const unsupported = (what: string) =>
  new ReconError(
    'SHARDS_UNSUPPORTED',
    `${what} does not work with a database that has shards; nothing was started.`,
  );

/** @throws ReconError SHARD_INVALID when the database is itself a shard */
export async function requireNoShard(sql: Sql): Promise<void> {
  const [row] = await sql<{ shard: boolean }[]>`
    select to_regclass('public.shard_membership') is not null as shard`;
  if (row?.shard !== true) return;
  throw new ReconError(
    'SHARD_INVALID',
    'This database is a shard: only its home database may be used with recon, so nothing was started.',
  );
}
