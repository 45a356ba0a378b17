import { exitCodes } from '../../errors.js';
import { suggestion } from '../../values/closest-name.js';
import { usageError } from '../command-arguments.js';
import type { PrintCommand } from '../command-definition.js';
import { bashCompletion } from '../completion/bash.js';
import { completedCommands, type CompletedCommand } from '../completion/completed-commands.js';
import { fishCompletion } from '../completion/fish.js';
import { shells, type Shell } from '../completion/option-values.js';
import { zshCompletion } from '../completion/zsh.js';

const writers: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Prints a script that is made from the data of the commands, so it knows every command and option. */
export const completion: PrintCommand = (context, [given = ''], _options, commands) => {
  const shell = shells.find((each) => each === given);
  if (shell === undefined) {
    throw usageError(
      `The shell must be one of ${shells.join(', ')}; "${given}" is not${suggestion(given, shells)}.`,
    );
  }
  const script = writers[shell](completedCommands(commands));
  context.printResult({ shell, script }, script.trimEnd());
  return Promise.resolve(exitCodes.done);
};
