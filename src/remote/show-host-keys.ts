import type { ServerHostKeyAlgorithm } from 'ssh2';
import { askHostKey } from './connect-sftp.js';
import { nameSftpSource } from './sftp-login-errors.js';
import { fingerprintOfKey, judgeKey, readKnownHosts, typeOfKey } from './host-keys.js';
import { ReconError } from '../errors.js';
import type { SftpLogin } from './source-settings.js';

/** A host key that a server shows before any login. */
export interface ShownHostKey {
  readonly type: string;
  readonly fingerprint: string;
  /** The server signs with this key only over SHA-1; `allowSha1HostKeys` accepts that. */
  readonly sha1Only: boolean;
  /** Whether the configuration accepts it already. */
  readonly accepted: boolean;
}

/** Requested one by one, since a server shows one key per connection. */
const keyTypes: readonly ServerHostKeyAlgorithm[][] = [
  ['ssh-ed25519'],
  ['ecdsa-sha2-nistp256'],
  ['ecdsa-sha2-nistp384'],
  ['ecdsa-sha2-nistp521'],
  ['rsa-sha2-512', 'rsa-sha2-256'],
];

/**
 * Returns every host key of a server, for a person to compare. It does not log in and does not trust or store any key.
 *
 * @throws ReconError SOURCE_UNREACHABLE; SOURCE_HOST_KEY when the server shows none
 */
export async function showHostKeys(source: SftpLogin, signal: AbortSignal): Promise<ShownHostKey[]> {
  const where = nameSftpSource(source);
  // The file may not exist yet.
  const knownHosts =
    source.knownHostsFile === null
      ? null
      : await readKnownHosts(source.knownHostsFile, where).catch(() => null);
  const shown: ShownHostKey[] = [];
  const ask = async (algorithms: ServerHostKeyAlgorithm[], sha1Only = false) => {
    const key = await askHostKey(source, algorithms, signal);
    if (key === undefined) return;
    shown.push({
      type: typeOfKey(key),
      fingerprint: fingerprintOfKey(key),
      sha1Only,
      accepted: judgeKey(source, knownHosts, key) === undefined && (!sha1Only || source.allowSha1HostKeys),
    });
  };
  for (const algorithms of keyTypes) await ask(algorithms);
  if (!shown.some(({ type }) => type === 'ssh-rsa')) await ask(['ssh-rsa'], true);
  if (shown.length === 0) {
    throw new ReconError('SOURCE_HOST_KEY', `${where} shows no host key of a type that recon knows.`);
  }
  return shown;
}
