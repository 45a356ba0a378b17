import { pino } from 'pino';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Message } from '../../src/alerts/alert.js';
import { Alerts, type AlertsOptions } from '../../src/alerts/alerts.js';
import type { Channel } from '../../src/alerts/channel.js';
import { readAlertState } from '../../src/alerts/stored-alerts.js';
import type { Sql } from '../../src/db/client.js';
import { openMigrationSession } from '../../src/db/connect.js';
import type { CompletedRun, FailedRun, ReportDelivery, RunOutcome } from '../../src/outcome.js';
import { sourceDefaults, type LocalSource } from '../../src/remote/source-settings.js';
import { noResults } from '../../src/run/no-results.js';
import { runId } from '../../src/values/ids.js';
import { createTestDatabase, databaseForEachTest } from '../support/database.js';
import { deferred } from '../support/deferred.js';
import { folderForEachTest } from '../support/test-folder.js';

/** The alerts of a process that stays up, over minutes and days of its clock. */

const minute = 60_000;
const day = 24 * 60 * minute;

const testDatabase = databaseForEachTest();
let sql: Sql;
let nowMs: number;
const directory = folderForEachTest();
let warnings: string[];

beforeEach(() => {
  ({ sql } = testDatabase.database);
  nowMs = Date.UTC(2026, 10, 20, 12, 30);
  warnings = [];
});

/** A channel that keeps what it is given, and what each sending contained. */
function keeping(name: Channel['name'] = 'command', isBatch = false) {
  const kept = { sendings: [] as string[][], tries: 0, failure: null as string | null };
  const send = (messages: readonly Message[]) => {
    kept.tries += 1;
    if (kept.failure !== null) return Promise.reject(new Error(kept.failure));
    kept.sendings.push(messages.map(({ alert }) => `${alert.state} ${alert.key}`));
    return Promise.resolve();
  };
  return { channel: { name, isBatch, send }, kept };
}

function alertsOver(channels: readonly Channel[], changes: Partial<AlertsOptions> = {}): Alerts {
  const write = (line: string) => {
    const { level, msg } = JSON.parse(line) as { level: number; msg: string };
    if (level >= 40) warnings.push(msg);
  };
  return new Alerts({
    settings: {
      email: null,
      webhook: null,
      command: null,
      thresholds: { newItems: null, newAtRisk: new Map(), openAtRisk: new Map() },
      overdueMinutes: 10,
    },
    channels,
    sources: [],
    timezone: 'UTC',
    dataDirectory: directory.path,
    logger: pino({ level: 'warn' }, { write }),
    clock: () => nowMs,
    ...changes,
  });
}

const heading = { ...noResults, runId: runId(1), kind: 'run', asOf: '2026-11-20' } as const;
const outcome: CompletedRun = {
  ...heading,
  status: 'completed',
  exitCode: 0,
  error: null,
  totals: { byCurrency: [], rejectedRows: { count: 0, unreadable: 0 } },
};
const failed: FailedRun = {
  ...heading,
  status: 'failed',
  exitCode: 5,
  error: { code: 'DATABASE_FAILED', message: 'The database failed.' },
};
const source = (name: string, changes: Partial<LocalSource> = {}): LocalSource => ({
  ...sourceDefaults,
  protocol: 'local',
  name,
  folder: directory.path,
  ...changes,
});
const down = (...names: readonly string[]): RunOutcome => ({
  ...outcome,
  sources: names.map((name) => ({
    name,
    status: 'failed',
    error: { code: 'SOURCE_UNREACHABLE', message: 'It cannot be reached.' },
  })),
});

test('what cannot be sent is tried again after 1, 3, 7, 15, 31 and 63 minutes, then every hour', async () => {
  const { channel, kept } = keeping();
  const alerts = alertsOver([channel]);
  kept.failure = 'no answer';
  await alerts.afterRun(sql, down('bank'));
  const begunMs = nowMs;
  const triedAfter: number[] = [];
  for (let minutes = 1; minutes <= 190; minutes += 1) {
    nowMs = begunMs + minutes * minute;
    const before = kept.tries;
    await alerts.watch(sql, null);
    if (kept.tries > before) triedAfter.push(minutes);
  }
  expect(triedAfter).toEqual([1, 3, 7, 15, 31, 63, 123, 183]);
  // Somebody's run sends what waits, due or not.
  kept.failure = null;
  await alerts.afterRun(sql, down('bank'));
  expect(kept.sendings).toEqual([['raised source-down:bank']]);
});

