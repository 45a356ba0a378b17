import { readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Which test file belongs to which project of vitest. An entry is a file or a folder (with `/` at its end),
 * and the longest entry that fits a file decides. `npm test` runs `unit`, `database` and `cli`; `faults` holds
 * what kills, waits, fills disks or repeats a story in every form, and runs with `npm run test:all` as well.
 */
export const projects = {
  /** Without a database: started in a second, for watching while you type. */
  unit: [
    // Whatever no other entry fits.
    'test/',
    'test/cli/init.test.ts',
    'test/cli/run-summary.test.ts',
    'test/cli/tell-failure.test.ts',
    'test/cli/terminal-progress.test.ts',
    'test/cli/text-table.test.ts',
    'test/cli/usage.test.ts',
    'test/db/database-errors.test.ts',
    'test/db/embedded/cluster-lock.test.ts',
    'test/db/embedded/locate-binaries.test.ts',
    'test/faults/fault-matrix.test.ts',
    'test/faults/cut-short.test.ts',
    'test/intake/archive.test.ts',
    'test/intake/judge-change.test.ts',
    'test/matching/narrowing.test.ts',
    'test/payment-core/fields/',
    'test/payment-core/judge-reference.property.test.ts',
    'test/payment-core/judge-reference.test.ts',
    'test/payment-core/mask-answer.test.ts',
    'test/payment-core/result-codes.test.ts',
    'test/payment-core/surface.test.ts',
    'test/payment-core/validation/',
    'test/remote/file-names.test.ts',
    'test/remote/known-hosts.test.ts',
    'test/reporting/csv-cells.test.ts',
    'test/reporting/currency-sums.test.ts',
    'test/reporting/manifest.test.ts',
    'test/reporting/verify-reports.test.ts',
    'test/reporting/write-table.test.ts',
    'test/run/plan-nights.test.ts',
  ],
  /** The parts of the program on a real PostgreSQL, and the transfer against real servers. */
  database: [
    'test/db/',
    'test/intake/',
    'test/matching/',
    'test/payment-core/',
    'test/payment-file/',
    'test/plans/',
    'test/remote/',
    'test/reporting/',
    'test/run/',
    'test/sql/',
  ],
  /** The command line from outside: within the test's process, and as a process where the process is the subject. */
  cli: ['test/cli/', 'test/stories.test.ts'],
  faults: [
    'test/faults/',
    'test/protocols.test.ts',
    'test/db/embedded/embedded-server.test.ts',
    'test/intake/real-servers.test.ts',
    'test/remote/real-servers.test.ts',
    'test/reporting/crash.test.ts',
  ],
} as const satisfies Record<string, readonly string[]>;

export type ProjectName = keyof typeof projects;
// The keys of a literal are its keys, which Object.keys forgets.
export const projectNames = Object.keys(projects) as ProjectName[];

/** The project of a test file, below the root of the repository: that of the longest entry that fits. */
export function projectOf(file: string): ProjectName {
  const fitting = projectNames
    .flatMap((name) => projects[name].map((entry) => ({ name, entry })))
    .filter(({ entry }) => (entry.endsWith('/') ? file.startsWith(entry) : file === entry))
    .sort((a, b) => b.entry.length - a.entry.length);
  // `test/` fits every file.
  return fitting[0]?.name ?? 'unit';
}

/** Every test file there is. */
export function testFiles(): string[] {
  return readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name.split(path.sep).join('/')}`)
    .sort();
}
