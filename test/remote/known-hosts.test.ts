import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { judgeHostKey, knownKeyTypes } from '../../src/remote/known-hosts.js';

/** A key of the given type, as it is written in a file and as a server offers it. */
function keyOf(type: string, seed: number) {
  const name = Buffer.from(type);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(name.length);
  const blob = Buffer.concat([length, name, Buffer.alloc(32, seed)]);
  return { blob, line: `${type} ${blob.toString('base64')}` };
}

const key = keyOf('ssh-ed25519', 1);
const other = keyOf('ssh-ed25519', 2);
const rsa = keyOf('ssh-rsa', 3);

function hashed(name: string): string {
  const salt = randomBytes(20);
  const digest = createHmac('sha1', salt).update(name).digest('base64');
  return `|1|${salt.toString('base64')}|${digest}`;
}

describe('judgeHostKey', () => {
  test.each<[string, string, string, number, string]>([
    ['a plain name', `bank.example ${key.line}`, 'bank.example', 22, 'trusted'],
    ['a name in other letters', `Bank.Example ${key.line}`, 'BANK.example', 22, 'trusted'],
    ['a comment after the key', `bank.example ${key.line} root@bank`, 'bank.example', 22, 'trusted'],
    ['a list of names', `a.example,bank.example,10.0.0.1 ${key.line}`, '10.0.0.1', 22, 'trusted'],
    ['a port', `[bank.example]:2222 ${key.line}`, 'bank.example', 2222, 'trusted'],
    ['another port', `[bank.example]:2222 ${key.line}`, 'bank.example', 2223, 'unknown'],
    ['a key known without the port', `bank.example ${key.line}`, 'bank.example', 2222, 'trusted'],
    ['another key known without the port', `bank.example ${other.line}`, 'bank.example', 2222, 'unknown'],
    ['a hashed name', `${hashed('bank.example')} ${key.line}`, 'bank.example', 22, 'trusted'],
    [
      'a hashed name and port',
      `${hashed('[bank.example]:2222')} ${key.line}`,
      'bank.example',
      2222,
      'trusted',
    ],
    ['another hashed name', `${hashed('x.example')} ${key.line}`, 'bank.example', 22, 'unknown'],
    ['a hash of another kind', `|2|AAAA|BBBB ${key.line}`, 'bank.example', 22, 'unknown'],
    ['a wildcard', `*.example ${key.line}`, 'sftp.bank.example', 22, 'trusted'],
    ['a question mark', `bank?.example ${key.line}`, 'bank7.example', 22, 'trusted'],
    ['a negation', `*.example,!evil.example ${key.line}`, 'evil.example', 22, 'unknown'],
    ['a negation of another', `*.example,!evil.example ${key.line}`, 'bank.example', 22, 'trusted'],
    ['another key', `bank.example ${other.line}`, 'bank.example', 22, 'changed'],
    [
      'several keys, one right',
      `bank.example ${rsa.line}\nbank.example ${key.line}`,
      'bank.example',
      22,
      'trusted',
    ],
    ['a revoked key', `bank.example ${key.line}\n@revoked * ${key.line}`, 'bank.example', 22, 'revoked'],
    [
      'a key that is known with the port, and revoked without it',
      `[bank.example]:2222 ${key.line}\n@revoked bank.example ${key.line}`,
      'bank.example',
      2222,
      'revoked',
    ],
    [
      'another revoked key',
      `bank.example ${key.line}\n@revoked * ${other.line}`,
      'bank.example',
      22,
      'trusted',
    ],
    ['an authority vouches for certificates', `@cert-authority * ${key.line}`, 'bank.example', 22, 'unknown'],
    ['comments and blank lines', `# bank.example ${key.line}\r\n\r\n`, 'bank.example', 22, 'unknown'],
    ['half a line', 'bank.example ssh-ed25519', 'bank.example', 22, 'unknown'],
    ['an empty file', '', 'bank.example', 22, 'unknown'],
    [
      'a name that is the beginning of another',
      `bank.example.evil ${key.line}`,
      'bank.example',
      22,
      'unknown',
    ],
    ['dots are dots', `bankxexample ${key.line}`, 'bank.example', 22, 'unknown'],
  ])('F4 %s', (_what, text, host, port, verdict) => {
    expect(judgeHostKey(text, host, port, key.blob)).toBe(verdict);
  });
});

test('the known types are those of the host alone', () => {
  const text = `bank.example ${rsa.line}\nother.example ${key.line}\n@revoked bank.example ${key.line}`;
  expect(knownKeyTypes(text, 'bank.example', 22)).toEqual(['ssh-rsa']);
});
