import { rm } from 'node:fs/promises';
import path from 'node:path';
import { exampleConfig } from '../../config/example-config.js';
import { exampleInbox } from '../../config/example-sources.js';
import { readEnvironment } from '../../config/environment.js';
import { defaultConfigFile } from '../../config/load-config.js';
import { isOccupied, onDisk } from '../../disk/disk-errors.js';
import { replaceFile } from '../../disk/durable.js';
import { createTextFile, makeFolder } from '../../disk/private-files.js';
import { exitCodes } from '../../errors.js';
import { isGiven, usageError } from '../command-arguments.js';
import type { RunCommand } from '../command-definition.js';
import { printable } from '../text/printable.js';

/**
 * Writes the example, and the folder that its one source reads, so that it works as it is. Only the owner can read
 * them, because the file may contain passwords and the folder settlement files.
 */
export const init: RunCommand = async (context, _args, options) => {
  const { configFile } = readEnvironment(context.environment);
  const file = path.resolve(context.cwd, context.options.config ?? configFile ?? defaultConfigFile);
  const inbox = path.resolve(path.dirname(file), exampleInbox);
  await onDisk(`write ${file}`, () => (isGiven(options, 'force') ? replaceConfig(file) : createConfig(file)));
  await onDisk(`create ${inbox}`, () => makeFolder(inbox, { owner: 'account' }));
  context.print({ file, inbox }, () =>
    [
      `Wrote ${printable(file)}; its one source reads ${printable(inbox)}.`,
      'Next: edit it, check it with `recon doctor`, and run it with `recon run`.',
    ].join('\n'),
  );
  return exitCodes.done;
};

async function createConfig(file: string): Promise<void> {
  try {
    await writeExample(file);
  } catch (thrown) {
    if (isOccupied(thrown)) throw usageError(`${file} already exists; --force replaces it.`);
    throw thrown;
  }
}

async function replaceConfig(file: string): Promise<void> {
  const written = `${file}.partial`;
  await rm(written, { force: true });
  await writeExample(written);
  await replaceFile(written, file);
}

async function writeExample(file: string): Promise<void> {
  await createTextFile(file, exampleConfig, { owner: 'account' });
}
