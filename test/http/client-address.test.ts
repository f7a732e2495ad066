import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { addressBehind } from '../../src/http/limits/client-address.ts';

const CASES: readonly [
  name: string,
  proxies: readonly string[],
  from: string,
  forwarded: string,
  expected: string,
][] = [
  ['without proxies, what is told counts for nothing', [], '192.0.2.1', '203.0.113.9', '192.0.2.1'],
  ['a trusted address tells the client', ['192.0.2.1'], '192.0.2.1', '203.0.113.9', '203.0.113.9'],
  ['another address does not', ['192.0.2.1'], '192.0.2.2', '203.0.113.9', '192.0.2.2'],
  ['a network is trusted as a whole', ['192.0.2.0/24'], '192.0.2.77', '203.0.113.9', '203.0.113.9'],
  ['so is one of IPv6', ['2001:db8::/32'], '2001:db8::7', '2001:db9::1', '2001:db9::1'],
  ['names stand for networks', ['loopback'], '127.0.0.9', '203.0.113.9', '203.0.113.9'],
  ['of both kinds', ['loopback'], '::1', '203.0.113.9', '203.0.113.9'],
  [
    'a socket for both kinds writes IPv4 as IPv6',
    ['loopback'],
    '::ffff:127.0.0.1',
    '203.0.113.9',
    '203.0.113.9',
  ],
  [
    'each trusted proxy of a chain is passed',
    ['uniquelocal'],
    '10.0.0.1',
    '203.0.113.9, 192.168.1.1',
    '203.0.113.9',
  ],
  [
    'what the client itself claims is not believed',
    ['10.0.0.1'],
    '10.0.0.1',
    '10.0.0.1, 203.0.113.9',
    '203.0.113.9',
  ],
  ['a chain of trusted ones alone ends at the first', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.2', '10.0.0.2'],
  ['a proxy that tells nothing is the client', ['10.0.0.1'], '10.0.0.1', '', '10.0.0.1'],
  ['nonsense is nobody to trust', ['10.0.0.1'], '10.0.0.1', 'unknown', 'unknown'],
];

for (const [name, proxies, from, forwarded, expected] of CASES)
  test(name, () => {
    const headers = forwarded === '' ? {} : { 'x-forwarded-for': forwarded };
    const request = { socket: { remoteAddress: from }, headers } as unknown as IncomingMessage;
    assert.equal(addressBehind(proxies)(request), expected);
  });
