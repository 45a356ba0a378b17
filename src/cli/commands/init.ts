import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { exampleConfig } from '../../config/example-config.js';
import { defaultConfigFile } from '../../config/load-config.js';
import { ReconError, messageOf } from '../../errors.js';
import type { RunCommand } from '../program.js';

export const init: RunCommand = (context, _args, options) => {
  const file = path.resolve(context.cwd, context.options.config ?? defaultConfigFile);
  try {
    writeFileSync(file, exampleConfig, { flag: options['force'] === true ? 'w' : 'wx', mode: 0o640 });
  } catch (thrown) {
    const exists = (thrown as NodeJS.ErrnoException).code === 'EEXIST';
    throw new ReconError(
      exists ? 'USAGE_INVALID' : 'DISK_FAILED',
      exists
        ? `${file} is there already; --force replaces it.`
        : `${file} cannot be written: ${messageOf(thrown)}`,
      { cause: thrown },
    );
  }
  context.print({ file }, () => `Wrote ${file}. Edit it, then check it with: recon doctor`);
  return Promise.resolve(0);
};
