import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { openAndMigrate } from '../../src/db/connect.js';
import { holdEmbeddedServer } from '../../src/db/embedded/embedded-server.js';
import { readPostmaster } from '../../src/db/embedded/postmaster-file.js';

/** A server for one test alone, with a migrated database. */
export interface FreezableServer {
  readonly url: string;
  /** From now on until the end of the test, the server accepts connections and answers nothing. */
  freeze(): void;
}

export async function startFreezableServer(): Promise<FreezableServer> {
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-frozen-'));
  const server = await holdEmbeddedServer(directory, { shared_buffers: '32MB', fsync: 'off' });
  const frozen: number[] = [];
  onTestFinished(async () => {
    for (const id of frozen) signal(id, 'SIGCONT');
    await server.release();
    rmSync(directory, { recursive: true, force: true });
  });
  await openAndMigrate({ url: server.url }, { logger: pino({ enabled: false }) });
  return {
    url: server.url,
    freeze: () => {
      frozen.push(...processesOf(path.join(directory, 'database')));
      for (const id of frozen) signal(id, 'SIGSTOP');
    },
  };
}

/** A process of a connection that was closed may have ended meanwhile. */
function signal(processId: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(processId, name);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
}

/** The processes of a server: the postmaster first, then its children. */
function processesOf(cluster: string): readonly number[] {
  const postmaster = readPostmaster(cluster)?.processId;
  if (postmaster === undefined) throw new Error('no server runs');
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => parentOf(id) === postmaster);
  return [postmaster, ...children];
}

function parentOf(id: number): number | undefined {
  try {
    const [, parent] = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? [];
    return Number(parent);
  } catch {
    return undefined;
  }
}
