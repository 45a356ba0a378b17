import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { chanceFrom, repetitions, reportCounts, seed, seeded } from '../support/campaign.js';
import { createTestDatabase } from '../support/database.js';
import {
  documentOf,
  factsOf,
  leftOversOf,
  prepareNight,
  reportsOf,
  type SettlementNight,
} from '../support/settlement-night.js';

const chance = chanceFrom(seed);

interface End {
  readonly facts: Record<string, unknown>;
  readonly reports: Record<string, string>;
  readonly leftOvers: string[];
}

interface Attack {
  /** After the run's first session is there. */
  readonly afterMs: number;
  /** One session of the run, or all it has. */
  readonly everySession: boolean;
}

const counts = {
  runs: 0,
  'sessions ended': 0,
  'runs that failed': 0,
  'runs not hit': 0,
  'runs slower than 12 s': 0,
};

/** A run of which sessions are ended at some moment, and one that is left alone. */
async function attackedNight(attack: Attack | undefined): Promise<{ end: End; tookMs: number }> {
  const own = await createTestDatabase();
  const night = prepareNight(own.url);
  try {
    expect((await night.importPayments()).code).toBe(0);
    const run = night.run();
    while ((await sessionsOf(own.database.sql)) === 0) await sleep(5);
    const began = Date.now();
    if (attack !== undefined) {
      await sleep(attack.afterMs);
      const ended = await own.database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'recon'
        order by random() limit ${attack.everySession ? 100 : 1}`;
      const result = await run;
      counts.runs += 1;
      counts['sessions ended'] += ended.count;
      if (ended.count === 0) counts['runs not hit'] += 1;
      if (Date.now() - began > 12_000) counts['runs slower than 12 s'] += 1;
      expect([0, 1, 5], result.stdout + result.stderr).toContain(result.code);
      if (result.code === 5) {
        counts['runs that failed'] += 1;
        expect(['DATABASE_FAILED', 'DATABASE_UNREACHABLE', 'RUN_REPLACED']).toContain(errorOf(result));
      }
    }
    await run;
    const tookMs = Date.now() - began;
    expect([0, 1]).toContain((await night.run()).code);
    return { end: await endOf(night, own.database.sql), tookMs };
  } finally {
    await own.drop();
    night.end();
  }
}

async function sessionsOf(sql: Parameters<typeof factsOf>[0]): Promise<number> {
  const found = await sql`
    select from pg_stat_activity where datname = current_database() and application_name = 'recon'`;
  return found.length;
}

/** Of the run's own document, or of the command's when the run could not even be opened. */
function errorOf(result: { readonly stdout: string }): string | undefined {
  return documentOf(result).error?.code;
}

async function endOf(night: SettlementNight, sql: Parameters<typeof factsOf>[0]): Promise<End> {
  return { facts: await factsOf(sql), reports: reportsOf(night), leftOvers: leftOversOf(night) };
}

test(seeded('F81 sessions ended at random moments of a run: nothing lost, nothing doubled'), async () => {
  const baseline = await attackedNight(undefined);
  for (let round = 0; round < repetitions(50); round += 1) {
    const attack = {
      afterMs: chance.integer(0, baseline.tookMs),
      everySession: chance.fraction() < 0.3,
    };
    const { end } = await attackedNight(attack);
    expect(end, `round ${round}, ${JSON.stringify(attack)}`).toEqual(baseline.end);
  }
  reportCounts('terminated backends', counts);
  expect(counts['runs not hit']).toBeLessThan(counts.runs * 0.8);
});
