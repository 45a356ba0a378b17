import path from 'node:path';
import type { SftpLogin } from '../remote/source-settings.js';
import { closestName } from '../values/closest-name.js';
import type { SettingPath } from './config-document.js';
import { readPrivateKey, secretOf, type RawSettings, type Surrounding } from './read-secret.js';

/** The secrets of a login over SFTP; null where none is set, or where it cannot be read. */
export type SftpSecrets = Pick<SftpLogin, 'password' | 'privateKey' | 'passphrase'>;

/**
 * Whether one of these settings was written, or something that is probably meant to be it: a misspelt name is already
 * reported, and also reporting the intended setting as missing would be confusing.
 */
export const isWritten = (entry: RawSettings, ...names: string[]): boolean =>
  Object.keys(entry).some((key) => names.includes(key) || names.includes(closestName(key, names) ?? ''));

/**
 * Reads the secrets of a login over SFTP, and requires one of them and host keys.
 *
 * @param what who needs them: `an sftp source`
 */
export function readSftpSecrets(
  entry: RawSettings,
  what: string,
  at: SettingPath,
  surrounding: Surrounding,
): SftpSecrets {
  const { problem } = surrounding;
  if (!isWritten(entry, 'password', 'passwordFile', 'privateKeyFile')) {
    problem(at, `${what} needs passwordFile, password or privateKeyFile`);
  }
  const hasHostKeys =
    isWritten(entry, 'hostKeys', 'knownHostsFile') &&
    !isEmptyList(entry['hostKeys'], entry['knownHostsFile']);
  if (surrounding.needsHostKeys && !hasHostKeys) {
    problem(
      at,
      `${what} needs hostKeys or knownHostsFile: a host key is never accepted unchecked; recon doctor --show-host-key ${nameOf(entry)} shows the fingerprint to verify`,
    );
  }
  return {
    password: secretOf(entry, 'password', at, surrounding),
    privateKey: readPrivateKey(entry['privateKeyFile'], [...at, 'privateKeyFile'], surrounding),
    passphrase: secretOf(entry, 'passphrase', at, surrounding),
  };
}

/** The known_hosts file of a login, absolute; null if none is set. */
export const knownHostsOf = (file: string | undefined, folder: string): string | null =>
  file === undefined ? null : path.resolve(folder, file);

const nameOf = (entry: RawSettings) =>
  typeof entry['name'] === 'string' && /^[\w-]{1,64}$/.test(entry['name']) ? entry['name'] : 'NAME';

function isEmptyList(hostKeys: unknown, knownHostsFile: unknown): boolean {
  return knownHostsFile === undefined && Array.isArray(hostKeys) && hostKeys.length === 0;
}
