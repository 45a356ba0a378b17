import { createHmac, timingSafeEqual } from 'node:crypto';
import { globToPattern } from './file-names.js';

/** What a known_hosts file says about a key that a host offers. */
export type KnownHostVerdict = 'trusted' | 'changed' | 'revoked' | 'unknown';

interface Entry {
  readonly marker: string | null;
  readonly hosts: string;
  readonly keyType: string;
  readonly key: Buffer;
}

/**
 * Looks a host's key up in the text of a known_hosts file (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT): plain,
 * wildcard, negated and hashed names, `[host]:port`, and `@revoked`. A `@cert-authority` line vouches for
 * certificates, which are not looked at here, so it says nothing.
 */
export function judgeHostKey(
  knownHosts: string,
  host: string,
  port: number,
  offered: Buffer,
): KnownHostVerdict {
  const name = port === 22 ? host : `[${host}]:${port}`;
  const entries = parseKnownHosts(knownHosts).filter((entry) => matchesHost(entry.hosts, name));
  const isOffered = (entry: Entry) => entry.key.equals(offered);
  if (entries.some((entry) => entry.marker === '@revoked' && isOffered(entry))) return 'revoked';
  const plain = entries.filter((entry) => entry.marker === null);
  if (plain.some(isOffered)) return 'trusted';
  return plain.length === 0 ? 'unknown' : 'changed';
}

function parseKnownHosts(text: string): Entry[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const marker = fields[0]?.startsWith('@') === true ? (fields.shift() ?? null) : null;
    const [hosts, keyType, key] = fields;
    if (hosts === undefined || hosts.startsWith('#') || keyType === undefined || key === undefined) return [];
    return [{ marker, hosts, keyType, key: Buffer.from(key, 'base64') }];
  });
}

function matchesHost(patterns: string, name: string): boolean {
  if (patterns.startsWith('|1|')) return matchesHash(patterns, name);
  let matched = false;
  for (const pattern of patterns.split(',')) {
    const negated = pattern.startsWith('!');
    if (!globToPattern(negated ? pattern.slice(1) : pattern).test(name)) continue;
    if (negated) return false;
    matched = true;
  }
  return matched;
}

function matchesHash(hashed: string, name: string): boolean {
  const [, , salt = '', digest = ''] = hashed.split('|');
  const expected = Buffer.from(digest, 'base64');
  const actual = createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest();
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
