/** The address of the client, as reported by trusted proxies. */

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** What `--trust-proxy` takes besides addresses and networks. */
export const NAMED_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

export type AddressOf = (request: IncomingMessage) => string;

/** `proxies` are addresses, networks such as 10.0.0.0/8, or names of networks. */
export function addressBehind(proxies: readonly string[]): AddressOf {
  if (proxies.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const trusted = new BlockList();
  for (const network of proxies.flatMap((proxy) => NAMED_NETWORKS[proxy] ?? proxy)) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

  // Each proxy appends the address that its request came from. Only addresses appended by trusted proxies are believed.
  return ({ socket, headers }) => {
    const told = String(headers['x-forwarded-for'] ?? '').split(',');
    let address = socket.remoteAddress ?? '';
    while (isTrusted(address)) {
      const before = told.pop()?.trim();
      if (!before) break;
      address = before;
    }
    return address;
  };
}
