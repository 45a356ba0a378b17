import { readFileSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openMigrationSession } from '../../src/db/connect.js';
import { readPostmaster } from '../../src/db/embedded/postmaster-file.js';
import type { BenchServer } from '../bench-server.js';
import type { InstructionCounter } from './instruction-counter.js';

/** A server whose instructions are counted, from its start to its end. */
export interface CountedServer {
  /** Ends the server; all connections must be closed. Returns the instructions of all its processes. */
  stop(): Promise<number>;
}

const readyWithinMs = 120_000;

/**
 * Ends a server and starts it again under the counter, with the same data and settings. So what was prepared in it is
 * not counted, and took no longer than usual.
 *
 * @param directory of the server
 * @param database that must answer
 */
export async function restartCounted(
  server: BenchServer,
  directory: string,
  database: string,
  counter: InstructionCounter,
): Promise<CountedServer> {
  const cluster = path.join(directory, 'server/database');
  const processId = readPostmaster(cluster)?.processId;
  if (processId === undefined) throw new Error(`no server runs on ${cluster}`);
  const command = readFileSync(`/proc/${processId}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const cwd = readlinkSync(`/proc/${processId}/cwd`);
  const { uid, gid } = statSync(cluster);
  const url = server.url(database);
  await server.close();
  // Autovacuum starts at fixed intervals, and would do more the slower the server is.
  const started = counter.start([...command, '-c', 'autovacuum=off'], { kind: 'server', cwd, uid, gid });
  await untilReady(url, started.ended);
  return {
    stop: async () => {
      started.stop();
      await started.ended;
      return started.instructions();
    },
  };
}

async function untilReady(url: string, ended: Promise<{ readonly output: string }>): Promise<void> {
  const deadline = performance.now() + readyWithinMs;
  const failed = ended.then(({ output }) => {
    throw new Error(`the server ended: ${output}`);
  });
  failed.catch(() => undefined);
  for (;;) {
    const sql = openMigrationSession(url);
    try {
      await Promise.race([sql`select`, failed]);
      return;
    } catch (thrown) {
      if (performance.now() > deadline) throw thrown;
      await Promise.race([sleep(200), failed]);
    } finally {
      await sql.end();
    }
  }
}
