import { expect, test } from 'vitest';
import { killEmbedded, undisturbed } from '../faults/embedded-kills.js';
import { chanceFrom, repetitions, reportCounts, seed, seeded } from '../support/campaign.js';
import { ordinaryAccount, type Account } from '../support/ordinary-account.js';

const other = ordinaryAccount();
if (typeof other === 'string') process.stderr.write(`${other}: kills under another account are not tried\n`);

async function campaign(name: string, account: Account | undefined): Promise<void> {
  const counts: Record<string, number> = { rounds: 0 };
  const expected = await undisturbed(account);
  const rounds = repetitions(20);
  try {
    for (let index = 0; index < rounds; index += 1) {
      for (const victim of await killEmbedded(chanceFrom(seed + index), expected, account))
        counts[victim] = (counts[victim] ?? 0) + 1;
      counts['rounds'] = index + 1;
    }
  } finally {
    reportCounts(name, counts);
  }
  const killed = Object.values(counts).reduce((sum, count) => sum + count, -rounds);
  // Kills that hit nothing prove nothing.
  expect(killed * 2).toBeGreaterThan(rounds);
}

test(
  seeded('F92 embedded database: command, server or session killed at random, then run again'),
  async () => {
    await campaign('F92 kills of the embedded database', undefined);
  },
);

test.runIf(typeof other !== 'string')(
  seeded('F92 embedded database of an ordinary account: killed at random, then run again'),
  async () => {
    // `runIf` has excluded the reason, which the compiler cannot see.
    await campaign('F92 kills under an ordinary account', other as Account);
  },
);
