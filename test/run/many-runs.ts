import { getEventListeners } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { expect } from 'vitest';
import { openMigrationSession } from '../../src/db/connect.js';
import type { RunOutcome } from '../../src/outcome.js';
import { importPayments } from '../../src/payment-file/import-payments.js';
import { rerunRange } from '../../src/run/rerun-range.js';
import { purgeAfterRun } from '../../src/retention/purge-after-run.js';
import type { DeliveryTarget } from '../../src/remote/target-settings.js';
import { keepsEverything, type RetentionPolicy } from '../../src/values/retention-policy.js';
import { retireMonths } from '../../src/retention/retire-months.js';
import type { RunContext } from '../../src/run/run-context.js';
import { runReconciliation } from '../../src/run/run-reconciliation.js';
import { runSchedule } from '../../src/run/schedule/run-schedule.js';
import { writeReports } from '../../src/run/write-reports.js';
import { administer, createTestDatabase, type TestDatabase } from '../support/database.js';
import { FetchWorld } from '../support/fetch-world.js';
import { startFtpServer } from '../support/ftp-server.js';
import { runContext } from '../support/run-context.js';
import { demoFixtures } from '../support/settlement-night.js';
import { startSftpServer } from '../support/sftp-server.js';
import { startTcpProxy } from '../support/tcp-proxy.js';

const dayMs = 24 * 3_600_000;
const firstDay = Date.UTC(2026, 10, 20, 12);
/** So that each run but the first ones removes something. */
const keptDays = 3;
const retention: RetentionPolicy = {
  ...keepsEverything,
  archiveDays: keptDays,
  reportsDays: keptDays,
  rejectedRowsDays: keptDays,
  auditDays: keptDays,
  eventsDays: keptDays,
  afterRun: true,
};
const nightly = { cron: '30 5 * * *', timezone: 'UTC', catchUpDays: 7 };

/** What can happen to the run of one day, and how that run ends: its status, or the code of its error. */
const endings = {
  'a small file': 'completed',
  'a large file': 'completed',
  'a rejected file': 'completed',
  'a source that is down': 'completed',
  'a source whose connections break': 'completed',
  'an interruption before the matching': 'RUN_INTERRUPTED',
  'an interruption of a statement': 'RUN_INTERRUPTED',
  // Which of the two comes first is chance.
  'every session of the run is ended': 'RUN_REPLACED|DATABASE_FAILED',
  'the session of the transaction is ended': 'DATABASE_FAILED',
  'another run takes over': 'RUN_REPLACED',
  'the database refuses every connection': 'no run',
  'the database refuses connections while matching': 'DATABASE_UNREACHABLE',
  'the reports cannot be written': 'DISK_FAILED',
  'a receiver whose connections break': 'completed',
} as const;

export type Trouble = keyof typeof endings;
// The literal above has no other keys.
export const troubles = Object.keys(endings) as Trouble[];

/** What must not grow with every run. */
export interface Held {
  /** Connections to the database, as the server counts them. */
  readonly connections: number;
  /** Sockets and timers, referenced or not, and signals, as objects that are still alive. */
  readonly sockets: number;
  readonly timers: number;
  readonly signals: number;
  /** Listeners on the signal that lives as long as the process. */
  readonly listeners: number;
  /** What keeps the process running. */
  readonly resources: number;
  readonly openFiles: number;
  readonly heapBytes: number;
}

/** Files that a process that stays up could leave behind. */
export interface Left {
  /** Below the folders of received files, reports and receivers, with a name that is not one of a complete one. */
  readonly incomplete: readonly string[];
  /** Its own reports, of which retention keeps those of some days. */
  readonly reports: number;
  /** Reports that are not delivered, and those that only one of the two receivers has. */
  readonly undelivered: number;
}

/** One process that stays up for many days, with one database and one signal. */
export interface LongLife {
  /** Lives through one day: a run that meets the trouble and, when it failed, one more that completes. */
  live(trouble: Trouble): Promise<void>;
  /** Everything else that such a process may be asked for. */
  useOtherCommands(): Promise<void>;
  /** What is held while nothing is under way. */
  measure(): Promise<Held>;
  /** What is on the disks of the process and of the receivers of its reports. */
  left(): Promise<Left>;
  readonly runs: () => number;
  end(): Promise<void>;
}

