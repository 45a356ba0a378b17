import { availableParallelism } from 'node:os';
import { defineConfig, type TestUserConfig } from 'vitest/config';
import { projectNames, projectOf, testFiles } from './test/projects.js';
import { hostileEnvironment } from './test/support/hostile-environment.js';
import { LongestFirst } from './test/support/longest-first.js';

const shared = {
  env: hostileEnvironment,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  pool: 'forks',
  // Only where a property is repeated: each test file would load it.
  setupFiles: process.env['RECON_PROPERTY_SEED'] === undefined ? [] : ['test/support/repeat-property.ts'],
  // A gate runs on shared machines, where a real deadline can be missed by chance: it looks once more, and
  // the report names what it had to look at twice.
  retry: process.env['CI'] === 'true' ? 1 : 0,
  // Concurrent tests of a file start processes of their own.
  maxConcurrency: Math.max(2, availableParallelism()),
} satisfies TestUserConfig;

export default defineConfig({
  test: {
    globalSetup: ['test/support/nothing-written.ts'],
    // If a connection closes before the driver writes to it, it throws outside of every promise. The program takes that
    // for a lost connection (`src/db/database-errors.ts`); a test that ends connections must not fail for it.
    onUnhandledError: ({ stack }) => !/\bnextWrite \(.*[\\/]postgres[\\/]/.test(stack ?? ''),
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/support/skipped-reporter.ts'],
    // Files wait for servers more than they compute, and each has a database of its own.
    maxWorkers: Math.max(2, availableParallelism()),
    projects: projectNames.map((name) => ({
      test: {
        ...shared,
        name,
        // The test files of a worker share the loaded program, since they leave nothing behind that another file
        // sees: loading it for each took a quarter of the CPU time. Tests that stop processes do not share it.
        isolate: name === 'faults',
        include: testFiles().filter((file) => projectOf(file) === name),
        globalSetup: name === 'unit' ? [] : ['test/support/global-setup.ts'],
      },
    })),
  },
});
