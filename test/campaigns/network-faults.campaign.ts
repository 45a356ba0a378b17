import { expect, test } from 'vitest';
import { surviveFault, type Ending, type Protocol } from '../faults/network-faults.js';
import { chanceFrom, repetitions, reportCounts, seed, seeded } from '../support/campaign.js';

const protocols: readonly (readonly [Protocol, number])[] = [
  ['sftp', 1],
  ['ftp', 2],
  ['ftps explicit', 3],
  ['ftps implicit', 4],
];

test.each(protocols)(
  seeded(
    'F9 F12 F13 F17 random faults on the wire of %s: no other bytes, no hang, and a clean retry has all',
  ),
  async (protocol, stream) => {
    const chance = chanceFrom(seed + stream);
    const endings: Record<Ending, number> = {
      missed: 0,
      'repaired by another try': 0,
      'some files failed': 0,
      'source failed': 0,
    };
    const wrong: string[] = [];
    // Half for each way of FTPS: they differ in the first few bytes only.
    const count = repetitions(protocol.startsWith('ftps') ? 30 : 60);
    for (let nth = 1; nth <= count; nth += 1) {
      await surviveFault(protocol, chance).then(
        (ending) => (endings[ending] += 1),
        (thrown: unknown) => wrong.push(`fault ${nth}: ${String(thrown)}`),
      );
    }
    reportCounts(`network faults, ${protocol}`, { faults: count, ...endings, wrong: wrong.length });
    expect(wrong).toEqual([]);
  },
);
