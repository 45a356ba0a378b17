import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Nothing may ever be written here: this folder is where the variables of a stranger's shell point. */
const trap = path.join(tmpdir(), `recon-trap-${process.pid}`);

/**
 * The environment of every test process: what the shell of an operator may hold. A test that read it would
 * use a database that nobody can reach, a configuration that is not there and a folder that is looked at
 * when all tests have run. So each run of the tests proves that no test reads the environment of its shell.
 */
export const hostileEnvironment: Readonly<Record<string, string>> = {
  RECON_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  RECON_DATA_DIR: path.join(trap, 'data'),
  RECON_CONFIG: path.join(trap, 'recon.config.yaml'),
};

/** @throws when something was written where the hostile variables point */
export function assertNothingWritten(): void {
  if (!existsSync(trap)) return;
  // vitest reports an error of a teardown and ends with 0 all the same.
  process.exitCode = 1;
  throw new Error(`A test read the environment of its shell: ${trap} was written.`);
}
