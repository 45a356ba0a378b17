import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { canonicalHost } from '../values/host-name.js';
import { isPublicAddress } from './public-address.js';
import type { AllowedHosts } from './webhook-url.js';

/** Finds the addresses of a name, as the system does. */
export type Resolver = (host: string) => Promise<readonly LookupAddress[]>;

/** The resolver of the operating system, which also reads the hosts file. */
export const systemResolver: Resolver = (host) =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true, verbatim: true }, (failure, addresses) => {
      if (failure === null) resolve(addresses);
      else reject(failure);
    });
  });

/** A connection to a private or link-local address that `webhooks.allowHosts` does not permit (design 10). */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';

  constructor(host: string, address: string) {
    super(
      isIP(host) === 0
        ? `${host} has the private address ${address}, and is not in webhooks.allowHosts`
        : `${host} is a private address, and is not in webhooks.allowHosts`,
    );
  }
}

/**
 * The look-up of a connection. The addresses that it passes on are those that are connected to, so a name cannot have
 * one address when it is checked and another when it is used. One private address among several refuses them all.
 */
export function guardedLookup(allowed: AllowedHosts, resolve: Resolver): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const refused = allowed.has(canonicalHost(host) ?? host)
          ? undefined
          : addresses.find(({ address }) => !isPublicAddress(address));
        const [first] = addresses;
        if (refused !== undefined) callback(new PrivateAddressError(host, refused.address), '', 0);
        else if (first === undefined) callback(notFound(host), '', 0);
        else if (options.all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (thrown: unknown) => {
        callback(thrown instanceof Error ? thrown : notFound(host), '', 0);
      },
    );
  };
}

function notFound(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
}
