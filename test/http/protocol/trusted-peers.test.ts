import { expect, test } from 'vitest';
import { trustedPeers } from '../../../src/http/protocol/trusted-peers.js';

test.each([
  [[], '127.0.0.1', true],
  [[], '::ffff:127.0.0.1', true],
  [[], '::1', true],
  [[], '10.0.0.1', false],
  [['10.0.0.0/8'], '10.255.0.1', true],
  [['10.0.0.0/8'], '::ffff:10.0.0.1', true],
  [['10.0.0.0/8'], '11.0.0.1', false],
  [['fd00::/8'], 'fd12::1', true],
  [['192.0.2.7'], '192.0.2.8', false],
  [['*'], '203.0.113.1', true],
  [['10.0.0.0/8'], '', false],
])('with the proxies %j, %s may connect without TLS: %s', (proxies, address, expected) => {
  expect(trustedPeers(proxies)(address)).toBe(expected);
});
