import path from 'node:path';
import { loadConfig, settingsToConfig } from '../config/load-config.js';
import type { ReconConfig } from '../config/recon-config.js';
import { readEnvironment } from '../config/environment.js';
import type { Sql } from '../db/client.js';
import { openDatabase, type Database } from '../db/connect.js';
import { toReconError } from '../db/database-errors.js';
import { inOwnTransaction } from '../db/transaction.js';
import { ReconError } from '../errors.js';
import { withdrawFile, type WithdrawnFile } from '../intake/withdraw-file.js';
import { createLogger, type Logger } from '../logger.js';
import { discrepancyList } from '../listings/list-discrepancies.js';
import { fileList } from '../listings/list-files.js';
import { runList } from '../listings/list-runs.js';
import { collect } from '../listings/listing.js';
import { explainRecord } from '../matching/explain-record.js';
import { exportPayments, importPayments } from '../payment-core/index.js';
import { silentProgress } from '../progress.js';
import { purge, todayOf, type Purged } from '../retention/purge.js';
import { purgeAfterRun } from '../retention/purge-after-run.js';
import { rerunRange } from '../run/rerun-range.js';
import { requireSources } from '../run/require-sources.js';
import { runReconciliation } from '../run/run-reconciliation.js';
import type { RunContext } from '../run/run-context.js';
import { writeReports } from '../run/write-reports.js';
import { isCalendarDate, type CalendarDate } from '../values/calendar-date.js';
import { diffOf } from './diff.js';
import { itemOperations } from './item-operations.js';
import type { DiscrepanciesFilter, FileDecision, Interruptible, PurgeOptions, Recon } from './recon.js';
import { databaseTarget, explainSettingsOf, runContextOf } from './run-context-of.js';
import type { ReconSettings } from './settings.js';
import { runId } from '../values/ids.js';

/** How to open recon in a program. Nothing is read from the environment of the process unless it is given. */
export interface ReconOptions {
  /** The settings; exclusive with `configFile`. Without either, the defaults apply. */
  readonly settings?: ReconSettings;
  /** A configuration file as the command line reads it. */
  readonly configFile?: string;
  /** For `configFile`: variables for `${NAME}`, and RECON_DATABASE_URL and RECON_DATA_DIR. Default none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths refer to. Default: the current folder of the process. */
  readonly cwd?: string;
  /** Receives each log entry as a line of JSON, at the configured level. Without it nothing is logged. */
  readonly log?: (line: string) => void;
  /** Milliseconds since the epoch; default the system's clock. */
  readonly clock?: () => number;
}

/**
 * Opens recon as a library (docs/library.md). The embedded database is created, migrated and started on first use; a
 * server must be migrated with `recon migrate`.
 *
 * @throws ReconError CONFIG_INVALID, CONFIG_UNREADABLE, or errors of the database
 */
export async function openRecon(options: ReconOptions = {}): Promise<Recon> {
  const cwd = options.cwd ?? process.cwd();
  const config = configOf(options, cwd);
  const logger = loggerOf(options, config);
  const database = await openDatabase(databaseTarget(config), { logger, applicationName: 'recon library' });
  return operationsOn(database, { config, logger, cwd, clock: options.clock ?? Date.now });
}

interface Opened {
  readonly config: ReconConfig;
  readonly logger: Logger;
  readonly cwd: string;
  readonly clock: () => number;
}

