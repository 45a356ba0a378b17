import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  holdYoungGeneration,
  limitHeapGrowth,
  releaseYoungGeneration,
  sizeOfYoungGeneration,
} from '../../src/cli/limit-heap-growth.js';

/** A separate process, because the young generation of a test has grown long before. */
const survivors: unknown[] = [];
function afterSurvivors(): number {
  for (let count = 0; count < 20_000; count += 1) survivors.push(new Array(500).fill(null));
  return sizeOfYoungGeneration() / 2 ** 20;
}

/** Collections of a process that creates few objects shrink it; until one has, or for ten seconds. */
async function shrinkWhileIdle(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let count = 0; count < 20 && sizeOfYoungGeneration() >= 8 * 2 ** 20; count += 1) {
    await sleep(500);
    for (let more = 0; more < 50; more += 1) survivors.push(new Array(200).fill(more));
    collect();
  }
}

/** Creates objects that are garbage at once, until the young generation is large again, or for ten seconds. */
async function workUntilRestored(): Promise<void> {
  const until = performance.now() + 10_000;
  while (performance.now() < until && sizeOfYoungGeneration() < 8 * 2 ** 20) {
    for (let count = 0; count < 10_000; count += 1) new Array(50).fill(count);
    await nextTurn();
  }
}

holdYoungGeneration();
const held = afterSurvivors();
limitHeapGrowth();
const limited = afterSurvivors();
await shrinkWhileIdle();
const shrunk = sizeOfYoungGeneration() / 2 ** 20;
await workUntilRestored();
const restored = sizeOfYoungGeneration() / 2 ** 20;
releaseYoungGeneration();
const released = afterSurvivors();
process.stdout.write(JSON.stringify({ held, limited, shrunk, restored, released }));
