import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/*
 * The young generation, in which V8 creates objects, doubles whenever enough of them survive, up to 32 MB, and hardly
 * shrinks again. Loading the modules of a command is enough for that. `--max-semi-space-size` counts only at the start
 * of the process, but the factor of growth may change at any time: with 1, it keeps its size. Whoever starts a thread
 * has to set it again, because V8 sets it to 2 for each new heap: for the thread that writes the workbook, the peak of
 * a report of 157,000 findings was 20 MB higher without that.
 */

/** While the modules of a command are loaded, and after a thread has started. */
export function holdYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** For the command itself, such as the gateway. */
export function releaseYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}

/**
 * For commands that process files and write reports; the gateway's heap is small, and it answers faster without.
 *
 * The young generation stays at 8 MB: a run with 63,000 findings has a peak of 127 instead of 157 MB, for the same CPU
 * time.
 *
 * Garbage is collected when the heap has grown by a third of what is in use, not when it has grown to a multiple. A
 * report of 157,000 findings had a peak of 153 MB; it was 171 MB when the heap could grow by half, for the same CPU
 * time, and 238 MB without a limit.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=30');
  enlargeYoungGeneration();
  watching ??= setTimeout(watch, shortestWaitMs).unref();
}

const shortestWaitMs = 100;
/** Of a process that has nothing to do, such as `recon review` overnight: it woke up ten times a second. */
const longestWaitMs = 1_000;
/** The part of the time that a process works; below this it is idle. */
const idleBelow = 0.2;

let watching: NodeJS.Timeout | undefined;
let waitMs = shortestWaitMs;

function watch(): void {
  waitMs = restoreYoungGeneration() < idleBelow ? Math.min(2 * waitMs, longestWaitMs) : shortestWaitMs;
  watching = setTimeout(watch, waitMs).unref();
}

let lastUtilization = performance.eventLoopUtilization();

/**
 * Enlarges the young generation again when this process is busy with a small one. While recon waits for the server, it
 * creates few objects. V8 then shrinks the young generation down to 1 MB, also in the first collection after the wait,
 * and it does not grow again. Nearly all objects outlive a collection then: the report of 628,000 findings took 43
 * instead of 38 s of CPU time.
 *
 * @returns which part of the time since the last call this process worked
 */
function restoreYoungGeneration(): number {
  const measured = performance.eventLoopUtilization();
  const { utilization } = performance.eventLoopUtilization(measured, lastUtilization);
  lastUtilization = measured;
  if (utilization > 0.5 && sizeOfYoungGeneration() < attainableBytes) enlargeYoungGeneration();
  return utilization;
}

function enlargeYoungGeneration(): void {
  releaseYoungGeneration();
  growYoungGeneration();
  holdYoungGeneration();
}

const youngBytes = 8 * 2 ** 20;

/**
 * How large it can become, as far as it is known. If this process may use less than 768 MB, as in a small container, V8
 * keeps it smaller. To try for 8 MB ten times a second took nearly all the time of a run there.
 */
let attainableBytes = youngBytes;

/** More than it takes: where the young generation may not become so large, the loop ends all the same. */
const mostSurvivorBytes = 4 * youngBytes;

/** It grows by objects that survive. */
function growYoungGeneration(): void {
  const survivors: unknown[] = [];
  const slots = 1000;
  let largest = sizeOfYoungGeneration();
  for (let bytes = 0; bytes < mostSurvivorBytes && largest < attainableBytes; bytes += 8 * slots) {
    survivors.push(new Array(slots).fill(null));
    largest = Math.max(largest, sizeOfYoungGeneration());
  }
  attainableBytes = Math.min(attainableBytes, largest);
}

/** In bytes, of both its halves. */
export function sizeOfYoungGeneration(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}
