import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isDenied, systemCodeOf } from '../disk/disk-errors.js';
import type { ConfigDocument, SettingPath } from './config-document.js';

/** The context that is needed to complete a configuration. */
export interface Surrounding {
  /** The folder that relative paths refer to: that of the configuration file. */
  readonly folder: string;
  readonly problem: ConfigDocument['problem'];
  /** Records a file that contains a secret, so that `recon doctor` can check who may read it. */
  readonly noteSecret: (what: string, file: string) => void;
  /** Records that the configuration itself contains a secret that does not come from an environment variable. */
  readonly noteInline: (what: string, value: string) => void;
  /** Records a warning, which does not invalidate the configuration. */
  readonly warn: (sentence: string) => void;
  /** False if the command shows the host keys of a server. */
  readonly needsHostKeys: boolean;
}

/** Settings as written in the file, valid or not. */
export type RawSettings = Readonly<Record<string, unknown>>;

/** Whether a value is a group of settings. */
export function isGroup(value: unknown): value is RawSettings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as a group of settings; an empty one if it is something else, which is reported elsewhere. */
export const groupOf = (value: unknown): RawSettings => (isGroup(value) ? value : {});

/** `name` itself, or the content of the file that `nameFile` names; both together are a mistake. */
export function secretOf(
  settings: RawSettings,
  name: string,
  at: SettingPath,
  surrounding: Surrounding,
): string | null {
  const [value, file] = [settings[name], settings[`${name}File`]];
  if (value !== undefined && file !== undefined) {
    surrounding.problem([...at, `${name}File`], `${name} and ${name}File cannot both be set`);
  }
  if (typeof value === 'string') {
    surrounding.noteInline(name, value);
    return value;
  }
  noteSecretFile(file, `${name}File`, surrounding);
  return readTextFile(file, [...at, `${name}File`], surrounding);
}

/** Whether a file is named; the schema reports what is not a path. */
const isPath = (file: unknown): file is string => typeof file === 'string' && file.trim() !== '';

function noteSecretFile(file: unknown, setting: string, surrounding: Surrounding): void {
  if (isPath(file)) {
    surrounding.noteSecret(setting, path.resolve(surrounding.folder, file));
  }
}

/**
 * The text of a file without its byte order mark and its last line feed; null if no file is named, or if it cannot be
 * used, which is reported as a problem.
 */
export function readTextFile(file: unknown, at: SettingPath, surrounding: Surrounding): string | null {
  if (!isPath(file)) return null;
  try {
    const bytes = readFileSync(path.resolve(surrounding.folder, file));
    if (isOtherEncoding(bytes)) {
      surrounding.problem(at, `the file ${file} is not UTF-8 text; save it as UTF-8`);
      return null;
    }
    const text = bytes
      .toString('utf8')
      .replace(/^\ufeff/, '')
      .replace(/\r?\n$/, '');
    if (text === '') surrounding.problem(at, `the file ${file} is empty`);
    return text;
  } catch (thrown) {
    surrounding.problem(at, `${nameOf(file, thrown)} cannot be read${reason(thrown)}`);
    return null;
  }
}

/**
 * A password in another encoding would be sent with wrong letters, and each try may count towards a lock-out. The
 * remarks before a key or certificate may have any encoding.
 */
const isOtherEncoding = (bytes: Buffer) =>
  bytes.includes(0) || (!isUtf8(bytes) && !bytes.includes('-----BEGIN '));

/**
 * If the file does not exist, the text may be the secret itself instead of a path, so only existing files are named.
 */
function nameOf(file: string, thrown: unknown): string {
  const code = systemCodeOf(thrown);
  return isDenied(thrown) || code === 'EISDIR' ? `the file ${file}` : 'the file that it names';
}

/**
 * A private key that everybody can read is refused; one that the group can read causes a warning, unless it belongs to
 * another account: that is how a mounted secret reaches a process which is not root (`root:recon 0440`).
 */
export function readPrivateKey(file: unknown, at: SettingPath, surrounding: Surrounding): string | null {
  noteSecretFile(file, 'privateKeyFile', surrounding);
  const text = readTextFile(file, at, surrounding);
  if (text === null || typeof file !== 'string') return null;
  const { mode, uid } = statSync(path.resolve(surrounding.folder, file));
  if ((mode & 0o027) !== 0) {
    surrounding.problem(at, `the private key ${file} can be read or changed by others; run chmod 600 on it`);
  } else if ((mode & 0o040) !== 0 && uid === process.geteuid?.()) {
    surrounding.warn(`The private key ${file} can be read by its group; run chmod 600 on it.`);
  }
  return text;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: ': it does not exist',
  EACCES: ': no permission',
  EPERM: ': no permission',
  EISDIR: ': it is a folder',
};

/** Why a file cannot be read, to follow "cannot be read". */
export function reason(thrown: unknown): string {
  const code = systemCodeOf(thrown);
  return code === undefined ? '' : (reasons[code] ?? ` (${code})`);
}
