import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fingerprintOfHostKey } from '../../src/demo/loopback-sftp-server.js';
import { checkSource } from '../../src/intake/fetch/check-source.js';
import { showHostKeys } from '../../src/remote/show-host-keys.js';
import { FetchWorld, failureOf } from '../support/fetch-world.js';
import { newKeyPair, startSftpServer } from '../support/sftp-server.js';

let world: FetchWorld;
beforeEach(() => {
  world = new FetchWorld();
  world.put('a.csv');
});
afterEach(() => world.close());

const keys = {
  ed25519: newKeyPair('ed25519'),
  ecdsa: newKeyPair('ecdsa'),
  rsa: newKeyPair('rsa'),
};
const all = [keys.ed25519.private, keys.ecdsa.private, keys.rsa.private];

/** A server that counts the login attempts. */
async function server(hostKeys: readonly string[]) {
  let logins = 0;
  const started = await startSftpServer(world.remote, { hostKeys, onLogin: () => void (logins += 1) });
  return { ...world.closing(started), logins: () => logins };
}

function knownHosts(text: string): string {
  const file = path.join(world.directory, 'known_hosts');
  writeFileSync(file, text);
  return file;
}

test.each(Object.entries(keys))(
  'F4 a pinned %s key is found, whatever other keys the server has',
  async (_type, pair) => {
    const source = world.sftp(await server(all), { hostKeys: [fingerprintOfHostKey(pair.private)] });
    expect((await world.fetchAll(source)).files).toEqual(['a.csv: received']);
  },
);

test.each(Object.entries(keys))('F4 a %s key of known_hosts is asked for first', async (_type, pair) => {
  const { port, hostKeyFingerprint } = await server(all);
  const knownHostsFile = knownHosts(`[127.0.0.1]:${port} ${pair.public}\n`);
  const source = world.sftp({ port, hostKeyFingerprint }, { hostKeys: [], knownHostsFile });
  expect((await world.fetchAll(source)).files).toEqual(['a.csv: received']);
});

test('F4 keys that are not pinned are refused before the login; every fingerprint is shown', async () => {
  const started = await server(all);
  const pinned = `SHA256:${'A'.repeat(43)}`;
  const error = await failureOf(world.fetchAll(world.sftp(started, { hostKeys: [pinned] })));
  expect(error.code).toBe('SOURCE_HOST_KEY');
  for (const fingerprint of [pinned, ...all.map(fingerprintOfHostKey)])
    expect(error.message).toContain(fingerprint);
  expect(started.logins()).toBe(0);
});

test.each<[string, (port: number) => string, RegExp]>([
  ['a changed key', (port) => `[127.0.0.1]:${port} ${keys.rsa.public}`, /which differs from the key in /],
  ['an unknown host', () => `bank.example ${keys.ed25519.public}`, /, and \/.+ does not know the host/],
  ['a revoked key', () => `@revoked * ${keys.ed25519.public}`, /marks as revoked/],
  ['an authority', () => `@cert-authority * ${keys.ed25519.public}`, /, and \/.+ does not know the host/],
])('F4 known_hosts: %s is refused before the login', async (_what, text, why) => {
  const started = await server([keys.ed25519.private]);
  const source = world.sftp(started, { hostKeys: [], knownHostsFile: knownHosts(text(started.port)) });
  const error = await failureOf(world.fetchAll(source));
  expect(error.code).toBe('SOURCE_HOST_KEY');
  expect(error.message).toMatch(why);
  expect(error.message).toContain(fingerprintOfHostKey(keys.ed25519.private));
  expect(started.logins()).toBe(0);
});

test('F4 a revoked key is refused even when it is pinned', async () => {
  const started = await server([keys.ed25519.private]);
  const knownHostsFile = knownHosts(`@revoked * ${keys.ed25519.public}`);
  const error = await failureOf(world.fetchAll(world.sftp(started, { knownHostsFile })));
  expect(error.message).toMatch(/revoked/);
});

test('F4 without a configured key the fingerprint is shown, and no login is tried', async () => {
  const started = await server([keys.ed25519.private]);
  const error = await failureOf(world.fetchAll(world.sftp(started, { hostKeys: [] })));
  expect(error.code).toBe('SOURCE_HOST_KEY');
  expect(error.message).toContain(started.hostKeyFingerprint);
  expect(started.logins()).toBe(0);
});

test('F4 a known_hosts file that cannot be read permits no host', async () => {
  const started = await server([keys.ed25519.private]);
  const source = world.sftp(started, { hostKeys: [], knownHostsFile: path.join(world.directory, 'none') });
  const error = await failureOf(world.fetchAll(source));
  expect(error.code).toBe('SOURCE_HOST_KEY');
  expect(error.message).toContain('cannot be read: it does not exist (ENOENT).');
  expect(started.logins()).toBe(0);
});

