import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeFixtures } from '../scripts/fixtures/write-fixtures.js';
import {
  createStoryPlace,
  expectStory,
  fixtures,
  readReport,
  stories,
  type Step,
  type StoryPlace,
} from './support/story.js';

/** Every folder of `fixtures/` from outside. */
let place: StoryPlace;

beforeEach(async () => {
  place = await createStoryPlace();
});
afterEach(() => place.remove());

test.each(stories)('%s: the run finds what is expected, and so does a re-run', (story) =>
  expectStory(story, place),
);

test('the reconciled file names the payment of the result, not the relative that the record names', async () => {
  const story = path.join(fixtures, 'references');
  await place.recon('payments', 'import', path.join(story, 'payments.csv'));
  const delivered = path.join(story, 'inbound', 'settlement-2026-11-19.csv');
  // The same records again, so that they belong to another file, and one more, so that a day is a part of it.
  const lines = readFileSync(delivered, 'utf8').trimEnd().split('\n');
  const later = (lines[1] ?? '').replace('STL-1', 'STL-9').replace('2026-11-19', '2026-11-20');
  const extended = path.join(place.directory, 'extended.csv');
  writeFileSync(extended, [...lines, later, ''].join('\n'));

  const payment = (number: number) => `8ac7a4a10000000000000000000000${String(number).padStart(2, '0')}`;
  const results = [[1], [2], [3], [5], [8], [7], [10, 11], [12]].map((ids) => ids.map(payment).join(','));
  const resultsIn = ({ outcome }: Step, name: string) => {
    const file = outcome.reports?.reconciled.find((one) => path.basename(one) === name) ?? '';
    return readReport(file).map((row) => row['MatchedTransactions']);
  };
  const run = await place.recon('run', '--as-of', '2026-11-20', '--file', delivered);
  expect(resultsIn(run, 'settlement-2026-11-19.csv')).toEqual(results);
  const again = await place.recon('run', '--as-of', '2026-11-20', '--file', extended);
  expect(resultsIn(again, 'extended.csv')).toEqual([...results, payment(1)]);
  const day = await place.recon(
    'rerun',
    '--from',
    '2026-11-19',
    '--to',
    '2026-11-19',
    '--as-of',
    '2026-11-20',
  );
  expect(resultsIn(day, 'settlement-2026-11-19.csv')).toEqual(results);
  expect(resultsIn(day, 'extended.csv')).toEqual(results);
});

test('the folders are what the stories say', () => {
  const copy = path.join(place.directory, 'fixtures');
  mkdirSync(copy);
  cpSync(fixtures, path.join(place.directory, 'committed'), { recursive: true });
  writeFixtures(copy);
  const content = (root: string) =>
    readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [path.relative(root, file), readFileSync(file, 'utf8')]);
  expect(content(copy)).toEqual(content(path.join(place.directory, 'committed')));
});
