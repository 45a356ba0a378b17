import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { limitHeapGrowth } from '../../src/cli/limit-heap-growth.js';

/** How often a process that has nothing to do looks at its memory. Each time it asks twice for the utilization. */
let asked = 0;
const measure = performance.eventLoopUtilization.bind(performance);
performance.eventLoopUtilization = (...given) => {
  asked += 1;
  return measure(...given);
};
limitHeapGrowth();
await sleep(5_000);
process.stdout.write(JSON.stringify({ looks: asked / 2 }));
