import { test } from 'vitest';
import { examples, expectSameOutcomes } from '../faults/deliveries.js';
import { repetitions, reportCounts, seeded } from '../support/campaign.js';

const times = repetitions(10);

test.each(examples)(seeded('F71 %s shuffled and split, in any order'), async (name) => {
  await expectSameOutcomes(name, times);
  reportCounts(`F71 ${name}`, { times });
});
