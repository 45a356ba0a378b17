import { statSync } from 'node:fs';
import path from 'node:path';
import { ReconError, type ErrorCode } from '../errors.js';

/** An error of the operating system; every failed file operation of Node throws one. */
export type SystemError = NodeJS.ErrnoException & {
  readonly code: string;
  readonly syscall: string;
  /** The second path of a rename or link. */
  readonly dest?: string;
};

/** The system error that was thrown; undefined for anything else. */
export function systemErrorOf(thrown: unknown): SystemError | undefined {
  return isSystemError(thrown) ? thrown : undefined;
}

/** The code of the system error that was thrown, such as `ENOENT`; undefined for anything else. */
export function systemCodeOf(thrown: unknown): string | undefined {
  return systemErrorOf(thrown)?.code;
}

function isSystemError(thrown: unknown): thrown is SystemError {
  return (
    thrown instanceof Error &&
    'code' in thrown &&
    typeof thrown.code === 'string' &&
    'syscall' in thrown &&
    typeof thrown.syscall === 'string'
  );
}

/** Whether the file or folder does not exist. */
export function isMissing(thrown: unknown): boolean {
  return systemCodeOf(thrown) === 'ENOENT';
}

/** Whether the account that recon runs as lacks a permission. */
export function isDenied(thrown: unknown): boolean {
  const code = systemCodeOf(thrown);
  return code === 'EACCES' || code === 'EPERM';
}

/** Whether a file or folder of that name already exists. */
export function isOccupied(thrown: unknown): boolean {
  const code = systemCodeOf(thrown);
  return code === 'EEXIST' || code === 'ENOTEMPTY';
}

/** Every error code of a local file system. Codes of network connections are not included. */
const causes: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  EIO: 'the disk reported an error',
  EMFILE: 'too many open files; raise the limit, for instance with ulimit -n',
  ENFILE: 'the whole system has too many open files',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file or folder with that name already exists',
  ENOTEMPTY: 'the folder is not empty',
  EXDEV: 'the two paths are on different disks',
  EBUSY: 'it is in use',
  EFBIG: 'the file is too large for the file system',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'there are too many symbolic links, or one where none is allowed',
  EMLINK: 'the folder has too many entries',
  EINVAL: 'the file system refuses the operation',
  ENOTSUP: 'the file system does not support the operation',
  EOPNOTSUPP: 'the file system does not support the operation',
  ENODEV: 'the device is not there',
  ENXIO: 'the device is not there',
  ESTALE: 'the network file system has lost the file',
};

/** Failures that are not `DISK_FAILED`. */
const reconCodes: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: 'DISK_FULL',
  EDQUOT: 'DISK_FULL',
  EMFILE: 'LIMIT_REACHED',
  ENFILE: 'LIMIT_REACHED',
};

/** What a system error means, with its code: `permission denied (EACCES)`. */
export function causeOf(thrown: unknown): string {
  const code = systemCodeOf(thrown);
  if (code === undefined) return 'unknown error';
  return `${causes[code] ?? 'error'} (${code})`;
}

/**
 * Runs a step on the local disk. Its failure ends the run with exit code 6, because the next file would fail in
 * the same way.
 *
 * @param what what the step does, to follow "could not": `store settlement.csv`
 * @param kept a sentence about what the failure left intact
 * @throws ReconError DISK_FULL, DISK_FAILED, LIMIT_REACHED; anything else that `work` throws is passed on
 */
export async function onDisk<T>(what: string, work: () => Promise<T>, kept?: string): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw toDiskError(what, thrown, kept) ?? thrown;
  }
}

/** A failure of the local disk as an error for people; undefined for any other failure. */
export function toDiskError(what: string, thrown: unknown, kept?: string): ReconError | undefined {
  const error = systemErrorOf(thrown);
  if (error === undefined || !(error.code in causes)) return undefined;
  const sentences = [
    `Could not ${what}: ${describe(error)}.`,
    ...(isDenied(error) ? whoMay(error) : []),
    ...(kept === undefined ? [] : [kept]),
  ];
  return new ReconError(reconCodes[error.code] ?? 'DISK_FAILED', sentences.join(' '), { cause: thrown });
}

function describe(error: SystemError): string {
  const places = [error.path, error.dest].filter((place) => place !== undefined && place !== '');
  const where = places.length === 0 ? '' : `: ${places.join(' -> ')}`;
  return `${whatIsWrongHere(error) ?? causes[error.code] ?? ''} (${error.code}${where})`;
}

/** For "it does not exist" and "already exists", a look at the path says what the person has to correct. */
function whatIsWrongHere(error: SystemError): string | undefined {
  const places = [error.path, error.dest].flatMap((place) => (place ? [path.resolve(place)] : []));
  if (error.code === 'EEXIST' && error.syscall === 'mkdir' && places.some((at) => kindOf(at) === 'other')) {
    return 'there is a file of that name, and not a folder';
  }
  if (error.code !== 'ENOENT') return undefined;
  const folder = places.map(missingFolderAbove).find((missing) => missing !== undefined);
  return folder === undefined ? undefined : `the folder ${folder} does not exist`;
}

/** The first folder of the path that does not exist; undefined if only its last part may be missing. */
function missingFolderAbove(place: string): string | undefined {
  let missing = place;
  while (missing !== path.dirname(missing) && kindOf(path.dirname(missing)) === undefined) {
    missing = path.dirname(missing);
  }
  return missing === place ? undefined : missing;
}

/** Undefined if it does not exist or cannot be seen. */
function kindOf(at: string): 'folder' | 'other' | undefined {
  try {
    return statSync(at).isDirectory() ? 'folder' : 'other';
  } catch {
    return undefined;
  }
}

/** These need a permission on the folder, not on the file that they name. */
const changesFolder = new Set(['mkdir', 'mkdtemp', 'rmdir', 'unlink', 'rename', 'link', 'symlink', 'rm']);

/** The account that runs recon and the owner of the file or folder: this makes a refusal easy to correct. */
function whoMay(error: SystemError): string[] {
  const account = process.geteuid?.();
  if (account === undefined || error.path === undefined || error.path === '') return [];
  const file = path.resolve(error.path);
  let at = changesFolder.has(error.syscall) ? path.dirname(file) : file;
  for (;;) {
    const owner = ownerOf(at);
    if (owner !== undefined) return [`recon runs as user ${account}; ${at} belongs to ${owner}.`];
    if (at === path.dirname(at)) return [];
    at = path.dirname(at);
  }
}

/** Undefined if it does not exist or cannot be seen: then the folder above it matters. */
function ownerOf(at: string): string | undefined {
  try {
    const { uid, mode } = statSync(at);
    return `user ${uid} (mode ${(mode & 0o7777).toString(8).padStart(4, '0')})`;
  } catch {
    return undefined;
  }
}
