import path from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/connect.js';
import { compareWithModel } from '../matching/compare-with-model.js';
import { startThreeServers, type ThreeServers } from '../shards/three-servers.js';
import { stories, wholeStory, installationOf } from '../shards/run-stories.js';
import { comparedWorld, type ComparedWorld } from '../shards/compared-world.js';
import { playOnBoth, type Counts } from '../shards/play-on-both.js';
import { repetitions, reportCounts, seed, seeded } from '../support/campaign.js';
import { createTestDatabase } from '../support/database.js';
import { folderForAllTests } from '../support/test-folder.js';
import type { Disagreement } from './oracle/live-through.js';
import { shrinkWorld } from './oracle/shrink-world.js';
import { showDisagreement } from './oracle/show-world.js';

/** Everything that one server finds and reports, three servers find and report too. */
let three: ThreeServers;
const directory = folderForAllTests();

beforeAll(async () => {
  three = await startThreeServers();
});

afterAll(() => three.stop());

test.each(stories)('%s: the reports are the same on one server and on three', async (story) => {
  const single = await createTestDatabase();
  const { home } = await three.createDivided();
  const one = await wholeStory(installationOf(story, single.url, path.join(directory.path, `${story}-one`)));
  await single.drop();
  expect(await wholeStory(installationOf(story, home, path.join(directory.path, `${story}-three`)))).toEqual(
    one,
  );
});

test(seeded('random worlds are the same on one server and on several'), async () => {
  const counts: Counts = {};
  const worlds = repetitions(15);
  for (let index = 0; index < worlds; index += 1) {
    const world = comparedWorld(seed + index);
    const disagreement = await playOnBoth(three, world, counts);
    if (disagreement !== undefined) expect.fail(await show(world, disagreement));
  }
  // One kind after the other, with what was refused beside what did something.
  const sorted = Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1));
  reportCounts('shards', { worlds, ...Object.fromEntries(sorted) });
  expect(counts['run']).toBeGreaterThan(0);
});

async function show(world: ComparedWorld, disagreement: Disagreement): Promise<string> {
  const small = await shrinkWorld(world, disagreement, (smaller) => playOnBoth(three, smaller), 40);
  return showDisagreement(world, disagreement, small);
}

/** Random payments, records and decisions on three servers, against the plain model. */
compareWithModel(repetitions(10), seed, async () => {
  const { home: url } = await three.createDivided();
  const database = await openDatabase({ url }, { logger: pino({ enabled: false }) });
  return { name: 'divided', url, database, drop: () => database.close() };
});
