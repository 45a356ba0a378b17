import { ReconError } from '../../errors.js';
import type { Sql } from '../client.js';

/** What a database says about a move (`recon move`); undefined for one that is in use. */
export type MoveMark =
  /** Its content is elsewhere now. */
  | { readonly state: 'moved'; readonly to: string; readonly at: string }
  /** A move into it has begun and not ended. */
  | { readonly state: 'incomplete' };

/** Stands in `moved_to` of a database whose copy is not complete. */
export const incompleteCopy = 'incomplete copy';

/** Reads the mark of a database with the current schema. */
export async function readMoveMark(sql: Sql): Promise<MoveMark | undefined> {
  const [row] = await sql<{ moved_at: string; moved_to: string }[]>`
    select moved_at::text as moved_at, moved_to from database_moves order by moved_at desc limit 1`;
  if (row === undefined) return undefined;
  if (row.moved_to === incompleteCopy) return { state: 'incomplete' };
  return { state: 'moved', to: row.moved_to, at: row.moved_at };
}

/** @throws ReconError DATABASE_MOVED if the database is not the one in use */
export async function requireNotMoved(sql: Sql): Promise<void> {
  const mark = await readMoveMark(sql);
  if (mark === undefined) return;
  throw new ReconError(
    'DATABASE_MOVED',
    mark.state === 'moved'
      ? `This database was moved to ${mark.to} on ${mark.at.slice(0, 10)}. What is stored there since then is missing here, so nothing was started.`
      : 'A move into this database has begun and is not complete, so nothing was started.',
  );
}
