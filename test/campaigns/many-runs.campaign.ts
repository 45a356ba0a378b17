import { expect, test } from 'vitest';
import { beginLongLife, expectNoMore, troubles } from '../run/many-runs.js';
import { chanceFrom, repetitions, reportCounts, seed, seeded } from '../support/campaign.js';

test(seeded('300 runs in one process hold as much as the first ones did'), async () => {
  const chance = chanceFrom(seed);
  const life = await beginLongLife();
  try {
    // Until then each statement that is sent for the first time still costs something.
    for (const trouble of troubles) await life.live(trouble);
    await life.useOtherCommands();
    const before = await life.measure();
    const runsBefore = life.runs();
    while (life.runs() - runsBefore < repetitions(300)) {
      await life.live(chance.pick(troubles));
      if (chance.fraction() < 0.1) await life.useOtherCommands();
    }
    const runs = life.runs() - runsBefore;
    const held = await life.measure();
    reportCounts('many runs', {
      runs,
      connections: held.connections,
      sockets: held.sockets,
      timers: held.timers,
      signals: held.signals,
      'open files': held.openFiles,
      'kB of heap more than before': Math.round((held.heapBytes - before.heapBytes) / 1024),
    });
    expectNoMore(held, before, runs);
    expect(runs).toBeGreaterThan(0);
  } finally {
    await life.end();
  }
});
