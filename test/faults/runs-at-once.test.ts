import { afterAll, beforeAll, test, vi } from 'vitest';
import { chanceFrom, seed, seeded } from '../support/campaign.js';
import { runAtOnce } from './runs-at-once.js';
import { measuredOutcome, prepareStage, type Measured, type Outcome, type Stage } from './scene.js';

// Each test starts several processes, on machines that may be busy with others.
vi.setConfig({ testTimeout: 180_000 });

let stage: Stage;
let undisturbed: Outcome & Measured;

beforeAll(async () => {
  stage = await prepareStage();
  undisturbed = await measuredOutcome(stage);
});

afterAll(() => stage.end());

test.each([
  ['of several runs at once exactly one works', false],
  ['of several runs at once after one that died exactly one works', true],
])(seeded('F79 %s, the others exit with 3'), async (_name, afterOneThatDied) => {
  await runAtOnce(stage, undisturbed, chanceFrom(seed).integer(4, 8), afterOneThatDied);
});
