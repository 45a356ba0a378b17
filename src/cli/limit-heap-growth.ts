import { setFlagsFromString } from 'node:v8';

/**
 * Collects garbage when the heap has grown by half of what is in use, not when it has grown to a multiple. A report of
 * 157,000 findings then has a peak of 166 MB instead of 238 MB, for five percent more CPU time. For commands that process
 * files and write reports; the gateway's heap is small, and it answers faster without.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=50');
}
