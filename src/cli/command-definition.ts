import type { CommandContext } from './command-context.js';
import type { Options } from './command-arguments.js';

/** The function of a command's module: does the work and returns the exit code. */
export type RunCommand = (
  context: CommandContext,
  args: readonly string[],
  options: Options,
) => Promise<number>;

/** A command as data; its module is loaded when it is called, so that `--help` is fast. */
export interface CommandDefinition {
  /** Name and arguments, `payments import <file>`. */
  readonly name: string;
  readonly summary: string;
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** Options that may be given several times. */
  readonly repeatable?: readonly string[];
  /** Exit codes besides 0, 2 and those of signals. */
  readonly exitCodes: readonly number[];
  readonly examples: readonly string[];
  readonly load: () => Promise<RunCommand>;
}
