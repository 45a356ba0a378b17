import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limitHeapGrowth } from '../../src/cli/limit-heap-growth.js';

/** A fixed amount of work that keeps few objects, in a process whose young generation may not become large. */
limitHeapGrowth();
let collections = 0;
const observer = new PerformanceObserver((list) => (collections += list.getEntries().length));
observer.observe({ entryTypes: ['gc'] });
for (let turn = 0; turn < 400; turn += 1) {
  for (let count = 0; count < 10_000; count += 1) new Array(50).fill(count);
  await nextTurn();
}
process.stdout.write(JSON.stringify({ collections }));
process.exit();
