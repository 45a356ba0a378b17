import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { startDatabaseProxy, type Cut } from '../support/database-proxy.js';
import { documentOf, factsOf, leftOversOf, prepareNight, reportsOf } from '../support/settlement-night.js';

/**
 * The connection is cut at a COMMIT of a run, and when the run is closed. Whether the commit happened is read back from
 * the database: if so the run goes on as if nothing had happened, if not it ends and says so.
 */
const commit = /^commit$/i;
const closing = /^\s*with before as \(select id, status from runs/;

interface Reported {
  readonly statements: number;
  readonly code: number;
  readonly error: string | undefined;
  readonly message: string;
}

interface End {
  readonly cut: Reported;
  readonly next: number;
  readonly facts: Record<string, unknown>;
  readonly reports: Record<string, string>;
  readonly leftOvers: string[];
}

/** A night of which the first run goes through the proxy and the second does not. */
async function cutNight(pattern: RegExp, number: number, cut: Cut | undefined): Promise<End> {
  const own = await createTestDatabase();
  const night = prepareNight(own.url);
  let seen = 0;
  const proxy = await startDatabaseProxy(own.url, (statement) => {
    if (!pattern.test(statement)) return undefined;
    seen += 1;
    return seen === number ? cut : undefined;
  });
  try {
    expect((await night.importPayments()).code).toBe(0);
    const run = await night.run(proxy.url);
    const error = documentOf(run).error;
    const next = await night.runHere();
    return {
      cut: { statements: seen, code: run.code, error: error?.code, message: error?.message ?? '' },
      next: next.code,
      facts: await factsOf(own.database.sql),
      reports: reportsOf(night),
      leftOvers: leftOversOf(night),
    };
  } finally {
    await proxy.close();
    await own.drop();
    night.end();
  }
}

let baseline: End;

beforeAll(async () => {
  baseline = await cutNight(commit, 0, undefined);
});

const ended = ({ facts, reports, leftOvers }: End) => ({ facts, reports, leftOvers });

/** Every fourth COMMIT of a run, three nights at a time; the cuts begin at different ones. */
async function atCommits(first: number, cut: Cut): Promise<{ number: number; end: End }[]> {
  const numbers: number[] = [];
  for (let number = first; number <= baseline.cut.statements; number += 4) numbers.push(number);
  const ends: { number: number; end: End }[] = [];
  const walk = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      ends.push({ number, end: await cutNight(commit, number, cut) });
    }
  };
  await Promise.all([walk(), walk(), walk()]);
  return ends.sort((a, b) => a.number - b.number);
}

test('F82 a run has commits to cut', () => {
  expect(baseline.cut).toMatchObject({ code: 1, error: undefined });
  expect(baseline.cut.statements).toBeGreaterThan(10);
});

// The first commit opens the run, on the connection that holds its lock: with that the run is over anyway.
describe('F82 COMMIT is sent and', () => {
  test('done, its answer lost: the run reads that back and goes on', { timeout: 180_000 }, async () => {
    for (const { number, end } of await atCommits(1, 'answer lost')) {
      expect(end.cut, `commit ${number}`).toMatchObject(
        number === 1 ? { code: 5, error: 'DATABASE_FAILED' } : { code: 1, error: undefined },
      );
      expect(ended(end), `commit ${number}`).toEqual(ended(baseline));
    }
  });

  test(
    'never arrives: the run reads that back, says so, and the next one completes it',
    { timeout: 180_000 },
    async () => {
      let failed = 0;
      for (const { number, end } of await atCommits(2, 'unsent')) {
        if (end.cut.code === 5) {
          failed += 1;
          expect(end.cut.error, `commit ${number}`).toBe('DATABASE_FAILED');
          expect(end.cut.message, `commit ${number}`).not.toContain('unknown');
        } else {
          // A transaction that wrote nothing has nothing to lose.
          expect(end.cut, `commit ${number}`).toMatchObject({ code: 1, error: undefined });
        }
        expect([0, 1]).toContain(end.next);
        expect(ended(end), `commit ${number}`).toEqual(ended(baseline));
      }
      expect(failed).toBeGreaterThan(0);
    },
  );

  test('maybe done: the outcome is reported as it was', { timeout: 180_000 }, async () => {
    for (const { number, end } of await atCommits(3, 'sent')) {
      expect([1, 5], `commit ${number}`).toContain(end.cut.code);
      expect(end.cut.message, `commit ${number}`).not.toContain('unknown');
      expect(ended(end), `commit ${number}`).toEqual(ended(baseline));
    }
  });
});

describe('F82 a run is closed and', () => {
  test.each(['answer lost', 'unsent', 'sent'] as const)('%s: it is closed all the same', async (cut) => {
    const end = await cutNight(closing, 1, cut);
    expect(end.cut).toMatchObject({ code: 1, error: undefined });
    expect(end.cut.statements).toBeGreaterThan(1);
    expect(ended(end)).toEqual(ended(baseline));
  });
});

describe('F82 a command that is not a run', () => {
  test(
    'whose COMMIT has no answer says what to look up, and may be given again',
    { timeout: 60_000 },
    async () => {
      const own = await createTestDatabase();
      const night = prepareNight(own.url);
      const proxy = await startDatabaseProxy(own.url, (statement) =>
        commit.test(statement) ? 'answer lost' : undefined,
      );
      const stored = async () => own.database.sql`select id from payments order by id`;
      try {
        const cut = await night.importPayments(proxy.url);
        expect(cut.code).toBe(5);
        expect(cut.stderr).toContain('it is unknown whether it was stored');
        expect(cut.stderr).toContain('Look anything else up before you repeat it');
        const first = await stored();
        expect(first.length).toBeGreaterThan(0);
        expect((await night.importPayments()).code).toBe(0);
        expect(await stored()).toEqual(first);
      } finally {
        await proxy.close();
        await own.drop();
        night.end();
      }
    },
  );
});
