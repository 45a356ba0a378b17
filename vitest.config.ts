import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { hostileEnvironment } from './test/support/hostile-environment.js';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/campaigns/**'],
    globalSetup: ['test/support/global-setup.ts'],
    env: hostileEnvironment,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A gate runs on shared machines, where a real deadline can be missed by chance: it looks once more, and
    // the report names what it had to look at twice.
    retry: process.env['CI'] === 'true' ? 1 : 0,
    pool: 'forks',
    // Files wait for servers more than they compute, and each has a database of its own.
    maxWorkers: Math.max(2, availableParallelism()),
    // Concurrent tests of a file start processes of their own.
    maxConcurrency: Math.max(2, availableParallelism()),
  },
});