test('what goes on is listed as the latest look found it, since it began, and sends nothing more', async () => {
  const { channel, kept } = keeping();
  const alerts = alertsOver([channel]);
  const failedBecause = (message: string): RunOutcome => ({
    ...failed,
    error: { code: 'DATABASE_FAILED', message },
  });
  await alerts.afterRun(sql, failedBecause('The disk is full.'));
  const [begun] = (await readAlertState(sql)).conditions;
  nowMs += day;
  await alerts.afterRun(sql, failedBecause('The card 4200000000000000 was refused.'));
  const { conditions } = await readAlertState(sql);
  expect(conditions).toHaveLength(1);
  expect(conditions[0]?.since).toBe(begun?.since);
  expect(begun?.message).toContain('The disk is full.');
  expect(conditions[0]?.message).toContain('The card 420000******0000 was refused.');
  expect(kept.sendings).toEqual([['raised run-failed']]);
});

test('what waits is sent before a new alert, and with it', async () => {
  const { channel, kept } = keeping();
  const alerts = alertsOver([channel]);
  const plannedMs = nowMs - 60 * minute;
  kept.failure = 'no answer';
  for (let minutes = 0; minutes <= 15; minutes += 1) {
    await alerts.watch(sql, plannedMs);
    nowMs += minute;
  }
  kept.failure = null;
  await alerts.watch(sql, null);
  expect(kept.sendings.flat()).toEqual(['raised run-missing', 'recovered run-missing']);
});

test('a failed run whose database is gone is reported as this run, not as one that could not begin', async () => {
  const sent: Message[] = [];
  const send = (messages: readonly Message[]) => {
    sent.push(...messages);
    return Promise.resolve();
  };
  const gone = await createTestDatabase();
  await gone.drop();
  await alertsOver([{ name: 'command', isBatch: false, send }]).afterRun(gone.database.sql, failed);
  expect(sent.map(({ alert }) => [alert.runId, alert.message])).toEqual([
    [1, expect.stringMatching(/^Run 1 failed\. The database failed\./)],
  ]);
});

test('a server that takes long delays no other channel, with and without a database', async () => {
  const { channel, kept } = keeping();
  const released = deferred();
  const slow: Channel = { name: 'email', isBatch: true, send: () => released.promise };
  const alerts = alertsOver([slow, channel]);
  const run = alerts.afterRun(sql, down('bank'));
  await vi.waitUntil(() => kept.sendings.length === 1, { timeout: 5000 });
  const beginning = alerts.afterFailure({ code: 'DATABASE_UNREACHABLE', message: 'It is gone.' });
  await vi.waitUntil(() => kept.sendings.length === 2, { timeout: 5000 });
  released.resolve();
  await Promise.all([run, beginning]);
  expect(kept.sendings).toEqual([['raised source-down:bank'], ['raised run-failed']]);
});

test('the scheduler looks once a minute, however often it is called, and also after the clock was set back', async () => {
  const { channel, kept } = keeping();
  const alerts = alertsOver([channel]);
  const looks = async () => {
    await alerts.watch(sql, nowMs - 60 * minute);
    const { sendings } = kept;
    kept.sendings = [];
    await sql`delete from alert_conditions`;
    return sendings.length;
  };
  expect(await looks()).toBe(1);
  nowMs += minute - 1;
  expect(await looks()).toBe(0);
  nowMs += 1;
  expect(await looks()).toBe(1);
  nowMs -= day;
  expect(await looks()).toBe(1);
});

test('an alert that was stored while the clock was ahead is sent once it is right again, with the usual waits', async () => {
  const { channel, kept } = keeping();
  const alerts = alertsOver([channel]);
  const rightMs = nowMs;
  nowMs += 400 * day;
  kept.failure = 'no answer';
  await alerts.afterRun(sql, down('bank'));
  const triedAfter: number[] = [];
  for (let minutes = 0; minutes <= 8; minutes += 1) {
    nowMs = rightMs + minutes * minute;
    const before = kept.tries;
    await alerts.watch(sql, null);
    if (kept.tries > before) triedAfter.push(minutes);
  }
  expect(triedAfter).toEqual([0, 3, 7]);
  kept.failure = null;
  nowMs = rightMs + 15 * minute;
  await alerts.watch(sql, null);
  expect(kept.sendings).toEqual([['raised source-down:bank']]);
});

test('a mail has a hundred alerts at most, in the order of the changes', async () => {
  const { channel, kept } = keeping('email', true);
  const names = Array.from({ length: 230 }, (_, index) => `bank-${String(index).padStart(3, '0')}`);
  const alerts = alertsOver([channel]);
  await alerts.afterRun(sql, down(...names));
  await alerts.afterRun(sql, down(...names));
  await alerts.afterRun(sql, down(...names));
  expect(kept.sendings.map(({ length }) => length)).toEqual([100, 100, 30]);
  expect(kept.sendings.flat()).toEqual(names.map((name) => `raised source-down:${name}`));
});

