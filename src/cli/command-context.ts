import type { Writable } from 'node:stream';
import type { Logger } from 'pino';
import type { ReconConfig } from '../config/load-config.js';
import type { Database } from '../db/connect.js';
import type { RunContext } from '../run/run-context.js';

/** The surroundings of the program, given by `main.ts` or by a test. */
export interface Surroundings {
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Options that every command takes. */
export interface GlobalOptions {
  readonly config: string | null;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly logLevel: string | null;
}

/** What a command works with. Opening is lazy: a command that needs no database starts none. */
export interface CommandContext extends Surroundings {
  readonly options: GlobalOptions;
  /** Reads and checks the configuration (once). */
  config(): ReconConfig;
  logger(): Logger;
  /** Opens the configured database (once); it is closed when the command ends. */
  database(): Promise<Database>;
  /** Everything a run needs. */
  runContext(): Promise<RunContext>;
  /** One JSON document with --json, else what `readable` says. */
  print(document: unknown, readable: () => string): void;
  /** A line for people: nothing with --json or --quiet. */
  tell(line: string): void;
}
