import { pino } from 'pino';
import type { Database } from '../../src/db/connect.js';
import { silentProgress } from '../../src/progress.js';
import type { RunContext } from '../../src/run/run-context.js';
import { plainArchive } from './archive.js';

/** A context with the defaults of the configuration and a clock that stands on 2026-11-20 at noon UTC. */
export function runContext(
  database: Database,
  dataDirectory: string,
  changes: Partial<RunContext> = {},
): RunContext {
  return {
    author: 'tester',
    settings: null,
    database,
    dataDirectory,
    archive: plainArchive(dataDirectory),
    sources: [],
    timezone: 'UTC',
    settlementDueDays: 5,
    lookbackDays: 60,
    largeFileBytes: Infinity,
    filesAtOnce: 2,
    leaseSeconds: 60,
    attributes: { enabled: true, windowHours: 24 },
    maxPaymentsPerKey: 1000,
    allowances: { tolerance: new Map(), brandAliases: new Map() },
    reportFileMode: 0o600,
    reportFormat: { delimiter: ';', decimalSeparator: '.' },
    deliverTo: [],
    logger: pino({ level: 'silent' }),
    progress: silentProgress,
    clock: () => Date.UTC(2026, 10, 20, 12),
    givenClock: undefined,
    random: () => 0.5,
    sleep: () => Promise.resolve(),
    signal: new AbortController().signal,
    threadStarted: () => undefined,
    ...changes,
  };
}