export async function beginLongLife(): Promise<LongLife> {
  const testDatabase = await createTestDatabase();
  const { database } = testDatabase;
  const world = new FetchWorld();
  const pause = await pausableMatching(testDatabase);
  await importPayments(database.sql, path.join(demoFixtures, 'payments.csv'));

  const process = new AbortController();
  let nowMs = firstDay;
  let runs = 0;
  let breaks = false;
  const sftp = world.closing(await startSftpServer(world.remote));
  const ftp = world.closing(await startFtpServer({ rootDirectory: world.remote }));
  const proxy = world.closing(
    await startTcpProxy(sftp.port, () => (breaks ? { kind: 'rst', afterBytes: 3500 } : undefined)),
  );
  const settings = { minimumAgeSeconds: 0, attempts: 2 };
  const sources = [
    world.local({ name: 'inbox', ...settings }),
    world.sftp({ ...sftp, port: proxy.port }, { name: 'acquirer', ...settings }),
    world.ftp(ftp, { name: 'partner', ...settings }),
  ];
  const receivers = ['finance', 'receiver'].map((name) => path.join(world.directory, name));
  for (const folder of receivers) mkdirSync(folder);
  const [finance = '', receiver = ''] = receivers;
  const receiving = world.closing(await startSftpServer(receiver, { isWritable: true }));
  const toReceiver = world.closing(
    await startTcpProxy(receiving.port, () => (breaks ? { kind: 'rst', afterBytes: 3500 } : undefined)),
  );
  const deliverTo: readonly DeliveryTarget[] = [
    { protocol: 'local', name: 'finance', folder: finance, attempts: 2 },
    {
      ...world.sftp({ ...receiving, port: toReceiver.port }, { name: 'receiver', folder: '/', attempts: 2 }),
      kind: 'delivery target',
    },
  ];
  const contextOf = (changes: Partial<RunContext> = {}): RunContext =>
    runContext(database, world.data, {
      clock: () => nowMs,
      givenClock: () => nowMs,
      signal: process.signal,
      sources,
      largeFileBytes: 12_000,
      lookbackDays: 6,
      deliverTo,
      ...changes,
    });

  /** A scheduler that goes on where the last one stopped, for one tick. */
  async function beat(changes: Partial<RunContext> = {}): Promise<RunOutcome[]> {
    const outcomes: RunOutcome[] = [];
    const context = contextOf(changes);
    await runSchedule(context, nightly, {
      report: async (outcome) => {
        outcomes.push(outcome);
        await purgeAfterRun(context, retention, outcome);
      },
      tick: () => Promise.resolve(),
    });
    runs += outcomes.length;
    return outcomes;
  }

  // A scheduler that finds no run at all begins with the next one that is due.
  await runSchedule(contextOf(), nightly, {
    report: (outcome) => expect(outcome.status).toBe('completed'),
    tick: (_expression, work) => {
      nowMs += dayMs;
      return work();
    },
  });

  /** A beat whose run is stopped in the middle of the matching's transaction for as long as the work takes. */
  async function disturbed(
    work: (outcomes: Promise<RunOutcome[]>) => Promise<unknown>,
    changes: Partial<RunContext> = {},
  ) {
    await pause.begin();
    const outcomes = beat(changes);
    try {
      await pause.reached();
      await work(outcomes);
    } finally {
      await pause.end();
    }
    return outcomes;
  }

  const refuseConnections = (refuse: boolean) =>
    administer(`alter database ${testDatabase.name} with allow_connections ${refuse ? 'false' : 'true'}`);
  const sessionsOfRun = database.sql`
    datname = current_database() and application_name like 'recon%' and pid <> pg_backend_pid()`;

  const days: Record<Trouble, () => Promise<RunOutcome[]>> = {
    'a small file': beat,
    'a large file': beat,
    'a rejected file': beat,
    'a source that is down': () =>
      beat({ sources: [world.ftp({ port: 1 }, { name: 'down', ...settings }), ...sources] }),
    'a source whose connections break': async () => {
      breaks = true;
      const outcomes = await beat();
      breaks = false;
      return outcomes;
    },
    'an interruption before the matching': () => {
      const interrupt = new AbortController();
      const begin = (label: string) => {
        if (label === 'matching') interrupt.abort();
        return { advance: () => undefined, end: () => undefined };
      };
      return beat({ signal: interrupt.signal, progress: { begin } });
    },
    'an interruption of a statement': () => {
      const interrupt = new AbortController();
      return disturbed(
        (outcomes) => {
          interrupt.abort();
          return outcomes;
        },
        { signal: interrupt.signal },
      );
    },
    'every session of the run is ended': () =>
      disturbed(
        () =>
          database.sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where ${sessionsOfRun}`,
      ),
    'the session of the transaction is ended': () =>
      disturbed(
        () => database.sql`
        select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where ${sessionsOfRun} and wait_event_type = 'Lock'`,
      ),
    'another run takes over': async () => {
      let other: Promise<RunOutcome> | undefined;
      const outcomes = await disturbed(async (first) => {
        await database.sql`update runs set heartbeat_at = now() - interval '10 minutes' where status = 'running'`;
        other = runReconciliation(contextOf(), { sources: null, files: [], asOf: null, dryRun: false });
        await first;
      });
      expect(await other).toMatchObject({ status: 'completed' });
      return outcomes;
    },
    'the database refuses every connection': async () => {
      await refuseConnections(true);
      const outcomes = await beat();
      await refuseConnections(false);
      return outcomes;
    },
    'the database refuses connections while matching': async () => {
      const outcomes = await disturbed(() => refuseConnections(true));
      await refuseConnections(false);
      return outcomes;
    },
    'a receiver whose connections break': async () => {
      breaks = true;
      const outcomes = await beat({ sources: sources.slice(0, 1) });
      breaks = false;
      expect(outcomes[0]?.deliveries?.map(({ status }) => status)).toContain('waiting');
      return outcomes;
    },
    'the reports cannot be written': async () => {
      const reports = path.join(world.data, 'reports');
      renameSync(reports, `${reports}.aside`);
      writeFileSync(reports, 'not a folder');
      const outcomes = await beat();
      rmSync(reports);
      renameSync(`${reports}.aside`, reports);
      return outcomes;
    },
  };

  return {
    live: async (trouble) => {
      nowMs += dayMs;
      putFile(world, Math.round((nowMs - firstDay) / dayMs), trouble);
      const outcomes = await days[trouble]();
      const ending = endings[trouble];
      expect(endsOf(outcomes), trouble).toMatch(new RegExp(`^(${ending})$`));
      if (ending === 'completed') return;
      expect(endsOf(await beat()), `after ${trouble}`).toBe('completed');
    },
    useOtherCommands: async () => {
      const context = contextOf();
      const from = '2026-11-18';
      const dry = await runReconciliation(context, { sources: null, files: [], asOf: null, dryRun: true });
      const rerun = await rerunRange(context, { from, to: from, fetch: false, asOf: null, dryRun: false });
      expect([dry.status, rerun.status]).toEqual(['completed', 'completed']);
      await writeReports(context, { runId: null });
      await retireMonths(context, { before: '2026-01-01', dryRun: true, mostItems: null });
    },
    left: async () => {
      const folders = [path.join(world.data, 'incoming'), path.join(world.data, 'reports'), ...receivers];
      const isComplete = (name: string) => /^(re)?run-\d{6}$/.test(name);
      const [, reports = [], ...delivered] = folders.map((folder) => readdirSync(folder));
      const waiting = await database.sql`select from report_deliveries where delivered_at is null`;
      const [atFinance = [], atReceiver = []] = delivered;
      return {
        incomplete: folders.flatMap((folder) => readdirSync(folder).filter((name) => !isComplete(name))),
        reports: reports.length,
        undelivered: waiting.length + Math.abs(atFinance.length - atReceiver.length),
      };
    },
    measure: () => measureWhenQuiet(testDatabase, process.signal),
    runs: () => runs,
    end: async () => {
      await pause.close();
      await world.close();
      await testDatabase.drop();
    },
  };
}

function endsOf(outcomes: readonly RunOutcome[]): string {
  return outcomes.map(({ status, error }) => error?.code ?? status).join(', ') || 'no run';
}

const demoFile = readFileSync(path.join(demoFixtures, 'inbound/settlement-2026-11-18.csv'), 'utf8');
const [header = '', ...demoRows] = demoFile.trim().split('\n');

/** The one file of a day: rows that no other day has, and now and then some that were there before. */
function putFile(world: FetchWorld, day: number, trouble: Trouble): void {
  for (const name of readdirSync(world.remote)) rmSync(path.join(world.remote, name));
  const count = trouble === 'a large file' ? 60 : 8;
  const from = (day * 5) % (demoRows.length - count);
  const own = demoRows
    .slice(from, from + count)
    .map((row, index) => row.replace(/;STL-\d+;/, `;STL-${day}-${index};`));
  const known = day % 3 === 0 ? demoRows.slice(0, 2) : [];
  const lines = trouble === 'a rejected file' ? own : [header, ...own, ...known];
  world.put(`settlement-${day}.csv`, `${lines.join('\n')}\n`);
}

/** Stops whoever stores matches while it is begun, by a trigger and a lock. */
async function pausableMatching({ url }: TestDatabase) {
  const lock = 4_712;
  const holder = openMigrationSession(url);
  await holder`set application_name = 'the test'`;
  await holder.unsafe(`
    create function pause() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(${lock}); return new; end $$;
    create trigger pause before insert on record_matches for each statement execute function pause()`);
  const waiting = async () => {
    const found = await holder`
      select from pg_locks where locktype = 'advisory' and not granted and objid = ${lock}
        and database = (select oid from pg_database where datname = current_database())`;
    return found.length > 0;
  };
  return {
    begin: () => holder`select pg_advisory_lock(${lock})`,
    end: () => holder`select pg_advisory_unlock(${lock})`,
    /** Somebody waits. */
    reached: async () => {
      while (!(await waiting())) await sleep(5);
    },
    close: () => holder.end(),
  };
}

/** Servers notice late that a client is gone, and what ends needs a moment. */
const quietWithinMs = 5_000;

async function measureWhenQuiet(testDatabase: TestDatabase, signal: AbortSignal): Promise<Held> {
  const deadline = Date.now() + quietWithinMs;
  let held = await measureNow(testDatabase, signal);
  for (let unchanged = 0; unchanged < 3 && Date.now() < deadline;) {
    await sleep(100);
    const now = await measureNow(testDatabase, signal);
    const isLess = countedNames.some((name) => now[name] < held[name]);
    unchanged = isLess ? 0 : unchanged + 1;
    held = now;
  }
  return held;
}

const countedNames = ['connections', 'sockets', 'timers', 'signals', 'resources', 'openFiles'] as const;

async function measureNow({ database }: TestDatabase, signal: AbortSignal): Promise<Held> {
  const [server] = await database.sql<{ connections: number }[]>`
    select count(*)::integer as connections from pg_stat_activity where datname = current_database()`;
  const timer = setTimeout(() => undefined, 0);
  clearTimeout(timer);
  // Counting the objects collects the garbage first. The types know neither the option nor the number.
  const alive = (constructor: unknown) => queryObjects(constructor as never, { format: 'count' });
  return {
    connections: server?.connections ?? 0,
    sockets: alive(Socket),
    timers: alive(timer.constructor),
    signals: alive(AbortSignal),
    listeners: getEventListeners(signal, 'abort').length,
    resources: process.getActiveResourcesInfo().length,
    openFiles: readdirSync('/proc/self/fd').length,
    heapBytes: process.memoryUsage().heapUsed,
  };
}

/** Compiled code and inline caches, which come and go (up to 2 MB measured). */
const heapNoiseBytes = 4 * 1024 * 1024;
/** A run that is kept costs 100 kB and more (measured). */
const heapBytesPerRun = 20_000;

/**
 * Compares what is held now with what was held before. The pool may have opened the rest of its connections meanwhile
 * (4), and the driver keeps some objects of the first time that each statement was sent.
 */
export function expectNoMore(now: Held, before: Held, runs: number): void {
  const limits: Held = {
    connections: before.connections + 3,
    sockets: before.sockets + 6,
    timers: before.timers + 4,
    signals: before.signals + 6,
    listeners: before.listeners,
    resources: before.resources + 4,
    openFiles: before.openFiles + 4,
    heapBytes: before.heapBytes + heapNoiseBytes + runs * heapBytesPerRun,
  };
  const exceeded = (Object.keys(limits) as (keyof Held)[]).filter((name) => now[name] > limits[name]);
  expect(exceeded, `${runs} runs later ${JSON.stringify(now)}, before ${JSON.stringify(before)}`).toEqual([]);
}
