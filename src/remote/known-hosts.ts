import { createHmac, timingSafeEqual } from 'node:crypto';
import { matchesGlob } from './file-names.js';

/** What a known_hosts file says about a key that a host offers. */
export type KnownHostVerdict = 'trusted' | 'changed' | 'revoked' | 'unknown';

interface Entry {
  readonly marker: string | null;
  readonly hosts: string;
  readonly keyType: string;
  readonly key: Buffer;
  /** Counted from 1. */
  readonly line: number;
}

/**
 * Looks a host's key up in the text of a known_hosts file (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT): plain,
 * wildcard, negated and hashed names, `[host]:port`, and `@revoked`. A `@cert-authority` line applies to
 * certificates, which are not checked here, so it is ignored.
 *
 * As ssh does, a key that is known for the host without its port is accepted when nothing is known for the
 * host with its port.
 */
export function judgeHostKey(
  knownHosts: string,
  host: string,
  port: number,
  offered: Buffer,
): KnownHostVerdict {
  const entries = parseKnownHosts(knownHosts);
  const exact = entries.filter((entry) => matchesHost(entry.hosts, lookupName(host, port)));
  const portless = entries.filter((entry) => matchesHost(entry.hosts, host.toLowerCase()));
  const isOffered = (entry: Entry) => entry.key.equals(offered);
  const isRevoked = (entry: Entry) => entry.marker === '@revoked' && isOffered(entry);
  if (exact.some(isRevoked) || portless.some(isRevoked)) return 'revoked';
  const known = exact.filter((entry) => entry.marker === null);
  if (known.some(isOffered)) return 'trusted';
  if (known.length > 0) return 'changed';
  return portless.some((entry) => entry.marker === null && isOffered(entry)) ? 'trusted' : 'unknown';
}

/**
 * The types of the keys that are known for a host. A server has keys of several types and shows the one that is
 * requested first: requesting a type other than the known one would look like a changed key.
 */
export function knownKeyTypes(knownHosts: string, host: string, port: number): string[] {
  return [...new Set(knownHostKeys(knownHosts, host, port).map(({ keyType }) => keyType))];
}

/** The keys that are known for a host, with or without its port. */
export function knownHostKeys(
  knownHosts: string,
  host: string,
  port: number,
): readonly Pick<Entry, 'keyType' | 'key' | 'line'>[] {
  const names = [lookupName(host, port), host.toLowerCase()];
  return parseKnownHosts(knownHosts).filter(
    // A truncated key is not a key.
    ({ marker, hosts, key }) =>
      marker === null && key.length > 4 && names.some((name) => matchesHost(hosts, name)),
  );
}

/** A host as known_hosts files spell it: the usual port is left out. */
const lookupName = (host: string, port: number) =>
  port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;

function parseKnownHosts(text: string): Entry[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const fields = line.trim().split(/\s+/);
    const marker = fields[0]?.startsWith('@') === true ? (fields.shift() ?? null) : null;
    const [hosts, keyType, key] = fields;
    if (hosts === undefined || hosts.startsWith('#') || keyType === undefined || key === undefined) return [];
    return [{ marker, hosts, keyType, key: Buffer.from(key, 'base64'), line: index + 1 }];
  });
}

function matchesHost(patterns: string, name: string): boolean {
  if (patterns.startsWith('|')) return patterns.startsWith('|1|') && matchesHash(patterns, name);
  let matched = false;
  for (const pattern of patterns.toLowerCase().split(',')) {
    const negated = pattern.startsWith('!');
    if (!matchesGlob(negated ? pattern.slice(1) : pattern, name)) continue;
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
