/** What a host cannot contain; `new URL` would read it as a port, a path, a user or a query. */
const notOfHost = /[\s/\\?#@*:]/;

/** An address of IPv6, as far as its characters say. */
const likeIPv6 = /^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$/;

/**
 * A host in the one form in which hosts can be compared: as `new URL` writes it (small letters, international names in
 * ASCII, IPv4 with four numbers), without the brackets of IPv6 and without the dot that ends a complete name.
 *
 * @returns undefined if it is not the name or the address of a host
 */
export function canonicalHost(text: string): string | undefined {
  const address = text.replace(/^\[(.*)\]$/, '$1');
  const isAddress = likeIPv6.test(address);
  if (!isAddress && notOfHost.test(text)) return undefined;
  const url = `http://${isAddress ? `[${address}]` : text}/`;
  if (!URL.canParse(url)) return undefined;
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return host === '' || host.endsWith('.') ? undefined : host;
}

/** Whether a host, as `canonicalHost` writes it, can only be this machine. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
