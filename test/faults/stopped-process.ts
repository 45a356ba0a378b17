import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WatchedCli } from '../support/cli.js';
import type { Scene } from './scene.js';

/** Waits until a process that is to pause does. */
export async function untilStopped({ pid, ended }: WatchedCli): Promise<void> {
  for (;;) {
    const state = stateOf(pid);
    if (state === 'T') return;
    if (state === undefined) {
      const { stdout, stderr } = await ended;
      throw new Error(`it ended instead of standing still: ${stdout}${stderr}`);
    }
    await sleep(20);
  }
}

/** The letter of its state in /proc; undefined when there is no such process. */
function stateOf(pid: number): string | undefined {
  try {
    return /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** As if a minute had passed without a heartbeat of the run. */
export async function letAMinutePass({ database: { database } }: Scene): Promise<void> {
  await database.sql`update runs set heartbeat_at = now() - interval '61 seconds'`;
}
