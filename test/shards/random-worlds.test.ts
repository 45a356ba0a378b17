import { afterAll, beforeAll, expect, test } from 'vitest';
import { comparedWorld } from './compared-world.js';
import { playOnBoth } from './play-on-both.js';
import { startThreeServers, type ThreeServers } from './three-servers.js';

/** A random story that one server and several live through alike. The campaign plays many, to their end. */
let three: ThreeServers;

beforeAll(async () => {
  three = await startThreeServers();
});

afterAll(async () => {
  await three.stop();
});

/** Two nights: empty shards, a file of each source, decisions, a corrected row, a link, and another file. */
const beginning = { seed: 27, steps: 11 };

test(`the beginning of world ${beginning.seed} is the same on one server and on several`, async () => {
  const world = comparedWorld(beginning.seed);
  const disagreement = await playOnBoth(three, { ...world, steps: world.steps.slice(0, beginning.steps) });
  expect(disagreement?.differences).toBeUndefined();
}, 180_000);
