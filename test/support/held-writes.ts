import { openMigrationSession } from '../../src/db/connect.js';

/** A moment of a run made to last: whoever writes to a table waits until the test lets it go on. */
export interface HeldWrites {
  /** Waits for somebody to be held, and gives the process of its backend. */
  backend(): Promise<number>;
  release(): Promise<void>;
}

const lock = 4_711;

/**
 * @param line of `settlement_records`: holds in the middle of a COPY, when this line comes; without it every
 *   statement that inserts into the table is held before its first row
 */
export async function holdWrites(url: string, table: string, line?: number): Promise<HeldWrites> {
  const holder = openMigrationSession(url);
  await holder`select pg_advisory_lock(${lock})`;
  await holder.unsafe(`
    create function hold() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(${lock}); return new; end $$;
    create trigger hold before insert on ${table}
    ${line === undefined ? 'for each statement' : `for each row when (new.line = ${line})`} execute function hold()`);
  return {
    backend: async () => {
      for (;;) {
        const [held] = await holder<{ pid: number }[]>`
          select pid from pg_locks where locktype = 'advisory' and not granted and objid = ${lock}
            and database = (select oid from pg_database where datname = current_database())`;
        if (held !== undefined) return held.pid;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    // The trigger stays and holds nobody any more: to drop it would wait for whoever was held.
    release: () => holder.end(),
  };
}