test('what could not be sent for 30 days is given up, and what was sent is removed', async () => {
  const { channel, kept } = keeping();
  const alerts = alertsOver([channel]);
  await alerts.afterRun(sql, down('bank'));
  kept.failure = 'no answer';
  await alerts.afterRun(sql, down('bank', 'other'));
  nowMs += 30 * day;
  await alerts.watch(sql, null);
  const stored = async () => (await sql`select from alert_messages`).length;
  expect(await stored()).toBe(2);
  nowMs += minute;
  await alerts.watch(sql, null);
  expect(await stored()).toBe(0);
});

test('two processes that notice the same change wait for each other, and send one alert', async () => {
  const [one, other] = [keeping(), keeping()];
  const holder = openMigrationSession(testDatabase.url);
  // Both may read what holds; neither may store anything.
  await holder`begin`;
  await holder`lock table alert_conditions in share mode`;
  const both = [one, other].map(({ channel }) => alertsOver([channel]).afterRun(sql, down('bank')));
  for (;;) {
    const waiting = await sql`select from pg_locks where not granted
      and database = (select oid from pg_database where datname = current_database())`;
    if (waiting.length === 2) break;
  }
  await holder.end();
  await Promise.all(both);
  expect([...one.kept.sendings, ...other.kept.sendings]).toEqual([['raised source-down:bank']]);
  expect(warnings.filter((warning) => warning.startsWith('Alerts could not be checked'))).toEqual([]);
});

test('why a sending failed is kept without card numbers', async () => {
  const { channel, kept } = keeping();
  kept.failure = 'cannot write 4111111111111111.csv';
  await alertsOver([channel]).afterRun(sql, down('bank'));
  const [row] = await sql<{ last_error: string }[]>`select last_error from alert_messages`;
  expect(row?.last_error).toBe('cannot write 411111******1111.csv');
  expect(warnings.join()).not.toContain('4111111111111111');
});

test('a run that failed with its database is made known without it, once', async () => {
  const { channel, kept } = keeping();
  const alerts = alertsOver([channel]);
  const gone = await createTestDatabase();
  await gone.drop();
  await alerts.afterRun(gone.database.sql, failed);
  await alerts.afterRun(gone.database.sql, failed);
  expect(kept.sendings).toEqual([['raised run-failed']]);
  await alerts.afterRun(sql, outcome);
  expect(kept.sendings.slice(1)).toEqual([['recovered run-failed']]);
});

const daily = (timezone: string) =>
  source('bank', {
    expected: [
      {
        days: 'daily',
        holidays: new Set(),
        lagDays: 0,
        deadline: '01:00',
        timezone,
        files: 1,
        filePattern: null,
        sequence: null,
        rows: { min: 0, max: Infinity },
      },
    ],
  });

test('a deadline is that of the day in the configured time zone, and a run that failed says nothing about it', async () => {
  const { channel, kept } = keeping();
  // It is half past one on the next day there.
  const timezone = 'Pacific/Auckland';
  const alerts = alertsOver([channel], { timezone, sources: [daily(timezone)] });
  await alerts.afterRun(sql, failed);
  expect(kept.sendings).toEqual([['raised run-failed']]);
  await alerts.afterRun(sql, outcome);
  expect(kept.sendings.flat()).toContain('raised file-missing:bank:2026-11-21');
});

test('a place that is no longer configured, or gets its reports, is no problem any more', async () => {
  const { channel, kept } = keeping();
  const alerts = alertsOver([channel]);
  const delivery = (target: string, status: ReportDelivery['status']): ReportDelivery => ({
    target,
    folder: 'run-000001',
    status,
    error: status === 'waiting' ? { code: 'REPORT_UNDELIVERED', message: 'It is full.' } : null,
  });
  const reports = { page: '/reports/page.html' } as CompletedRun['reports'];
  const after = async (...deliveries: readonly ReportDelivery[]) => {
    await alerts.afterRun(sql, { ...outcome, reports, deliveries });
    return kept.sendings.splice(0).flat();
  };
  expect(await after(delivery('bank', 'waiting'), delivery('finance', 'waiting'))).toEqual([
    'raised delivery-failed:bank',
    'raised delivery-failed:finance',
  ]);
  // Nobody looked at the other place.
  await alerts.afterDelivery(sql, [delivery('bank', 'delivered')]);
  expect(kept.sendings.splice(0).flat()).toEqual(['recovered delivery-failed:bank']);
  expect(await after(delivery('bank', 'delivered'))).toEqual(['recovered delivery-failed:finance']);
});
