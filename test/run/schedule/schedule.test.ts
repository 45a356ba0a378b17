import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { RunOutcome } from '../../../src/outcome.js';
import { cronTick, type SchedulerTick } from '../../../src/run/schedule/scheduler-tick.js';
import type { Schedule } from '../../../src/run/schedule/planned-run.js';
import type { RunContext } from '../../../src/run/run-context.js';
import { acquireRunLock } from '../../../src/run/run-lock.js';
import { runSchedule } from '../../../src/run/schedule/run-schedule.js';
import { databaseForEachTest } from '../../support/database.js';
import { runContext } from '../../support/run-context.js';
import { folderForEachTest } from '../../support/test-folder.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const nightly: Schedule = { cron: '30 5 * * *', timezone: 'UTC', catchUpDays: 7 };
const noon = Date.UTC(2026, 10, 20, 12);

const testDatabase = databaseForEachTest();
const directory = folderForEachTest();
let nowMs: number;
let stop: AbortController;
let logged: { level: number; msg: string; plannedFor?: string; code?: string }[];

beforeEach(() => {
  nowMs = noon;
  stop = new AbortController();
  logged = [];
});

function context(changes: Partial<RunContext> = {}): RunContext {
  const write = (line: string) => {
    logged.push(JSON.parse(line) as (typeof logged)[number]);
  };
  return runContext(testDatabase.database, directory.path, {
    clock: () => nowMs,
    signal: stop.signal,
    logger: pino({ level: 'info' }, { write }),
    ...changes,
  });
}

/** A scheduler whose time the test controls: `script` moves the clock and beats. */
async function keep(
  schedule: Schedule,
  script: (beat: () => Promise<void>, overlapped: () => void) => Promise<void>,
  changes: Partial<RunContext> = {},
): Promise<RunOutcome[]> {
  const outcomes: RunOutcome[] = [];
  const tick: SchedulerTick = async (_expression, beat, { overlapped }) => script(beat, overlapped);
  await runSchedule(context(changes), schedule, { report: (outcome) => outcomes.push(outcome), tick });
  return outcomes;
}

/** The as-of date, planned time and status of each stored run. */
async function nights(): Promise<string[]> {
  const rows = await testDatabase.database.sql<{ reported: string }[]>`
    select concat_ws(' ', as_of, to_char(scheduled_for at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI'), status) as reported
    from runs order by id`;
  return rows.map((row) => row.reported);
}

describe('scheduled runs', () => {
  test('the first start makes up for nothing; then every planned run happens once, whatever the number of ticks', async () => {
    await keep(nightly, async (beat) => {
      for (const time of [
        0,
        6 * hour,
        17.4 * hour,
        17.5 * hour,
        17.6 * hour,
        41 * hour,
        41.5 * hour,
        42 * hour,
      ]) {
        nowMs = noon + time;
        await beat();
      }
    });
    expect(await nights()).toEqual([
      '2026-11-21 2026-11-21T05:30 completed',
      '2026-11-22 2026-11-22T05:30 completed',
    ]);
  });

  test('F95 a machine that was off for three nights makes up for the runs, each with its own date', async () => {
    await keep(nightly, async (beat) => {
      nowMs = noon + day;
      await beat();
    });
    nowMs = noon + 4 * day;
    await keep(nightly, () => Promise.resolve());
    expect(await nights()).toEqual([
      '2026-11-21 2026-11-21T05:30 completed',
      '2026-11-22 2026-11-22T05:30 completed',
      '2026-11-23 2026-11-23T05:30 completed',
      '2026-11-24 2026-11-24T05:30 completed',
    ]);
  });

  test('F95 a scheduler that was suspended makes up for missed runs without a restart', async () => {
    await keep(nightly, async (beat) => {
      nowMs = noon + 2 * day;
      await beat();
      await beat();
    });
    expect(await nights()).toEqual([
      '2026-11-21 2026-11-21T05:30 completed',
      '2026-11-22 2026-11-22T05:30 completed',
    ]);
  });

  test('two schedulers on one database do each run once', async () => {
    await keep(nightly, async (beat) => {
      await keep(nightly, async (other) => {
        nowMs = noon + day;
        await other();
        await beat();
        nowMs = noon + 2 * day;
        await beat();
        await other();
      });
    });
    expect(await nights()).toEqual([
      '2026-11-21 2026-11-21T05:30 completed',
      '2026-11-22 2026-11-22T05:30 completed',
    ]);
  });

  test('F97 the clock is set back and forward: no run happens twice', async () => {
    await keep(nightly, async (beat) => {
      for (const time of [day, 0, -day, day, 2 * day, day, 2 * day]) {
        nowMs = noon + time;
        await beat();
      }
    });
    expect(await nights()).toEqual([
      '2026-11-21 2026-11-21T05:30 completed',
      '2026-11-22 2026-11-22T05:30 completed',
    ]);
  });

  test('F97 a run that a wrong clock planned for years ahead does not silence the schedule', async () => {
    await keep(nightly, async (beat) => {
      nowMs = noon + 3650 * day;
      await beat();
    });
    nowMs = noon;
    await keep(nightly, async (beat) => {
      nowMs = noon + day;
      await beat();
    });
    expect((await nights()).at(-1)).toBe('2026-11-21 2026-11-21T05:30 completed');
  });

  test('F97 nor does it silence a schedule that stays up while the clock is corrected', async () => {
    await keep(nightly, async (beat) => {
      nowMs = noon + 3650 * day;
      await beat();
      nowMs = noon;
      await beat();
      expect((await nights()).at(-1)).toMatch(/^2036/);
      nowMs = noon + day;
      await beat();
      nowMs = noon;
      await beat();
      nowMs = noon + day;
      await beat();
    });
    const done = (await nights()).filter((night) => night.startsWith('2026'));
    expect(done).toEqual(['2026-11-21 2026-11-21T05:30 completed']);
  });
});

