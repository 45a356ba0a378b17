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

holdYoungGeneration();
const held = afterSurvivors();
limitHeapGrowth();
const limited = afterSurvivors();
releaseYoungGeneration();
const released = afterSurvivors();
process.stdout.write(JSON.stringify({ held, limited, released }));
