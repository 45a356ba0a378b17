import { loadConfig } from '../config/load-config.js';
import type { ReconConfig } from '../config/recon-config.js';
import { maskConfig } from '../config/mask-config.js';
import { readEnvironment } from '../config/environment.js';
import { isCreated, openDatabase, type Database } from '../db/connect.js';
import { toReconError } from '../db/database-errors.js';
import { databaseTarget, runContextOf } from '../library/run-context-of.js';
import { createLogger, type Logger } from '../logger.js';
import { silentProgress, type Progress } from '../progress.js';
import { actorOption } from './command-arguments.js';
import type { CommandContext, GlobalOptions, Surroundings } from './command-context.js';
import { holdYoungGeneration, limitHeapGrowth } from './limit-heap-growth.js';
import { openOutput } from './open-output.js';
import { hasColours } from './text/paint.js';
import { terminalProgress } from './text/terminal-progress.js';

/**
 * The context of one command, the function that closes it, and the one that finds the cause of its failure, which must
 * be called before.
 *
 * @param given.config replaces file and environment; the demo has its own
 * @param given.closeOn closes the database
 */
export function openContext(
  surroundings: Surroundings,
  options: GlobalOptions,
  given: { readonly config?: ReconConfig; readonly closeOn?: AbortSignal | undefined } = {},
): { context: CommandContext; explain: (thrown: unknown) => Promise<unknown>; close: () => Promise<void> } {
  const { stderr, cwd, environment, signal, givenClock } = surroundings;
  const terminal = stderr.isTTY === true ? terminalProgress(stderr) : undefined;
  const config = once(() => given.config ?? loadConfig(options.config, readEnvironment(environment), cwd));
  const logger = once(() => openLogger(surroundings, options, config(), terminal?.writeAbove));
  const progress = (): Progress => (options.quiet ? silentProgress : (terminal ?? silentProgress));
  let opened: Promise<Database> | undefined;
  const database = () =>
    (opened ??= openDatabase(databaseTarget(config()), {
      logger: logger(),
      applicationName: 'recon',
      closeOn: given.closeOn,
    }));
  const context: CommandContext = {
    ...openOutput(surroundings, options),
    config,
    logger,
    progress,
    database,
    existingDatabase: async () => ((await isCreated(databaseTarget(config()))) ? database() : undefined),
    runContext: async () => {
      limitHeapGrowth();
      return runContextOf(config(), {
        database: await database(),
        logger: logger(),
        progress: progress(),
        signal,
        author: actorOption({}, environment),
        clock: givenClock,
        threadStarted: holdYoungGeneration,
      });
    },
  };
  // If the database failed to open, that was already reported.
  const openedDatabase = async () => opened?.catch(() => undefined);
  return {
    context,
    explain: async (thrown) => {
      const known = toReconError(thrown);
      return known === undefined ? thrown : ((await openedDatabase())?.explain(known) ?? known);
    },
    close: async () => (await openedDatabase())?.close(),
  };
}

function openLogger(
  { stderr }: Surroundings,
  options: GlobalOptions,
  config: ReconConfig,
  writeAbove: ((text: string) => void) | undefined,
): Logger {
  const logger = createLogger({
    level: options.logLevel ?? (options.quiet ? 'error' : config.logLevel),
    readable: stderr.isTTY === true,
    colour: hasColours(stderr),
    write: writeAbove ?? ((text) => stderr.write(text)),
  });
  for (const warning of config.warnings) logger.warn(warning);
  logger.debug({ config: maskConfig(config) }, 'configuration');
  return logger;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
