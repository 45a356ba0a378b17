/**
 * In place of `src/cli/limit-heap-growth.ts` in the processes of tests (`vitest.config.ts`). The processes that tests
 * start have the real one.
 */
export function limitHeapGrowth(): void {
  // The heap of a test may grow.
}

/** See above. */
export function holdYoungGeneration(): void {
  // The same.
}

/** See above. */
export function releaseYoungGeneration(): void {
  // It was not held.
}
