import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { loadConfig, type ReconConfig } from '../config/load-config.js';
import { readEnvironment } from '../config/environment.js';
import { openDatabase, type Database } from '../db/connect.js';
import { createLogger } from '../logger.js';
import { silentProgress } from '../progress.js';
import type { CommandContext, GlobalOptions, Surroundings } from './command-context.js';
import { terminalProgress } from './terminal-progress.js';

/** The context of one command, and how to end it. */
export function openContext(
  surroundings: Surroundings,
  options: GlobalOptions,
  overrides: Partial<ReconConfig> = {},
): { context: CommandContext; close(): Promise<void> } {
  let config: ReconConfig | undefined;
  let logger: Logger | undefined;
  let database: Promise<Database> | undefined;
  const { stdout, stderr, cwd, signal } = surroundings;
  const context: CommandContext = {
    ...surroundings,
    options,
    config: () => (config ??= { ...loadConfig(options.config, readEnvironment(), cwd), ...overrides }),
    logger: () =>
      (logger ??= createLogger({
        level: options.logLevel ?? (options.quiet ? 'error' : context.config().logLevel),
        readable: stderr.isTTY === true,
      })),
    database: () =>
      (database ??= openDatabase(targetOf(context.config()), {
        logger: context.logger(),
        applicationName: 'recon',
      })),
    runContext: async () => {
      const { dataDirectory, sources, timezone, settlementDueDays, lookbackDays, attributes } =
        context.config();
      return {
        database: await context.database(),
        dataDirectory,
        sources,
        timezone,
        settlementDueDays,
        lookbackDays,
        attributes,
        logger: context.logger(),
        progress: stderr.isTTY === true && !options.quiet ? terminalProgress(stderr) : silentProgress,
        clock: Date.now,
        random: Math.random,
        sleep: async (ms: number) => {
          await sleep(ms, undefined, { signal });
        },
        signal,
      };
    },
    print: (document, readable) => {
      if (options.json) stdout.write(`${JSON.stringify(document, null, 2)}\n`);
      else if (!options.quiet) stdout.write(`${readable()}\n`);
    },
    tell: (line) => {
      if (!options.json && !options.quiet) stdout.write(`${line}\n`);
    },
  };
  return {
    context,
    close: async () => {
      await (await database?.catch(() => undefined))?.close();
    },
  };
}

export function targetOf(config: ReconConfig) {
  return config.databaseUrl === null ? { dataDirectory: config.dataDirectory } : { url: config.databaseUrl };
}
