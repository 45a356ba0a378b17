import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { Options, PostgresType } from 'postgres';
import { causeOf } from '../../disk/disk-errors.js';

type Ssl = NonNullable<Options<Record<string, PostgresType>>['ssl']>;

/** How a connection is protected, in the driver's terms. */
export interface Protection {
  /** What is tried first; undefined (no TLS) for a local socket. */
  readonly ssl: Ssl | undefined;
  /** What is tried if the server refuses that; only `allow` and `prefer` have a second attempt. */
  readonly otherSsl?: Ssl;
}

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** The driver's name for TLS without a check of the certificate. */
const unchecked = 'require';

/** Why a URL cannot be used, as the rest of a sentence that begins with the name of its setting. */
export class UnusableUrl extends Error {}

/**
 * What `sslmode` and `sslrootcert` mean, as in libpq (PostgreSQL, 34.19): without a mode, TLS is used if the server
 * offers it; a local socket never uses TLS. Two things are stricter than libpq: an authority without a mode means
 * `verify-ca`, and `verify-full` without an authority trusts the authorities that come with Node, as
 * `sslrootcert=system` does.
 *
 * @throws UnusableUrl for a mode that does not exist, or whose authority is missing or cannot be read
 */
export function protectionOf(
  host: string | undefined,
  mode: string | undefined,
  authorityFile: string | undefined,
): Protection {
  if (mode !== undefined && !modes.includes(mode)) {
    throw new UnusableUrl(`has an unknown sslmode; it must be one of ${modes.join(', ')}`);
  }
  if (host?.startsWith('/') === true) return { ssl: undefined };
  if (authorityFile === 'system' && mode !== undefined && mode !== 'verify-full') {
    throw new UnusableUrl(
      `has sslmode=${mode}, which is too weak for sslrootcert=system: anybody can get a certificate from a public authority. Use sslmode=verify-full`,
    );
  }
  const isPublic = authorityFile === undefined || authorityFile === 'system';
  const ca = isPublic ? {} : { ca: readAuthority(authorityFile) };
  switch (mode ?? (authorityFile === undefined ? 'prefer' : isPublic ? 'verify-full' : 'verify-ca')) {
    case 'disable':
      return { ssl: false };
    case 'allow':
      return { ssl: false, otherSsl: unchecked };
    case 'prefer':
      return { ssl: 'prefer', otherSsl: false };
    case 'require':
      return { ssl: isPublic ? unchecked : { ...ca, checkServerIdentity: () => undefined } };
    case 'verify-ca':
      if (isPublic) {
        throw new UnusableUrl('has sslmode=verify-ca, which needs sslrootcert=FILE, the authority to trust');
      }
      return { ssl: { ...ca, checkServerIdentity: () => undefined } };
    default:
      return { ssl: { ...ca, checkServerIdentity: identityOf(host ?? 'localhost') } };
  }
}

/** For an IP address, Node would compare the certificate with `localhost`; for a list of hosts it passes each name. */
function identityOf(host: string): (name: string, certificate: PeerCertificate) => Error | undefined {
  return (name, certificate) => checkServerIdentity(isIP(host) === 0 ? name : host, certificate);
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new UnusableUrl(`names the sslrootcert ${file}, which cannot be read: ${causeOf(thrown)}`);
  }
}
