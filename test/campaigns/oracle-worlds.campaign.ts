import { expect, test } from 'vitest';
import { repetitions, reportCounts, seed, seeded } from '../support/campaign.js';
import { liveThrough, type Disagreement, type Played } from './oracle/live-through.js';
import { randomWorld } from './oracle/random-world.js';
import { shrinkWorld } from './oracle/shrink-world.js';
import { showDisagreement } from './oracle/show-world.js';
import type { World } from './oracle/world.js';

/** One world of so many is played with processes of the built program. */
const oneInProcesses = 10;

test(seeded('random worlds are reported as the plain evaluation of the design says'), async () => {
  const played: Played = {};
  const worlds = repetitions(60);
  for (let index = 0; index < worlds; index += 1) {
    const world = randomWorld(seed + index);
    const inProcesses = index % oneInProcesses === oneInProcesses - 1;
    const disagreement = await liveThrough(world, inProcesses, played);
    if (disagreement !== undefined) expect.fail(await show(world, disagreement));
  }
  reportCounts('oracle', { worlds, ...played });
  expect(played['run']).toBeGreaterThan(0);
});

async function show(world: World, disagreement: Disagreement): Promise<string> {
  const small = await shrinkWorld(world, disagreement, (smaller) => liveThrough(smaller, false));
  return showDisagreement(world, disagreement, small);
}
