import { setTimeout as sleep } from 'node:timers/promises';
import { recon, type Ended } from '../cli/recon.js';
import type { Installation } from '../cli/installation.js';

/** Workers within the process of the test. */
export interface Workers {
  stop(): Promise<Ended[]>;
}

/** Starts workers of an installation, and waits until its runs see them. */
export async function startWorkers(
  { directory, environment, database }: Installation,
  count: number,
): Promise<Workers> {
  const stop = new AbortController();
  const ended = Array.from({ length: count }, () =>
    recon(['worker', '--log-level', 'debug'], { cwd: directory, environment, signal: stop.signal }),
  );
  const { sql } = database.database;
  for (;;) {
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from workers`;
    if (row?.count === count) break;
    await Promise.race([
      sleep(20),
      ...ended.map(async (each) => {
        throw new Error(`a worker ended: ${(await each).stderr}`);
      }),
    ]);
  }
  return {
    stop: async () => {
      stop.abort();
      return Promise.all(ended);
    },
  };
}