test('F3 a wrong password is tried once, and never shown', async () => {
  const started = await server([keys.ed25519.private]);
  const error = await failureOf(world.fetchAll(world.sftp(started, { password: 'hunter2-wrong' })));
  expect(error.code).toBe('SOURCE_AUTHENTICATION');
  expect(error.message).not.toContain('hunter2');
  expect(started.logins()).toBe(1);
});

test('F3 an invalid private key is reported as such, without its content', async () => {
  const started = await server([keys.ed25519.private]);
  const source = world.sftp(started, { password: null, privateKey: 'no key at all, but secret' });
  const error = await failureOf(world.fetchAll(source));
  expect(error).toMatchObject({ code: 'SOURCE_AUTHENTICATION' });
  expect(error.message).not.toContain('no key at all');
});

test('a server that asks for the password interactively gets it', async () => {
  const started = await startSftpServer(world.remote, { asksQuestions: true });
  expect((await world.fetchAll(world.sftp(world.closing(started)))).files).toEqual(['a.csv: received']);
});

test('nothing is written to standard output', async () => {
  const written = vi.spyOn(process.stdout, 'write');
  const logged = vi.spyOn(console, 'log');
  const started = await server([keys.ed25519.private]);
  await world.fetchAll(world.sftp(started));
  await started.close();
  expect(written).not.toHaveBeenCalled();
  expect(logged).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

test('F4 a changed key of known_hosts is shown beside the key that was offered, with its line', async () => {
  const started = await server([keys.ed25519.private]);
  const name = `[127.0.0.1]:${started.port}`;
  const file = knownHosts(`# a comment\n${name} ${keys.rsa.public}\n${name} ${keys.ecdsa.public}\n`);
  const source = world.sftp(started, { hostKeys: [], knownHostsFile: file });
  const { message } = await failureOf(world.fetchAll(source));
  expect(message).toContain(
    `offers the host key ${fingerprintOfHostKey(keys.ed25519.private)} (ssh-ed25519)`,
  );
  expect(message).toContain(
    `${file} has ${fingerprintOfHostKey(keys.rsa.private)} (ssh-rsa, line 2), ${fingerprintOfHostKey(keys.ecdsa.private)} (ecdsa-sha2-nistp256, line 3)`,
  );
});

describe('a server that proves its RSA key with SHA-1 only', () => {
  const oldServer = async () =>
    world.closing(
      await startSftpServer(world.remote, { hostKeys: [keys.rsa.private], hostKeyAlgorithms: ['ssh-rsa'] }),
    );

  test('is refused, and the message says what to ask for and what to set', async () => {
    const error = await failureOf(world.fetchAll(world.sftp(await oldServer())));
    expect(error.code).toBe('SOURCE_INSECURE');
    expect(error.message).toMatch(/SHA-1 \(ssh-rsa\).*can be forged/);
    expect(error.message).toMatch(/allowSha1HostKeys: true/);
  });

  test('is accepted where its source allows it, with a warning', async () => {
    const source = world.sftp(await oldServer(), { allowSha1HostKeys: true });
    const { files, warnings } = await world.fetchAll(source);
    expect(files).toEqual(['a.csv: received']);
    expect(warnings.join()).toMatch(/allowSha1HostKeys is set/);
    const { logger: _unused, ...dependencies } = world.dependencies();
    expect(await checkSource(source, dependencies)).toMatch(/1 file matches[^]*allowSha1HostKeys is set/);
  });

  test('shows its key, marked as such', async () => {
    const shown = await showHostKeys(world.sftp(await oldServer()), new AbortController().signal);
    expect(shown).toEqual([
      {
        type: 'ssh-rsa',
        fingerprint: fingerprintOfHostKey(keys.rsa.private),
        sha1Only: true,
        accepted: false,
      },
    ]);
  });
});

test('every host key is shown without a login', async () => {
  const started = await server(all);
  const source = world.sftp(started, { hostKeys: [fingerprintOfHostKey(keys.ecdsa.private)] });
  const shown = await showHostKeys(source, new AbortController().signal);
  expect(shown.map(({ type, fingerprint, accepted }) => [type, fingerprint, accepted])).toEqual([
    ['ssh-ed25519', fingerprintOfHostKey(keys.ed25519.private), false],
    ['ecdsa-sha2-nistp256', fingerprintOfHostKey(keys.ecdsa.private), true],
    ['ssh-rsa', fingerprintOfHostKey(keys.rsa.private), false],
  ]);
  expect(started.logins()).toBe(0);
});

test('a server that does not answer is reported as unreachable when its keys are requested', async () => {
  const source = world.sftp({ port: 1 });
  const error = await failureOf(showHostKeys(source, new AbortController().signal));
  expect(error.code).toBe('SOURCE_UNREACHABLE');
});
