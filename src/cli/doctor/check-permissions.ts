import path from 'node:path';
import type { ReconConfig } from '../../config/recon-config.js';
import { onDisk } from '../../disk/disk-errors.js';
import { statIfThere } from '../../disk/unless-missing.js';
import { ReconError } from '../../errors.js';

/** A permission of a file or folder that is too wide. */
interface Finding {
  /** True if another account can read a secret or change files that recon relies on; otherwise it is only a note. */
  readonly isWrong: boolean;
  readonly sentence: string;
}

/**
 * Which other accounts may read secret files, or write to the folders that recon relies on, with the chmod to run. It
 * is wrong if everybody can read a secret, if anybody except its owner can change it, or if everybody can write to a
 * folder. A group that may read a secret, or write to a folder, is only a note: `root:recon 0640` is a common mode for
 * a secret.
 *
 * @throws ReconError DISK_FAILED with every finding, when one of them is wrong
 */
export async function checkPermissions(config: ReconConfig): Promise<string> {
  const secrets = config.secretFiles.map(({ what, file }) =>
    look(file, (mode) => judgeSecretFile(what, file, mode)),
  );
  const folders = [...foldersOf(config)].map((folder) => look(folder, (mode) => judgeFolder(folder, mode)));
  const findings = (await Promise.all([...secrets, ...folders])).filter((found) => found !== undefined);
  // A configuration that contains two passwords is one file to correct.
  const text = [...new Set(findings.map(({ sentence }) => sentence))].join('\n');
  if (findings.some(({ isWrong }) => isWrong)) throw new ReconError('DISK_FAILED', text);
  return findings.length > 0 ? text : 'secret files and the data folder are closed to others';
}

/** The folders that recon relies on: an account that can write to a folder can replace the files in it. */
function foldersOf({ dataDirectory, secretFiles }: ReconConfig): Set<string> {
  const below = ['archive', 'incoming', 'reports'].map((name) => path.join(dataDirectory, name));
  return new Set([dataDirectory, ...below, ...secretFiles.map(({ file }) => path.dirname(file))]);
}

/** A file that does not exist is not open to others. */
async function look(
  file: string,
  judge: (mode: number) => Finding | undefined,
): Promise<Finding | undefined> {
  const found = await onDisk(`look at ${file}`, () => statIfThere(file));
  return found === undefined ? undefined : judge(found.mode);
}

/** What the mode of a secret file lets others do. Pure. */
export function judgeSecretFile(what: string, file: string, mode: number): Finding | undefined {
  if ((mode & 0o066) === 0) return undefined;
  const isWrong = (mode & 0o026) !== 0;
  const rights = [...((mode & 0o044) === 0 ? [] : ['read']), ...((mode & 0o022) === 0 ? [] : ['changed'])];
  const who = (mode & 0o006) === 0 ? 'its group' : 'other accounts';
  return {
    isWrong,
    sentence: `${file} (${what}) can be ${rights.join(' and ')} by ${who}: chmod 600 ${quoted(file)}`,
  };
}

/** Whether others may replace files in a folder. With the sticky bit (as in /tmp) they may not. Pure. */
export function judgeFolder(folder: string, mode: number): Finding | undefined {
  if ((mode & 0o022) === 0 || (mode & 0o1000) !== 0) return undefined;
  const everybody = (mode & 0o002) !== 0;
  const who = everybody ? 'other accounts' : 'its group';
  return {
    // A group with write permission is common: a volume in a container, or a system where each account has a private
    // group.
    isWrong: everybody,
    sentence: `${folder} can be written to by ${who}: chmod go-w ${quoted(folder)}`,
  };
}

/** Quoted for a shell. */
function quoted(file: string): string {
  return /^[\w@%+=:,./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}
