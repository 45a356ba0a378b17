import type { Command, Option } from 'commander';
import { ReconError } from '../errors.js';

/**
 * Refuses an argument, or a value of an option, that is empty or blank: in a shell, a variable that is not set gives
 * one. As a path it would name the current folder, and as a filter it would choose every item.
 *
 * @param mayBeEmpty the options for which an empty value means something
 * @throws ReconError USAGE_INVALID
 */
export function requireFilled(command: Command, mayBeEmpty: readonly string[] = []): void {
  const named = command.registeredArguments;
  for (const [index, given] of command.args.entries()) {
    // The last one may stand for several.
    const name = (named[index] ?? named.at(-1))?.name() ?? 'argument';
    if (isBlank(given)) throw isEmpty(name.toUpperCase());
  }
  const options = command.optsWithGlobals<Record<string, unknown>>();
  for (const option of command.options) {
    const name = option.long ?? option.flags;
    const value = options[option.attributeName()];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (values.some(isBlank) && !mayBeEmpty.includes(name)) throw isEmpty(name);
  }
}

/**
 * Refuses an option as the value of the one before it, as in `--reason --dry-run`: the library takes it as the reason,
 * and the decision would be stored.
 *
 * @param args the command line
 * @throws ReconError USAGE_INVALID
 */
export function refuseOptionAsValue(command: Command, args: readonly string[]): void {
  const known = optionsOf(command);
  const isOption = (text: string) =>
    known.some(({ long }) => long !== undefined && (long === text || text.startsWith(`${long}=`)));
  for (const [index, given] of args.entries()) {
    if (given === '--') return;
    const value = args[index + 1] ?? '';
    if (!isOption(value) || !known.some(({ long, required }) => required && long === given)) continue;
    throw new ReconError(
      'USAGE_INVALID',
      `${given} needs a value, and ${value} is an option. If it is the value, write ${given}=${value}`,
    );
  }
}

/** Those of the command and of everything above it, because they may stand anywhere. */
function optionsOf(command: Command): readonly Option[] {
  return [...command.options, ...(command.parent === null ? [] : optionsOf(command.parent))];
}

const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === '';

function isEmpty(name: string): ReconError {
  return new ReconError('USAGE_INVALID', `${name} must not be empty.`);
}
