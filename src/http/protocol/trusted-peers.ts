import { BlockList, isIP } from 'node:net';
import { anyProxy } from '../../config/http-schema.js';
import { ReconError } from '../../errors.js';

/** Whether an address may connect without TLS: this machine, and the proxies that the configuration names. */
export type IsTrusted = (address: string) => boolean;

/**
 * @param proxies addresses and networks, such as `10.0.0.0/8`
 * @throws ReconError CONFIG_INVALID for a text that is neither
 */
export function trustedPeers(proxies: readonly string[]): IsTrusted {
  if (proxies.includes(anyProxy)) return () => true;
  // Node calls every list of addresses a block list.
  const list = new BlockList();
  list.addSubnet('127.0.0.0', 8, 'ipv4');
  list.addAddress('::1', 'ipv6');
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    const most = family === 'ipv4' ? 32 : 128;
    const prefix = bits === undefined ? most : Number(bits);
    if (isIP(address) === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > most) {
      throw new ReconError(
        'CONFIG_INVALID',
        `http.trustProxy: "${proxy}" is not an address or a network such as 10.0.0.0/8.`,
      );
    }
    list.addSubnet(address, prefix, family);
  }
  // A proxy sends many requests.
  const known = new Map<string, boolean>();
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    if (known.size >= mostKnown) known.clear();
    const isTrusted = isListed(list, address);
    known.set(address, isTrusted);
    return isTrusted;
  };
}

/** Addresses whose answer is remembered. */
const mostKnown = 1000;

function isListed(list: BlockList, address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  return isIP(plain) !== 0 && list.check(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6');
}
