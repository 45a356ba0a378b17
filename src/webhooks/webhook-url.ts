import { isIP } from 'node:net';
import { canonicalHost } from '../values/host-name.js';
import { isPublicAddress } from './public-address.js';

/** Names of hosts that may have a private address, and may be reached without TLS (`webhooks.allowHosts`). */
export type AllowedHosts = ReadonlySet<string>;

/** @param names as the configuration has them, which was checked */
export function allowedHosts(names: readonly string[]): AllowedHosts {
  return new Set(names.map((name) => canonicalHost(name) ?? name));
}

/** The host of a URL in the form in which it is compared with `webhooks.allowHosts`. */
export function hostOf(url: URL): string {
  return canonicalHost(url.hostname) ?? url.hostname;
}

/**
 * Why a URL may not receive notifications, as the end of a sentence that begins with it; null when it may. The
 * addresses of a name are judged when it is connected to, because they change.
 */
export function urlProblem(text: string, allowed: AllowedHosts): string | null {
  if (!URL.canParse(text)) return 'is not a URL such as https://shop.example/notifications';
  const url = new URL(text);
  const host = hostOf(url);
  const isAllowed = allowed.has(host);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.protocol === 'http:' && !isAllowed) {
    return `must begin with https://; only hosts in webhooks.allowHosts may receive notifications without TLS`;
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not contain a user name or password; the signature of a notification shows who sent it';
  }
  if (isIP(host) !== 0 && !isAllowed && !isPublicAddress(host)) {
    return `has the private address ${host}; add it to webhooks.allowHosts if it is meant`;
  }
  return null;
}
