import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig, type TestUserConfig } from 'vitest/config';
import { projectNames, projectOf, testFiles } from './test/projects.js';
import { hostileEnvironment } from './test/support/hostile-environment.js';
import { RepeatedChecksLast } from './test/support/repeated-checks-last.js';

const shared = {
  env: hostileEnvironment,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  // What a test waits for comes within milliseconds, but not on a busy machine: vitest gives up after one second.
  expect: { poll: { timeout: 15_000 } },
  pool: 'forks',
  // Only where they are needed: each test file would load them.
  setupFiles: [
    ...(process.env['RECON_PROPERTY_SEED'] === undefined ? [] : ['test/support/repeat-property.ts']),
    ...(process.env['RECON_TESTS_END_AT'] === undefined ? [] : ['test/support/stop-at-deadline.ts']),
  ],
  // A gate runs on shared machines, where a real deadline can be missed by chance: it looks once more, and
  // the report names what it had to look at twice.
  retry: process.env['CI'] === 'true' ? 1 : 0,
  // What saves memory in a command is for its own process, and takes a tenth of the CPU time of one that runs tests:
  // all that vitest and the tests have loaded is looked through whenever the heap has grown by a third.
  alias: [
    {
      find: /^\.{1,2}\/(?:.*\/)?limit-heap-growth\.js$/,
      replacement: path.resolve(import.meta.dirname, 'test/support/unlimited-heap.ts'),
    },
  ],
  // Concurrent tests of a file start processes of their own.
  maxConcurrency: Math.max(2, Math.min(8, availableParallelism())),
} satisfies TestUserConfig;

export default defineConfig({
  test: {
    globalSetup: ['test/support/nothing-written.ts'],
    // If a connection closes before the driver writes to it, it throws outside of every promise. The program takes that
    // for a lost connection (`src/db/database-errors.ts`); a test that ends connections must not fail for it.
    onUnhandledError: ({ stack }) => !/\bnextWrite \(.*[\\/]postgres[\\/]/.test(stack ?? ''),
    sequence: { sequencer: RepeatedChecksLast },
    reporters: ['default', './test/support/skipped-reporter.ts'],
    // One more than there are cores, because tests also wait: for timers, servers and processes. On two cores,
    // `npm test` takes 232 s with three workers, and 264 to 286 s with two. Many cores do not mean much memory, and the
    // test server has connections for this many workers (`test/support/global-setup.ts`).
    maxWorkers: Math.min(15, availableParallelism()) + 1,
    projects: projectNames.map((name) => ({
      test: {
        ...shared,
        name,
        // The test files of a worker share the loaded program, since they leave nothing behind that another file
        // sees: loading it for each took a quarter of the CPU time of the core tests, and a third of that of the
        // workers of slow ones. Tests that stop processes do not share it.
        isolate: name === 'faults',
        include: testFiles().filter((file) => projectOf(file) === name),
        globalSetup: name === 'unit' ? [] : ['test/support/global-setup.ts'],
      },
    })),
  },
});
