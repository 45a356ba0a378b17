import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import ssh2, { type Algorithms } from 'ssh2';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fingerprintOfHostKey, newHostKey } from '../../src/demo/loopback-sftp-server.js';
import { FetchWorld, failureOf } from '../support/fetch-world.js';
import { newKeyPair, startSftpServer } from '../support/sftp-server.js';

let world: FetchWorld;
beforeEach(() => (world = new FetchWorld()));
afterEach(() => world.close());

describe('a private key that cannot be used', () => {
  const encrypted = newKeyPair('ed25519', 'open sesame').private;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const ppk = ['PuTTY-User-Key-File-3: ssh-ed25519', 'Encryption: none', 'Comment: secret', ''].join('\r\n');

  test.each([
    ['encrypted', encrypted, null, /it is encrypted, and there is no passphrase\./],
    ['encrypted with another passphrase', encrypted, 'hunter2', /the passphrase is wrong/],
    ['of PuTTY', ppk, null, /has PuTTY's format; puttygen FILE -O private-openssh -o NEWFILE converts it\./],
    [
      'in PKCS#8',
      rsa.export({ type: 'pkcs8', format: 'pem' }).toString(),
      null,
      /PKCS#8; ssh-keygen -p -f FILE converts it/,
    ],
    ['not a key', 'secret', null, /it is not a private key\./],
  ])('%s', async (_what, privateKey, passphrase, why) => {
    const server = world.closing(await startSftpServer(world.remote));
    const source = world.sftp(server, { password: null, privateKey, passphrase });
    const error = await failureOf(world.fetchAll(source));
    expect(error).toMatchObject({
      code: 'SOURCE_AUTHENTICATION',
      message: expect.stringMatching(why) as string,
    });
    expect(error.message).not.toMatch(/secret|hunter2|sesame/);
  });
});

describe('a server with which nothing can be agreed on', () => {
  test.each<[string, Algorithms, RegExp]>([
    [
      'the key exchange',
      { kex: ['diffie-hellman-group14-sha1'] },
      /no key exchange .* must allow curve25519-sha256/,
    ],
    ['the cipher', { cipher: ['aes128-cbc'] }, /no cipher .* must allow aes256-gcm/],
    ['the MAC', { cipher: ['aes256-ctr'], hmac: ['hmac-md5'] }, /no MAC .* must allow hmac-sha2-256/],
  ])('is asked to change %s, in one attempt', async (_what, algorithms, advice) => {
    const hostKey = newHostKey();
    const server = new ssh2.Server({ hostKeys: [hostKey], algorithms }, (client) =>
      client.on('error', () => undefined),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    world.closing({ close: () => new Promise((resolve) => server.close(resolve)) });
    const { port } = server.address() as AddressInfo;
    const pauses: number[] = [];
    const sleep = (ms: number) => Promise.resolve(void pauses.push(ms));
    const source = world.sftp({ port, hostKeyFingerprint: fingerprintOfHostKey(hostKey) });
    const error = await failureOf(world.fetchAll(source, { sleep }));
    expect(error).toMatchObject({
      code: 'SOURCE_INSECURE',
      message: expect.stringMatching(advice) as string,
    });
    expect(error.message).toMatch(/recon did not log in/);
    expect(pauses).toEqual([]);
  });
});
