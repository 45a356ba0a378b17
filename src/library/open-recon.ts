import path from 'node:path';
import { loadConfig, settingsToConfig } from '../config/load-config.js';
import type { ReconConfig } from '../config/recon-config.js';
import { readEnvironment } from '../config/environment.js';
import type { Sql, Tx } from '../db/client.js';
import { openDatabase, type Database } from '../db/connect.js';
import { inOwnTransaction } from '../db/transaction.js';
import { ReconError } from '../errors.js';
import { withdrawFile, type WithdrawnFile } from '../intake/withdraw-file.js';
import { createLogger, type Logger } from '../logger.js';
import { onSnapshot } from '../listings/listing.js';
import { explainRecord } from '../matching/explain/explain-record.js';
import { exportPayments, importPayments } from '../payment-core/index.js';
import { silentProgress } from '../progress.js';
import type { RunContext } from '../run/run-context.js';
import { checkArguments, checkOptions } from './check-options.js';
import { diffOf } from './diff.js';
import { guardOperations } from './guarded.js';
import { itemOperations } from './item-operations.js';
import { listOperations } from './list-operations.js';
import * as accepted from './operation-options.js';
import type { FileDecision, Interruptible, Recon, ReconOptions } from './recon.js';
import { dateInZone } from '../values/calendar-date.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';
import { databaseTarget, explainSettingsOf, runContextOf } from './run-context-of.js';
import { runOperations } from './run-operations.js';
import { streamingRows } from './stream-rows.js';

/**
 * Opens recon as a library (docs/library.md). The embedded database is created, migrated and started on first use; a
 * server must be migrated with `recon migrate`.
 *
 * @throws ReconError USAGE_INVALID, CONFIG_INVALID, CONFIG_UNREADABLE, or errors of the database
 */
export async function openRecon(options: ReconOptions = {}): Promise<Recon> {
  checkOptions('openRecon', accepted.openOptions, options);
  const cwd = options.cwd ?? process.cwd();
  const config = configOf(options, cwd);
  const logger = loggerOf(options, config);
  const database = await openDatabase(databaseTarget(config), { logger, applicationName: 'recon library' });
  return operationsOn(database, { config, logger, cwd, givenClock: options.clock });
}

interface Opened {
  readonly config: ReconConfig;
  readonly logger: Logger;
  readonly cwd: string;
  readonly givenClock: (() => number) | undefined;
}

function operationsOn(database: Database, { config, logger, cwd, givenClock }: Opened): Recon {
  const { sql } = database;
  const clock = givenClock ?? Date.now;
  const { guarded, closing, close } = guardOperations(database);
  const streamRows = streamingRows(guarded, closing);
  const contextFor = ({ signal = new AbortController().signal }: Interruptible): RunContext =>
    runContextOf(config, { database, logger, progress: silentProgress, signal, clock: givenClock });
  return {
    ...runOperations({ config, cwd, contextFor, guarded }),
    ...listOperations({ sql, config, guarded, streamRows }),
    ...itemOperations({ sql, config, clock, cwd, guarded, streamRows }),
    explain: (record) =>
      guarded('explain', async () => {
        checkArguments('explain', { record });
        const { timezone } = config;
        const viewOf = () => ({ asOf: dateInZone(clock(), timezone), timezone });
        const explain = (tx: Tx) => explainRecord(tx, record, explainSettingsOf(config, viewOf));
        return onSnapshot(sql, explain);
      }),
    diff: (before, after) =>
      guarded('diff', async () => {
        checkArguments('diff', { before, after });
        return diffOf(sql, before, after);
      }),
    importPayments: (file) =>
      guarded('importPayments', async () => {
        checkArguments('importPayments', { file });
        return importPayments(sql, path.resolve(cwd, file));
      }),
    exportPayments: (out) =>
      guarded('exportPayments', async () => {
        checkOptions('exportPayments', accepted.exportArguments, { out });
        return exportPayments(sql, out);
      }),
    withdrawFile: (file, decision) =>
      guarded('withdrawFile', async () => {
        checkArguments('withdrawFile', { file });
        checkOptions('withdrawFile', accepted.fileDecision, decision);
        return decideAboutFile({ sql, clock }, 'withdraw', file, decision);
      }),
    restoreFile: (file, decision) =>
      guarded('restoreFile', async () => {
        checkArguments('restoreFile', { file });
        checkOptions('restoreFile', accepted.fileDecision, decision);
        return decideAboutFile({ sql, clock }, 'restore', file, decision);
      }),
    close,
  };
}

function decideAboutFile(
  { sql, clock }: { readonly sql: Sql; readonly clock: () => number },
  kind: 'withdraw' | 'restore',
  file: string,
  { by, reason }: FileDecision,
): Promise<WithdrawnFile> {
  const decidedAt = new Date(clock()).toISOString();
  const author = maskCardNumbers(by);
  return inOwnTransaction(sql, (tx) => withdrawFile(tx, { kind, file, reason, author, decidedAt }));
}

function configOf({ settings, configFile, environment }: ReconOptions, cwd: string): ReconConfig {
  if (configFile === undefined) return settingsToConfig(settings ?? {}, cwd);
  if (settings !== undefined) {
    throw new ReconError('USAGE_INVALID', 'settings and configFile cannot be combined.');
  }
  return loadConfig(configFile, readEnvironment(environment ?? {}), cwd);
}

function loggerOf({ log }: ReconOptions, config: ReconConfig): Logger {
  const level = log === undefined ? 'silent' : config.logLevel;
  const logger = createLogger({ level, write: (line) => passQuietly(log, line) });
  for (const warning of config.warnings) logger.warn(warning);
  return logger;
}

/** The log belongs to the program: if it throws, the operation that it is about continues. */
function passQuietly(log: ReconOptions['log'], line: string): void {
  try {
    log?.(line);
  } catch {
    // There is no other place to report it.
  }
}
