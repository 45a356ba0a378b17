import { expect, test } from 'vitest';
import { columns } from '../../src/settlement-file/columns.js';
import { repetitions, seeded } from '../support/campaign.js';
import { examples, expectSameOutcomes, readExample } from './deliveries.js';

/** Those in which records depend on each other; the campaign takes all. */
const interwoven = ['demo', 'chargebacks', 'duplicate-settlement'];

test.each(interwoven)(seeded('F71 %s shuffled and split, in any order'), async (name) => {
  await expectSameOutcomes(name, repetitions(1));
});

test('the examples hold rows of every type', async () => {
  const types = new Set<string>();
  for (const name of examples) {
    for (const row of (await readExample(name)).rows) types.add(row.split(';')[0] ?? '');
  }
  const [type] = columns;
  if (type?.type.kind !== 'enum') throw new Error('the first column is the type');
  expect([...types]).toEqual(expect.arrayContaining([...type.type.values]));
});
