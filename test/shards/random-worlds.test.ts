import { afterAll, beforeAll, expect, test } from 'vitest';
import { comparedWorld } from './compared-world.js';
import { playOnBoth, type Counts } from './play-on-both.js';
import { startThreeServers, type ThreeServers } from './three-servers.js';

/** A random story that one server and several live through alike. The campaign plays many, to their end. */
let three: ThreeServers;

beforeAll(async () => {
  three = await startThreeServers();
});

afterAll(async () => {
  await three.stop();
});

/** Empty shards, a file of each source, a chargeback that is booked and reversed, decisions, and a corrected row. */
const beginning = { seed: 73, steps: 13 };

test(`the beginning of world ${beginning.seed} is the same on one server and on several`, async () => {
  const world = comparedWorld(beginning.seed);
  const counts: Counts = {};
  const disagreement = await playOnBoth(
    three,
    { ...world, steps: world.steps.slice(0, beginning.steps) },
    counts,
  );
  expect(disagreement?.differences).toBeUndefined();
  // These were not refused.
  expect(counts).toMatchObject({ book: 1, reverse: 1, correct: 1, accept: 2 });
}, 180_000);
