import { isIPv6 } from 'node:net';

/** Groups of an IPv6 address that belong to a single subscriber. */
const NETWORK_GROUPS = 4;

/** What stands for the client at an address: an IPv4 address, or the whole network that one gets with IPv6. */
export function addressKey(address: string): string {
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
