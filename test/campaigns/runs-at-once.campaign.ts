import { test } from 'vitest';
import { runAtOnce } from '../faults/runs-at-once.js';
import { prepareScenes } from '../faults/prepared-scenes.js';
import { measuredOutcome } from '../faults/scene.js';
import {
  campaignTimeoutMs,
  chanceFrom,
  repetitions,
  reportCounts,
  seed,
  seeded,
} from '../support/campaign.js';

const { stage, baseline } = prepareScenes(measuredOutcome, campaignTimeoutMs);

test(seeded('F79 two to eight runs at once: one works, the others exit with 3'), async () => {
  const counts = { rounds: 0, runs: 0 };
  try {
    for (let index = 0; index < repetitions(20); index += 1) {
      const chance = chanceFrom(seed + index);
      const count = chance.integer(2, 8);
      await runAtOnce(stage(), baseline(), count, chance.fraction() < 0.5);
      counts.rounds += 1;
      counts.runs += count;
    }
  } finally {
    reportCounts('F79 runs at once', counts);
  }
});
