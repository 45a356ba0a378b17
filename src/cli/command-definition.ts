import type { CommandContext, OutputContext } from './command-context.js';
import type { Options } from './command-arguments.js';

/** The function of a command's module: does the work and returns the exit code. */
export type RunCommand = (
  context: CommandContext,
  args: readonly string[],
  options: Options,
) => Promise<number>;

/** The function of a command that only prints, which may be about all commands. */
export type PrintCommand = (
  context: OutputContext,
  args: readonly string[],
  options: Options,
  commands: readonly CommandDefinition[],
) => Promise<number>;

/** A command as data; its module is loaded when it is called, so that `--help` is fast. */
export type CommandDefinition = CommandDescription &
  (
    | { readonly load: () => Promise<RunCommand> }
    /** Called without configuration and database, which take 300 ms to load (measured). */
    | { readonly loadPrinter: () => Promise<PrintCommand> }
  );

/** What help, completion and the manual page say about a command. */
export interface CommandDescription {
  /** Name and arguments, `payments import <file>`. */
  readonly name: string;
  readonly summary: string;
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** Options that may be given several times. */
  readonly repeatable?: readonly string[];
  /** Options for which an empty value means something. */
  readonly mayBeEmpty?: readonly string[];
  /**
   * Whether the command itself stops at a safe point after a signal. For the others, the program closes the database
   * and ends (`end-after-signal.ts`).
   */
  readonly stopsAtSafePoint?: true;
  /** Exit codes besides 0, 2 and those of signals. */
  readonly exitCodes: readonly number[];
  /** What some of these mean for this command, where the general sentence is about runs. */
  readonly exitMeanings?: Readonly<Record<number, string>>;
  readonly examples: readonly string[];
}
