import { test } from 'vitest';
import { chanceFrom, repetitions, seed, seeded } from '../support/campaign.js';
import { killAtRandom } from './random-kills.js';
import { prepareScenes } from './prepared-scenes.js';
import { measuredOutcome } from './scene.js';

const { stage, baseline } = prepareScenes(measuredOutcome);

// One after the other: a run that shares the processor with another is not as long as the one that was measured.
test.each(Array.from({ length: repetitions(8) }, (_, index) => index + 1))(
  seeded('F74 killed at a random moment, then run again: kill %i'),
  async (index) => {
    await killAtRandom(stage(), baseline(), chanceFrom(seed + index), 1);
  },
);

test(seeded('F75 killed at random moments while it recovers'), async () => {
  await killAtRandom(stage(), baseline(), chanceFrom(seed), 3);
});
