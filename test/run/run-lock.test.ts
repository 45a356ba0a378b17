import { once } from 'node:events';
import { hostname } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { Interrupted } from '../../src/cli/interrupted.js';
import { fencedTransactions } from '../../src/db/fence.js';
import { tryRunLock } from '../../src/db/try-run-lock.js';
import { purge } from '../../src/retention/purge.js';
import {
  acquireLockWithoutRun,
  acquireRunLock,
  type RunLock,
  type RunRequest,
} from '../../src/run/run-lock.js';
import { keepsEverything } from '../../src/values/retention-policy.js';
import { databaseForEachTest } from '../support/database.js';
import { runContext } from '../support/run-context.js';

const request: RunRequest = { kind: 'run', asOf: '2026-11-20', range: null, scheduledFor: null };

const testDatabase = databaseForEachTest();
const held: RunLock[] = [];

afterEach(async () => {
  for (const lock of held.splice(0)) await lock.release();
});

async function acquire(): Promise<RunLock> {
  const lock = await acquireRunLock(runContext(testDatabase.database, '/nowhere'), request);
  held.push(lock);
  return lock;
}

async function acquireWithoutRun(): Promise<RunLock> {
  const lock = await acquireLockWithoutRun(testDatabase, 'dry run');
  held.push(lock);
  return lock;
}

const statuses = async () =>
  (
    await testDatabase.database.sql<{ id: number; status: string }[]>`select id, status from runs order by id`
  ).map(({ id, status }) => `${id} ${status}`);

/** Ends the session that holds the run lock, as a crash of its process would. */
const endSession = () =>
  testDatabase.database.sql`
    select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())`;

describe('one run at a time', () => {
  test('F79 of eight concurrent runs one is active, and the others get its number', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => acquire()));
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'RUN_ACTIVE', exitCode: 3 });
    }
    await expect(acquire()).rejects.toThrow(/^Run 1 \(run, process \d+ on .+\) has been active since/);
  });

  test('a command that waits for no run says which one it met', async () => {
    const session = testDatabase.database.openSession(() => undefined);
    expect(await tryRunLock(session, 'move')).toBeNull();
    await session.end();
    await acquire();
    const other = testDatabase.database.openSession(() => undefined);
    expect(await tryRunLock(other, 'move')).toMatch(
      /^Run 1 \(run, process \d+ on .+\) has been active since \S+ \S+ UTC$/,
    );
    await other.end();
  });

  test('a run whose place was taken notices it with its next heartbeat, also while its connection lasts', async () => {
    const { lost } = await acquire();
    await testDatabase.database.sql`update runs set status = 'abandoned', finished_at = now()`;
    await once(lost, 'abort');
    expect(lost.reason).toMatchObject({ code: 'RUN_REPLACED' });
  });

  test('a process that stays up gives the lock back after each removal of old data, done or not', async () => {
    const context = runContext(testDatabase.database, '/nowhere');
    const asked = { policy: keepsEverything, asOf: '2026-11-20', dryRun: false } as const;
    await purge(context, asked);
    await (await acquire()).release();
    const interrupted = { ...context, signal: AbortSignal.abort(new Interrupted('SIGTERM')) };
    await expect(purge(interrupted, asked)).rejects.toMatchObject({ code: 'RUN_INTERRUPTED' });
    await (await acquire()).release();
  });

  test('a released lock is free, and run numbers have no gaps', async () => {
    await (await acquire()).release();
    await (await acquire()).release();
    await acquire();
    expect(await statuses()).toEqual(['1 abandoned', '2 abandoned', '3 running']);
  });

  test('a dry run takes the lock and leaves no row', async () => {
    const lock = await acquireWithoutRun();
    expect(lock.fence.runId).toBe(1);
    await expect(acquire()).rejects.toMatchObject({ code: 'RUN_ACTIVE' });
    expect(await statuses()).toEqual([]);
  });
});

test('F79 a lock that was just taken is not mistaken for that of a run that died long ago', async () => {
  await (await acquire()).release();
  await testDatabase.database.sql`update runs set heartbeat_at = now() - interval '1 hour'`;
  // As between taking the lock and storing the row of a run, nothing shows who holds it.
  const holder = await acquireWithoutRun();
  await expect(acquire()).rejects.toMatchObject({ code: 'RUN_ACTIVE' });
  expect(holder.lost.aborted).toBe(false);
  expect(await statuses()).toEqual(['1 running']);
});

// A dry run or purge that somebody stopped with Ctrl-Z keeps the lock, and no row of `runs` describes it.
test.each([
  ['dry run', 'A dry run'],
  ['purge', '`recon purge`'],
  ['retire', '`recon retire`'],
  ['archive encrypt', '`recon archive encrypt`'],
  ['move', '`recon move`'],
  ['shards divide', '`recon shards divide`'],
] as const)(
  'F77 F79 a run that cannot begin names what holds the lock without a run: %s',
  async (work, subject) => {
    await (await acquire()).release();
    await testDatabase.database.sql`update runs set heartbeat_at = now() - interval '1 hour'`;
    const holder = await acquireLockWithoutRun(testDatabase, work);
    held.push(holder);
    const escaped = `${process.pid} on ${hostname().slice(0, 20)}`.replaceAll('.', '\\.');
    const named = new RegExp(
      `^${subject} \\(process ${escaped}\\S*\\) has been active since \\S+ \\S+ UTC, and no run can begin until it ends\\.$`,
    );
    await expect(acquire()).rejects.toThrow(named);
    expect(holder.lost.aborted).toBe(false);
    await holder.release();
    held.length = 0;
    await (await acquire()).release();
  },
);

describe('a run that lost its lock', () => {
  test('F80 notices when its connection dies', async () => {
    const lock = await acquire();
    await endSession();
    await expect.poll(() => lock.lost.aborted).toBe(true);
    expect(lock.lost.reason).toMatchObject({ code: 'RUN_REPLACED' });
  });

  test('F77 can no longer write once another run has taken over', async () => {
    const first = await acquire();
    const write = (lock: RunLock) =>
      fencedTransactions(testDatabase.database, lock.fence).transact(
        (tx) => tx`insert into run_rechecks (run_id, file_id, line) values (${lock.fence.runId}, 1, 1)`,
      );
    await write(first);
    await endSession();
    const second = await acquire();
    await expect(write(first)).rejects.toMatchObject({ code: 'RUN_REPLACED' });
    await write(second);
    expect(await statuses()).toEqual(['1 abandoned', '2 running']);
  });

  test('F77 is replaced when its heartbeat stops, although its connection is open', async () => {
    const stopped = await acquire();
    await testDatabase.database.sql`update runs set heartbeat_at = now() - interval '2 minutes'`;
    await acquire();
    expect(await statuses()).toEqual(['1 abandoned', '2 running']);
    await expect.poll(() => stopped.lost.aborted).toBe(true);
  });
});
