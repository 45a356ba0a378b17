import { databaseMoment } from '../../db/database-moment.js';
import type { Sql, Tx } from '../../db/client.js';
import { storedMoment } from '../values/moments.js';
import type { CoreContext } from './core-context.js';
import { reading } from './transactions.js';

/**
 * The present in a statement, for moments that processes on several machines compare: when a key, a checkout or a fire
 * of a job is over or due. It is that of the database, so a wrong clock of one machine cannot end the keys of all, or
 * make the payments of a year at once. A clock that the program gave is used instead.
 */
export function sharedMoment({ givenClock }: CoreContext, sql: Sql | Tx) {
  const given = givenClock === undefined ? null : storedMoment(givenClock());
  return sql`coalesce(${given}::text::timestamptz, now())`;
}

/** The moment of {@link sharedMoment} in epoch milliseconds, for what is computed outside the database. */
export async function readSharedMoment({ givenClock }: CoreContext, sql: Sql | Tx): Promise<number> {
  return givenClock === undefined ? reading(() => databaseMoment(sql)) : givenClock();
}
