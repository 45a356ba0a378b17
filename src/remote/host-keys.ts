import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServerHostKeyAlgorithm } from 'ssh2';
import { causeOf } from '../disk/disk-errors.js';
import { ReconError } from '../errors.js';
import { judgeHostKey, knownHostKeys, knownKeyTypes } from './known-hosts.js';
import type { SftpLogin } from './source-settings.js';

/** A host key that a server presented and that is not accepted. */
export interface HostKeyRefusal {
  readonly fingerprint: string;
  readonly keyType: string;
  readonly why: string;
  /** Whether no other key of the server could change the verdict. */
  readonly isFinal: boolean;
}

/** Key types in families: a server has one key of each, and shows the first one requested. */
function keyFamilies(source: SftpLogin): readonly (readonly ServerHostKeyAlgorithm[])[] {
  return [
    ['ssh-ed25519'],
    ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
    // `ssh-rsa` is the same RSA key with signatures over SHA-1, for which collisions can be bought.
    ['rsa-sha2-512', 'rsa-sha2-256', ...(source.allowSha1HostKeys ? (['ssh-rsa'] as const) : [])],
  ];
}

/** The key types to ask for, one list per connection. */
export function hostKeyOrders(source: SftpLogin, knownHosts: string | null): ServerHostKeyAlgorithm[][] {
  const families = keyFamilies(source);
  const known = new Set(knownHosts === null ? [] : knownKeyTypes(knownHosts, source.host, source.port));
  // An RSA key is `ssh-rsa` in known_hosts, whatever hash its signatures use.
  const isKnown = (family: readonly string[]) =>
    family.some((type) => known.has(type.startsWith('rsa-') ? 'ssh-rsa' : type));
  const first = [...families].sort((a, b) => Number(isKnown(b)) - Number(isKnown(a))).flat();
  return source.hostKeys.length === 0 ? [first] : [first, ...families.map((family) => [...family])];
}

/** @throws ReconError SOURCE_HOST_KEY when it cannot be read: without it no host is known */
export async function readKnownHosts(file: string, where: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    const message = `The known_hosts file ${file} of ${where} cannot be read: ${causeOf(thrown)}.`;
    throw new ReconError('SOURCE_HOST_KEY', message, { cause: thrown });
  }
}

/** `SHA256:…`, as `ssh-keygen -lf` prints it. */
export function fingerprintOfKey(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** A key begins with the name of its type (RFC 4253, 6.6). */
export function typeOfKey(key: Buffer): string {
  return key.subarray(4, 4 + key.readUInt32BE(0)).toString('latin1');
}

/** Why the offered key is not accepted; undefined when it is. */
export function judgeKey(
  source: SftpLogin,
  knownHosts: string | null,
  key: Buffer,
): HostKeyRefusal | undefined {
  const fingerprint = fingerprintOfKey(key);
  const refuse = (why: string, isFinal: boolean) => ({ fingerprint, keyType: typeOfKey(key), why, isFinal });
  const file = source.knownHostsFile ?? 'the known_hosts file';
  const known = knownHosts === null ? null : judgeHostKey(knownHosts, source.host, source.port, key);
  if (known === 'revoked') return refuse(`which ${file} marks as revoked`, true);
  if (source.hostKeys.some((pinned) => pinned.replace(/=+$/, '') === fingerprint)) return undefined;
  const isPinned = source.hostKeys.length > 0;
  switch (known) {
    case 'trusted':
      return undefined;
    case 'changed':
      return refuse(`which differs from the key in ${file}`, !isPinned);
    case 'unknown':
      return refuse(`and ${file} does not know the host`, !isPinned);
    case null:
      return refuse('and no host key is configured', !isPinned);
  }
}

/** The error when no key of a server was accepted; it lists the expected keys. */
export function hostKeyError(
  where: string,
  source: SftpLogin,
  knownHosts: string | null,
  refused: readonly HostKeyRefusal[],
): ReconError {
  const last = refused.find(({ isFinal }) => isFinal) ?? refused[0];
  const offered = refused.map(({ fingerprint, keyType }) => `${fingerprint} (${keyType})`).join(', ');
  const why =
    source.hostKeys.length > 0 && last?.isFinal !== true
      ? `pinned is ${source.hostKeys.join(', ')}`
      : (last?.why ?? 'which is unknown');
  const expected = (knownHosts === null ? [] : knownHostKeys(knownHosts, source.host, source.port))
    .map(({ line, key }) => `${fingerprintOfKey(key)} (${typeOfKey(key)}, line ${line})`)
    .join(', ');
  const inFile = expected === '' ? '' : `; ${source.knownHostsFile ?? 'known_hosts'} has ${expected}`;
  return new ReconError(
    'SOURCE_HOST_KEY',
    `${where} offers the host key ${offered}, ${why}${inFile}. recon did not log in and fetched nothing.`,
  );
}
