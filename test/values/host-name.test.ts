import { expect, test } from 'vitest';
import { canonicalHost, isLoopbackHost } from '../../src/values/host-name.js';

test.each([
  ['Example.ORG.', 'example.org'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['10.1', '10.0.0.1'],
  ['[::1]', '::1'],
  ['2001:DB8::0:1', '2001:db8::1'],
  ['::ffff:10.0.0.1', '::ffff:a00:1'],
  ['', undefined],
  ['.', undefined],
  ['example..', undefined],
  ['example.org:8090', undefined],
  ['kim@example.org', undefined],
  ['example.org\\path', undefined],
  ['example.org/path', undefined],
  ['example.org?query', undefined],
  ['example.org#part', undefined],
  ['*.example.org', undefined],
  ['exa mple.org', undefined],
  ['[example.org]', undefined],
  ['1:2:3', undefined],
])('the host %j is compared as %j', (given, host) => {
  expect(canonicalHost(given)).toBe(host);
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.8.0.1', true],
  ['::1', true],
  ['127.example.org', false],
  ['127.0.0.1.example.org', false],
  ['localhost.example.org', false],
  ['10.0.0.1', false],
  ['', false],
])('whether the host %j is this machine: %j', (host, is) => {
  expect(isLoopbackHost(host)).toBe(is);
});
