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

/** An IPv6 subscriber gets a whole /64 network: the first four groups of an address. */
const NETWORK_GROUPS = 4;

/** The key by which requests of a client are counted: its IPv4 address, or its IPv6 network. */
export function clientKey(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const tailGroups = tail ? tail.split(':') : [];
  if (tail !== undefined)
    groups.push(...Array(8 - groups.length - tailGroups.length).fill('0'), ...tailGroups);
  return groups.slice(0, NETWORK_GROUPS).join(':');
}

/**
 * The key of health checks from an address. A balancer is then answered in an overload, whatever else comes from its
 * address, and a crowd of health checks waits for itself.
 */
export function healthCheckKey(address: string): string {
  return `health checks of ${clientKey(address)}`;
}