function operationsOn(database: Database, { config, logger, cwd, clock }: Opened): Recon {
  const { sql } = database;
  const { guarded, close } = guardOperations(database);
  const contextFor = ({ signal = new AbortController().signal }: Interruptible): RunContext =>
    runContextOf(config, { database, logger, progress: silentProgress, signal, clock });
  const absolute = (file: string) => path.resolve(cwd, file);
  const items = itemOperations({ sql, config, clock, dateOf });
  return {
    run: (request = {}) =>
      guarded(async () => {
        const files = (request.files ?? []).map(absolute);
        if (files.length === 0) requireSources(config.sources, request.sources ?? []);
        const context = contextFor(request);
        const outcome = await runReconciliation(context, {
          sources: request.sources ?? null,
          files,
          asOf: dateOf('asOf', request.asOf),
          dryRun: request.dryRun ?? false,
        });
        if (request.dryRun !== true) await purgeAfterRun(context, config.retention, outcome);
        return outcome;
      }),
    rerun: (request) =>
      guarded(async () =>
        rerunRange(contextFor(request), {
          ...rangeOf(request),
          fetch: request.fetch ?? false,
          asOf: dateOf('asOf', request.asOf),
          dryRun: request.dryRun ?? false,
        }),
      ),
    report: (request = {}) =>
      guarded(async () =>
        writeReports(
          contextFor(request),
          'from' in request ? rangeOf(request) : { runId: runIdOf(request.runId) },
        ),
      ),
    purge: (request = {}) => guarded(async () => purgeNow(contextFor(request), config, request)),
    explain: (record) =>
      guarded(() =>
        inOwnTransaction(
          sql,
          (tx) => explainRecord(tx, record, explainSettingsOf(config)),
          'isolation level repeatable read read only',
        ),
      ),
    diff: (before, after) => guarded(() => diffOf(sql, before, after)),
    importPayments: (file) => guarded(() => importPayments(sql, absolute(file))),
    exportPayments: (out) => guarded(() => exportPayments(sql, out)),
    withdrawFile: (file, decision) => guarded(() => aboutFile(sql, clock, 'withdraw', file, decision)),
    restoreFile: (file, decision) => guarded(() => aboutFile(sql, clock, 'restore', file, decision)),
    runs: ({ status = null, limit = null } = {}) => guarded(() => collect(sql, runList({ status }), limit)),
    files: ({ status = null, source = null, runId, limit = null } = {}) =>
      guarded(() => collect(sql, fileList({ status, source, runId: runIdOf(runId) }), limit)),
    discrepancies: ({ limit = null, ...filter } = {}) =>
      guarded(async () => collect(sql, discrepanciesOf(filter, config), limit)),
    items: (filter) => guarded(async () => items.items(filter)),
    patterns: (request) => guarded(async () => items.patterns(request)),
    decide: (request) => guarded(async () => items.decide(request)),
    decideSheet: (file, request) => guarded(async () => items.decideSheet(absolute(file), request)),
    close,
  };
}

function purgeNow(
  context: RunContext,
  { retention: policy }: ReconConfig,
  { asOf, dryRun = false }: PurgeOptions,
): Promise<Purged> {
  const today = todayOf(context);
  const day = dateOf('asOf', asOf) ?? today;
  if (day > today && !dryRun) {
    throw new ReconError('USAGE_INVALID', `asOf ${day} is later than today, ${today}: that needs dryRun.`);
  }
  return purge(context, { policy, asOf: day, dryRun });
}

function discrepanciesOf(filter: Omit<DiscrepanciesFilter, 'limit'>, { timezone }: ReconConfig) {
  return discrepancyList({
    code: filter.code ?? null,
    severity: filter.severity ?? null,
    from: dateOf('from', filter.from),
    to: dateOf('to', filter.to),
    timezone,
    runId: runIdOf(filter.runId),
    withResolved: filter.withResolved ?? false,
  });
}

const runIdOf = (given: number | undefined) => (given === undefined ? null : runId(given));

async function aboutFile(
  sql: Sql,
  clock: () => number,
  kind: 'withdraw' | 'restore',
  file: string,
  { by, reason }: FileDecision,
): Promise<WithdrawnFile> {
  if (by.trim() === '' || reason.trim() === '') {
    throw new ReconError('USAGE_INVALID', 'A decision about a file needs by and reason.');
  }
  const decidedAt = new Date(clock()).toISOString();
  return inOwnTransaction(sql, (tx) => withdrawFile(tx, { kind, file, reason, author: by, decidedAt }));
}

/** Refuses operations after `close`, lets `close` wait for those in progress, and gives every failure a code. */
function guardOperations(database: Database) {
  const active = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closed !== undefined) throw new ReconError('USAGE_INVALID', 'recon was closed; open it again.');
    const operation = work().catch((thrown: unknown) => {
      const known = toReconError(thrown);
      throw known === undefined ? thrown : database.explain(known);
    });
    active.add(operation);
    try {
      return await operation;
    } finally {
      active.delete(operation);
    }
  };
  const close = () =>
    (closed ??= (async () => {
      await Promise.allSettled(active);
      await database.close();
    })());
  return { guarded, close };
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
  const logger = createLogger({ level, write: log ?? (() => undefined) });
  for (const warning of config.warnings) logger.warn(warning);
  return logger;
}

function dateOf(name: string, text: string | undefined): CalendarDate | null {
  if (text === undefined) return null;
  if (isCalendarDate(text)) return text;
  throw new ReconError(
    'USAGE_INVALID',
    `${name} must be a day from 1900 to 2099, written as 2026-11-19; "${text}" is not.`,
  );
}

function rangeOf({ from, to }: { readonly from: string; readonly to: string }) {
  const range = { from: dateOf('from', from) ?? from, to: dateOf('to', to) ?? to };
  if (range.from > range.to) throw new ReconError('USAGE_INVALID', 'from must not be later than to.');
  return range;
}
