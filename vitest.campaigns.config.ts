import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** `npm run test:faults`: the long campaigns. Each prints its seed and its counts; `SEED=n` replays one. */
export default defineConfig({
  test: {
    include: ['test/campaigns/**/*.campaign.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: Math.max(2, availableParallelism()),
    disableConsoleIntercept: true,
  },
});
