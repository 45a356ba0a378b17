import { expect, test } from 'vitest';
import { killAtRandom, type Kills } from '../faults/random-kills.js';
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

async function campaign(name: string, scenes: number, mostKills: number): Promise<void> {
  const counts: Kills & { scenes: number } = { scenes: 0, killed: 0, missed: 0 };
  try {
    for (let index = 0; index < scenes; index += 1) {
      const chance = chanceFrom(seed + index);
      const kills = await killAtRandom(stage(), baseline(), chance, chance.integer(1, mostKills));
      counts.scenes += 1;
      counts.killed += kills.killed;
      counts.missed += kills.missed;
    }
  } finally {
    reportCounts(name, { ...counts });
  }
  // Kills that come too late prove nothing.
  if (scenes >= 20) expect(counts.killed * 2).toBeGreaterThan(counts.missed);
}

test(seeded('F74 a run killed at a random moment, then run again'), async () => {
  await campaign('F74 random kills', repetitions(100), 1);
});

test(seeded('F75 a run killed at up to three random moments of it and of its recovery'), async () => {
  await campaign('F75 random kills while recovering', repetitions(20), 3);
});
