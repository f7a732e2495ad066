import { isIPv6 } from 'node:net';

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
