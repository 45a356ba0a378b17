import type { Writable } from 'node:stream';
import type { Logger } from 'pino';
import type { EnvironmentVariables } from '../config/environment.js';
import type { ReconConfig } from '../config/recon-config.js';
import type { Database } from '../db/connect.js';
import type { Progress } from '../progress.js';
import type { RunContext } from '../run/run-context.js';

/** A stream that people or programs read; only those of the process know whether they are a terminal. */
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly hasColors?: () => boolean;
};

/** The environment of the program, passed by `main.ts` or by a test. */
export interface Surroundings {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly cwd: string;
  readonly environment: EnvironmentVariables;
  /** Aborted on a signal, with an `Interrupted` as its reason. */
  readonly signal: AbortSignal;
  /** For tests: see `RunContext`. */
  readonly givenClock?: (() => number) | undefined;
}

/** Options that every command takes. */
export interface GlobalOptions {
  readonly config: string | null;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly logLevel: string | null;
}

/** What a command needs that only prints. */
export interface OutputContext extends Surroundings {
  readonly options: GlobalOptions;
  /**
   * Prints one JSON document with --json, else the text of `readable`. With --quiet it prints only the problems, each
   * as one line on standard error: cron mails what a command prints, whatever its exit code is.
   *
   * @param problems why the exit code is not 0
   */
  print(document: unknown, readable: (paint: Paint) => string, problems?: readonly string[]): void;
  /**
   * Prints one JSON document with --json, else the text, with --quiet too: what a command only writes, such as a script
   * for a shell, or what is never shown again, such as a new token.
   */
  printResult(document: unknown, text: string): void;
  /** Prints a line for people; nothing with --json or --quiet. */
  printLine(line: string): void;
}

/** What a command works with. Everything is opened on first use, so `init` does not start a database. */
export interface CommandContext extends OutputContext {
  /** Reads and checks the configuration. */
  readonly config: () => ReconConfig;
  readonly logger: () => Logger;
  readonly progress: () => Progress;
  /** Opens the configured database; it is closed when the command ends. */
  readonly database: () => Promise<Database>;
  /** The same for a command that only reads; undefined if it is the embedded one and was never created. */
  readonly existingDatabase: () => Promise<Database | undefined>;
  /** Everything a run needs. */
  readonly runContext: () => Promise<RunContext>;
}

/** Colours a word by its meaning on a terminal; returns it unchanged elsewhere. */
export type Tone = 'good' | 'bad' | 'doubtful' | 'strong' | 'faint';
/** Puts the escape sequences of a colour around a text, or returns it as it is. */
export type Paint = (tone: Tone, text: string) => string;
