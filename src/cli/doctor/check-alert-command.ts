import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { causeOf, isMissing } from '../../disk/disk-errors.js';
import { ReconError } from '../../errors.js';

interface Search {
  /** PATH, as the program will have it. */
  readonly searchPath: string;
  /** Of the setting in the configuration. */
  readonly place: string | null;
}

/**
 * Whether the program of `alerts.command` is there and can be executed. It is looked up as for an alert: with a slash
 * it is a path from the current folder, without one it is in a folder of PATH. It is not started.
 *
 * @throws ReconError CONFIG_INVALID
 */
export async function checkAlertCommand(
  [program = '']: readonly string[],
  { searchPath, place }: Search,
): Promise<string> {
  const isPath = program.includes('/');
  const candidates = isPath
    ? [path.resolve(program)]
    : searchPath.split(':').map((folder) => path.resolve(folder, program));
  let problem: string | undefined;
  for (const candidate of candidates) {
    const why = await whyNotExecutable(candidate);
    if (why === null) return `${candidate} can be executed; recon alerts test sends a test alert to it`;
    // A program of that name that cannot be executed says more than that the other folders have none.
    problem ??= why;
  }
  const nowhere = isPath ? 'does not exist' : `is in no folder of PATH (${searchPath})`;
  const where = place === null ? '' : `${place} `;
  throw new ReconError('CONFIG_INVALID', `${where}alerts.command: ${problem ?? `${program} ${nowhere}`}.`);
}

/** @returns null if it can be executed, undefined if it does not exist */
async function whyNotExecutable(file: string): Promise<string | null | undefined> {
  try {
    if (!(await stat(file)).isFile()) return `${file} is not a program`;
    await access(file, constants.X_OK);
    return null;
  } catch (thrown) {
    return isMissing(thrown) ? undefined : `${file} cannot be executed: ${causeOf(thrown)}`;
  }
}