describe('what goes wrong', () => {
  test('F96 another run is active: logged, waited for, done once', async () => {
    const lock = await acquireRunLock(context(), {
      kind: 'run',
      asOf: '2026-11-20',
      range: null,
      scheduledFor: null,
    });
    await keep(nightly, async (beat) => {
      nowMs = noon + day;
      await beat();
      nowMs += 30_000;
      await beat();
      await lock.release();
      nowMs += minute;
      await beat();
      await beat();
    });
    expect(logged.filter(({ code }) => code === 'RUN_ACTIVE')).toHaveLength(1);
    expect((await nights()).slice(1)).toEqual(['2026-11-21 2026-11-21T05:30 completed']);
  });

  test('a failed run stays due and is tried again after growing pauses', async () => {
    const inTheWay = path.join(directory.path, 'reports');
    writeFileSync(inTheWay, 'where a folder should be');
    const tries: number[] = [];
    const outcomes = await keep(nightly, async (beat) => {
      nowMs = noon + day;
      for (let passed = 0; passed < 40; passed += 1) {
        const before = (await nights()).length;
        if (passed === 20) rmSync(inTheWay);
        await beat();
        if ((await nights()).length > before) tries.push(passed);
        nowMs += minute;
      }
    });
    expect(tries).toEqual([0, 1, 3, 7, 15, 31]);
    expect(outcomes.map(({ status }) => status)).toEqual([...Array<string>(5).fill('failed'), 'completed']);
    expect((await nights()).map((night) => night.slice(0, 10))).toEqual(Array(6).fill('2026-11-21'));
  });

  test('what is done after a run has ended before the next one begins', async () => {
    await runSchedule(context(), nightly, {
      report: async ({ asOf }) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        logged.push({ level: 30, msg: `reported ${asOf}` });
      },
      tick: async (_expression, beat) => {
        nowMs = noon + 2 * day;
        await beat();
      },
    });
    const events = logged.map(({ msg }) => msg).filter((msg) => /^(run begins|reported .*)$/.test(msg));
    expect(events).toEqual(['run begins', 'reported 2026-11-21', 'run begins', 'reported 2026-11-22']);
  });

  test('a run that failed is overdue until it is done', async () => {
    const inTheWay = path.join(directory.path, 'reports');
    writeFileSync(inTheWay, 'where a folder should be');
    const overdue: (string | undefined)[] = [];
    await runSchedule(context(), nightly, {
      report: () => undefined,
      watch: (state) => {
        overdue.push(state.overdue?.asOf);
        return Promise.resolve();
      },
      tick: async (_expression, beat) => {
        nowMs = noon + day;
        await beat();
        rmSync(inTheWay);
        nowMs += minute;
        await beat();
      },
    });
    const due = '2026-11-21';
    expect(overdue).toEqual([undefined, undefined, due, due, due, undefined]);
  });

  test('the pauses grow up to an hour, a clock that is set back ends one, and they are short after a completed run', async () => {
    const inTheWay = path.join(directory.path, 'reports');
    writeFileSync(inTheWay, 'where a folder should be');
    await keep(nightly, async (beat) => {
      /** Whether a run begins now. */
      const begins = async () => {
        const before = logged.length;
        await beat();
        return logged.slice(before).some(({ msg }) => msg === 'run begins');
      };
      nowMs = noon + day;
      const tries: number[] = [];
      for (let passed = 0; passed < 190; passed += 1) {
        if (await begins()) tries.push(passed);
        nowMs += minute;
      }
      expect(tries).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
      nowMs -= hour;
      expect([await begins(), await begins()]).toEqual([true, false]);
      rmSync(inTheWay);
      nowMs += hour;
      await beat();
      expect((await nights()).at(-1)).toBe('2026-11-21 2026-11-21T05:30 completed');
      rmSync(inTheWay, { recursive: true });
      writeFileSync(inTheWay, 'where a folder should be');
      nowMs = noon + 2 * day;
      expect(await begins()).toBe(true);
      nowMs += minute;
      expect(await begins()).toBe(true);
    });
  });

  test('waits for a database that is unavailable', async () => {
    await keep(nightly, async (beat) => {
      nowMs = noon + day;
      const admin = testDatabase.database.sql;
      await admin`alter table runs rename to runs_away`;
      await beat();
      await admin`alter table runs_away rename to runs`;
      await beat();
      expect(await nights()).toEqual([]);
      nowMs += minute;
      await beat();
    });
    expect(logged.some(({ code }) => code?.startsWith('DATABASE_'))).toBe(true);
    expect(await nights()).toEqual(['2026-11-21 2026-11-21T05:30 completed']);
  });

  test('F96 a run that becomes due while another is active is logged once and starts afterwards, once', async () => {
    const hourly = { ...nightly, cron: '0 * * * *' };
    let during = (): void => undefined;
    const slow = {
      progress: {
        begin: () => {
          during();
          return { advance: () => undefined, end: () => undefined };
        },
      },
    };
    await keep(
      hourly,
      async (beat, overlapped) => {
        nowMs = noon + hour;
        during = () => {
          during = () => undefined;
          nowMs += 2 * hour;
          overlapped();
          nowMs += hour;
          overlapped();
          overlapped();
        };
        await beat();
        overlapped();
        await beat();
        await beat();
      },
      slow,
    );
    expect(logged.filter(({ msg }) => msg.includes('still active'))).toMatchObject([
      { plannedFor: '2026-11-20T15:00:00.000Z' },
    ]);
    expect(await nights()).toEqual([
      '2026-11-20 2026-11-20T13:00 completed',
      '2026-11-20 2026-11-20T16:00 completed',
    ]);
  });
});

