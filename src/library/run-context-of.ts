import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Archive } from '../archive/archive.js';
import type { ReconConfig } from '../config/recon-config.js';
import { maskConfig } from '../config/mask-config.js';
import type { Database, DatabaseTarget } from '../db/connect.js';
import type { ItemView } from '../items/item-rows.js';
import { readItemStandings } from '../items/item-standings.js';
import type { ExplainSettings } from '../matching/explain/explanation.js';
import type { Logger } from '../logger.js';
import type { Progress } from '../progress.js';
import type { RunContext } from '../run/run-context.js';

/** What a run needs in addition to its configuration. */
export interface RunSurroundings {
  readonly database: Database;
  readonly logger: Logger;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Who starts runs, for the audit log; default: `recon`. */
  readonly author?: string;
  /** Milliseconds since the epoch, instead of the clocks of this machine and of the database server. */
  readonly clock?: (() => number) | undefined;
  /** See `RunContext`; default: does nothing. */
  readonly threadStarted?: () => void;
}

/** Unless configured: one thread reads the files, so more would wait for it. Each has a connection. */
const mostFilesAtOnce = 4;

/** How many files a process loads at once, unless it is configured. */
export const usualFilesAtOnce = () => Math.min(availableParallelism(), mostFilesAtOnce);

/** The context of a run: the same for the command line and for a program that embeds recon. */
export function runContextOf(config: ReconConfig, surroundings: RunSurroundings): RunContext {
  const { dataDirectory, sources, timezone, settlementDueDays, lookbackDays, largeFileBytes } = config;
  const { matching, reports } = config;
  const { database, logger, progress, signal, clock: givenClock, author = 'recon' } = surroundings;
  const { threadStarted = () => undefined } = surroundings;
  return {
    author,
    settings: maskConfig(config),
    database,
    dataDirectory,
    archive: new Archive(dataDirectory, config.archive),
    sources,
    timezone,
    settlementDueDays,
    lookbackDays,
    largeFileBytes,
    filesAtOnce: config.intake.filesAtOnce ?? usualFilesAtOnce(),
    leaseSeconds: config.worker.leaseSeconds,
    attributes: matching.attributes,
    maxPaymentsPerKey: matching.maxPaymentsPerKey,
    allowances: { tolerance: matching.tolerance, brandAliases: matching.brandAliases },
    reportFileMode: reports.fileMode,
    reportFormat: reports,
    deliverTo: reports.deliverTo,
    logger,
    progress,
    clock: givenClock ?? Date.now,
    givenClock,
    random: Math.random,
    sleep: async (ms: number) => {
      await sleep(ms, undefined, { signal });
    },
    signal,
    threadStarted,
  };
}

/**
 * What an explanation takes from the configuration, the same as a run, and from the decisions of people.
 *
 * @param viewOf the day on which waits may be over
 */
export function explainSettingsOf(
  { matching, timezone }: ReconConfig,
  viewOf: () => ItemView,
): ExplainSettings {
  return {
    attributes: matching.attributes,
    maxPaymentsPerKey: matching.maxPaymentsPerKey,
    allowances: { brandAliases: matching.brandAliases },
    timezone,
    standingsOf: (tx, ids) => readItemStandings(tx, viewOf(), ids),
  };
}

/** The configured server, or the embedded one of the data directory. */
export function databaseTarget(config: ReconConfig): DatabaseTarget {
  return config.databaseUrl === null ? { dataDirectory: config.dataDirectory } : { url: config.databaseUrl };
}
