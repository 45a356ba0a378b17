import type { Command } from 'commander';
import { ReconError } from '../errors.js';

/**
 * Refuses an empty argument, or an option with an empty value: in a shell, a variable that is not set gives one. As a
 * path it would name the current folder.
 *
 * @throws ReconError USAGE_INVALID
 */
export function requireFilled(command: Command): void {
  const named = command.registeredArguments;
  for (const [index, given] of command.args.entries()) {
    // The last one may stand for several.
    const name = (named[index] ?? named.at(-1))?.name() ?? 'argument';
    if (given === '') throw isEmpty(name.toUpperCase());
  }
  const options = command.optsWithGlobals<Record<string, unknown>>();
  for (const option of command.options) {
    const value = options[option.attributeName()];
    if (value === '' || (Array.isArray(value) && value.includes('')))
      throw isEmpty(option.long ?? option.flags);
  }
}

function isEmpty(name: string): ReconError {
  return new ReconError('USAGE_INVALID', `${name} must not be empty.`);
}