describe('the real scheduler tick', () => {
  const quiet = pino({ level: 'silent' });

  test('ticks every second until it is stopped, and waits for the last tick', async () => {
    const beats: string[] = [];
    await cronTick(
      '* * * * * *',
      async () => {
        beats.push('begun');
        if (beats.length > 2) stop.abort();
        await new Promise((resolve) => setTimeout(resolve, 50));
        beats.push('done');
      },
      { signal: stop.signal, logger: quiet, overlapped: () => undefined },
    );
    expect(beats).toEqual(['begun', 'done', 'begun', 'done']);
  });

  test('never ticks while the last tick is active, and reports the overlap', async () => {
    let [atWork, most, overlaps] = [0, 0, 0];
    await cronTick(
      '* * * * * *',
      async () => {
        atWork += 1;
        most = Math.max(most, atWork);
        await new Promise((resolve) => setTimeout(resolve, 2500));
        atWork -= 1;
        stop.abort();
      },
      { signal: stop.signal, logger: quiet, overlapped: () => (overlaps += 1) },
    );
    expect(most).toBe(1);
    expect(overlaps).toBeGreaterThan(0);
  });

  test.each([
    ['back', -3 * hour],
    ['forward', 3 * hour],
  ])('goes on at once when the clock is set %s', async (_name, jumpMs) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const setAhead = setInterval(() => vi.setSystemTime(Date.now() + 50), 50);
    const end = setTimeout(() => stop.abort(), 6000);
    let ticks = 0;
    let ticksAfter = 0;
    try {
      await cronTick(
        '* * * * * *',
        () => {
          if (ticks === 0) vi.setSystemTime(Date.now() + jumpMs);
          else ticksAfter += 1;
          ticks += 1;
          if (ticksAfter > 1) stop.abort();
          return Promise.resolve();
        },
        { signal: stop.signal, logger: quiet, overlapped: () => undefined },
      );
    } finally {
      clearInterval(setAhead);
      clearTimeout(end);
      vi.useRealTimers();
    }
    expect(ticksAfter).toBe(2);
  });

  test('a defect ends it', async () => {
    const beat = () => Promise.reject(new Error('a defect'));
    await expect(
      cronTick('* * * * * *', beat, { signal: stop.signal, logger: quiet, overlapped: () => undefined }),
    ).rejects.toThrow('a defect');
  });
});
