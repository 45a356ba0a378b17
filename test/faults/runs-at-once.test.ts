import { test } from 'vitest';
import { chanceFrom, seed, seeded } from '../support/campaign.js';
import { runAtOnce } from './runs-at-once.js';
import { prepareScenes } from './prepared-scenes.js';
import { measuredOutcome } from './scene.js';

const { stage, baseline } = prepareScenes(measuredOutcome);

test.each([
  ['of several runs at once exactly one works', false],
  ['of several runs at once after one that died exactly one works', true],
])(seeded('F79 %s, the others exit with 3'), async (_name, afterOneThatDied) => {
  await runAtOnce(stage(), baseline(), chanceFrom(seed).integer(4, 8), afterOneThatDied);
});
