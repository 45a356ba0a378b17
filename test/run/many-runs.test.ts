import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../support/needs.js';
import { beginLongLife, expectNoMore, troubles, type LongLife, type Trouble } from './many-runs.js';

/** One of each kind, to compare what is held; the campaign has all of them, 300 times. */
const chosen: readonly Trouble[] = [
  'a small file',
  'a source whose connections break',
  'an interruption before the matching',
  'every session of the run is ended',
  'the session of the transaction is ended',
  'the database refuses every connection',
  'a receiver whose connections break',
];

const procfs = needs.procfs();

describe.runIf(procfs.isMet)('a process that stays up', procfs.orSkipped, () => {
  let life: LongLife;

  beforeAll(async () => {
    life = await beginLongLife();
  });
  afterAll(() => life.end());

  test('holds nothing of the runs that are over', { timeout: 240_000 }, async () => {
    const liveThroughChosen = async () => {
      for (const trouble of chosen) await life.live(trouble);
      await life.useOtherCommands();
    };
    // What a process keeps is complete after the second time. In the first one, each trouble ends as it should.
    for (const trouble of troubles) await life.live(trouble);
    await life.useOtherCommands();
    await liveThroughChosen();
    const { reports: reportsBefore } = await life.left();
    const before = await life.measure();
    const runsBefore = life.runs();
    await liveThroughChosen();
    const runs = life.runs() - runsBefore;
    expect(runs).toBeGreaterThanOrEqual(9);
    expectNoMore(await life.measure(), before, runs);
    // Delivers what a receiver could not take before.
    await life.live('a small file');
    const { reports, ...left } = await life.left();
    expect(left).toEqual({ incomplete: [], undelivered: 0 });
    expect(reports).toBeLessThanOrEqual(reportsBefore + 1);
  });
});
