import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isDenied, systemCodeOf } from '../disk/disk-errors.js';
import type { ConfigDocument, SettingPath } from './config-document.js';

/** What completing a configuration needs from around it. */
export interface Surrounding {
  /** Relative paths in the file are meant from here: the folder of the file itself. */
  readonly folder: string;
  readonly problem: ConfigDocument['problem'];
  /** Notes a file that holds a secret, so that `recon doctor` can judge who may read it. */
  readonly noteSecret: (what: string, file: string) => void;
  /** Notes a secret that is written in the configuration itself, unless an environment variable gave it. */
  readonly noteInline: (what: string, value: string) => void;
  /** Worth knowing, but no reason to refuse the configuration. */
  readonly warn: (sentence: string) => void;
  /** False for a person who is about to find out which host key a server has. */
  readonly needsHostKeys: boolean;
}

/** Settings as they stand in the file, whether or not they are all valid. */
export type RawSettings = Readonly<Record<string, unknown>>;

/** `name` itself, or the content of the file that `nameFile` points at; both at once is a mistake. */
export function secretOf(
  settings: RawSettings,
  name: string,
  at: SettingPath,
  surrounding: Surrounding,
): string | null {
  const [value, file] = [settings[name], settings[`${name}File`]];
  if (value !== undefined && file !== undefined) {
    surrounding.problem([...at, `${name}File`], `${name} and ${name}File exclude each other`);
  }
  if (typeof value === 'string') {
    surrounding.noteInline(name, value);
    return value;
  }
  noteSecretFile(file, `${name}File`, surrounding);
  return readTextFile(file, [...at, `${name}File`], surrounding);
}

function noteSecretFile(file: unknown, setting: string, surrounding: Surrounding): void {
  if (typeof file === 'string' && file !== '') {
    surrounding.noteSecret(setting, path.resolve(surrounding.folder, file));
  }
}

/** The text of a file without its last line feed; null when no file is named, or when it cannot be used, which is reported as a problem. */
export function readTextFile(file: unknown, at: SettingPath, surrounding: Surrounding): string | null {
  if (typeof file !== 'string' || file === '') return null;
  try {
    const text = readFileSync(path.resolve(surrounding.folder, file), 'utf8').replace(/\r?\n$/, '');
    if (text === '') surrounding.problem(at, `the file ${file} is empty`);
    return text;
  } catch (thrown) {
    surrounding.problem(at, `${nameOf(file, thrown)} cannot be read${reason(thrown)}`);
    return null;
  }
}

/** What is no file may be the secret itself, put in the place of the path to it: only what is there is named. */
function nameOf(file: string, thrown: unknown): string {
  const code = systemCodeOf(thrown);
  return isDenied(thrown) || code === 'EISDIR' ? `the file ${file}` : 'the file that it names';
}

/** A private key that everybody may read is refused; one that the group may read causes a warning. */
export function readPrivateKey(file: unknown, at: SettingPath, surrounding: Surrounding): string | null {
  noteSecretFile(file, 'privateKeyFile', surrounding);
  const text = readTextFile(file, at, surrounding);
  if (text === null || typeof file !== 'string') return null;
  const { mode } = statSync(path.resolve(surrounding.folder, file));
  if ((mode & 0o027) !== 0) {
    surrounding.problem(at, `the private key ${file} may be read or changed by others; chmod 600 it`);
  } else if ((mode & 0o040) !== 0) {
    surrounding.warn(`The private key ${file} may be read by its group; chmod 600 it.`);
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
