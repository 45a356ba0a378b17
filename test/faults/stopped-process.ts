import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
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

/**
 * As if a minute had passed without a heartbeat of the run. Within a minute, the server has finished every statement
 * that was sent to it before the process stood still.
 */
export async function letAMinutePass({ database: { database } }: Scene): Promise<void> {
  const working = () => database.sql`select from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      and state = 'active' and wait_event is distinct from 'ClientRead' and wait_event is distinct from 'ClientWrite'`;
  await expect.poll(async () => (await working()).length, { timeout: 20_000 }).toBe(0);
  await database.sql`update runs set heartbeat_at = now() - interval '61 seconds'`;
}
