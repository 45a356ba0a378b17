import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { exampleConfig, exampleInbox } from '../../config/example-config.js';
import { defaultConfigFile } from '../../config/load-config.js';
import { isOccupied, toDiskError } from '../../disk/disk-errors.js';
import { exitCodes } from '../../errors.js';
import { isGiven, usageError } from '../command-arguments.js';
import type { RunCommand } from '../commands.js';
import { printable } from '../printable.js';

/** Writes the example, and the folder that its one source reads, so that it works as it is. */
export const init: RunCommand = (context, _args, options) => {
  const file = path.resolve(context.cwd, context.options.config ?? defaultConfigFile);
  const inbox = path.resolve(path.dirname(file), exampleInbox);
  try {
    writeFileSync(file, exampleConfig, { flag: isGiven(options, 'force') ? 'w' : 'wx', mode: 0o640 });
    mkdirSync(inbox, { recursive: true });
  } catch (thrown) {
    if (isOccupied(thrown)) throw usageError(`${file} is there already; --force replaces it.`);
    throw toDiskError(`write ${file}`, thrown) ?? thrown;
  }
  context.print({ file, inbox }, () =>
    [
      `Wrote ${printable(file)}; its one source reads ${printable(inbox)}.`,
      'Next: edit it, check it with `recon doctor`, and run it with `recon run`.',
    ].join('\n'),
  );
  return Promise.resolve(exitCodes.done);
};
