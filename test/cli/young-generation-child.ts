import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  holdYoungGeneration,
  limitHeapGrowth,
  releaseYoungGeneration,
  restoreYoungGeneration,
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

holdYoungGeneration();
const held = afterSurvivors();
limitHeapGrowth();
const limited = afterSurvivors();
await shrinkWhileIdle();
restoreYoungGeneration();
const restored = sizeOfYoungGeneration() / 2 ** 20;
releaseYoungGeneration();
const released = afterSurvivors();
process.stdout.write(JSON.stringify({ held, limited, restored, released }));
