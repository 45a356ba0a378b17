import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SftpSource } from '../../src/remote/source-settings.js';
import { FetchWorld, numberedBytes } from '../support/fetch-world.js';
import { needs } from '../support/needs.js';
import { startSshd, startVsftpd } from '../support/real-servers.js';
import { newKeyPair } from '../support/sftp-server.js';

/** The same tests against OpenSSH and vsftpd, where these are installed. The in-process servers are always tested. */
const [openSsh, vsftpd] = [needs.openSsh(), needs.vsftpd()];

let world: FetchWorld;
beforeEach(() => (world = new FetchWorld()));
afterEach(() => world.close());

describe.runIf(openSsh.isMet)('OpenSSH', openSsh.orSkipped, () => {
  async function source(changes: Partial<SftpSource> = {}): Promise<SftpSource> {
    const { username, privateKey, ...server } = world.closing(await startSshd(world.directory));
    return world.sftp(server, { username, privateKey, password: null, folder: world.remote, ...changes });
  }

  test('receives files of any size unchanged, in order', async () => {
    const hashes = [0, 1, 31_744, 5_000_000, 40_000_000].map((size, n) =>
      world.put(`${n}.csv`, numberedBytes(size)),
    );
    const { files } = await world.fetchAll(await source());
    expect(files).toEqual(hashes.map((_, n) => `${n}.csv: received`));
    expect(world.archived()).toEqual([...hashes].sort());
  });

  test('F3 F4 another host key or another login key is refused', async () => {
    const settings = await source();
    const hostKeys = [`SHA256:${'A'.repeat(43)}`];
    await expect(world.fetchAll({ ...settings, hostKeys })).rejects.toMatchObject({
      code: 'SOURCE_HOST_KEY',
    });
    const privateKey = newKeyPair('ecdsa').private;
    await expect(world.fetchAll({ ...settings, privateKey })).rejects.toMatchObject({
      code: 'SOURCE_AUTHENTICATION',
    });
  });

  test('F44 F45 names in Latin-1 are reported; links, pipes and folders are not opened', async () => {
    world.put('a.csv');
    const latin1 = Buffer.concat([
      Buffer.from(`${world.remote}/m`),
      Buffer.from([0xe4]),
      Buffer.from('rz.csv'),
    ]);
    writeFileSync(latin1, 'x');
    symlinkSync('/etc/passwd', path.join(world.remote, 'b.csv'));
    execFileSync('mkfifo', [path.join(world.remote, 'c.csv')]);
    mkdirSync(path.join(world.remote, 'd.csv'));
    const { files } = await world.fetchAll(await source());
    expect(files).toEqual(['a.csv: received', 'm\\ufffdrz.csv: failed FILE_NAME_UNSAFE']);
  });

  test('a missing folder is an error; a file is moved, and the next file of the same name is put beside it', async () => {
    const settings = await source({ afterSuccess: { action: 'move', folder: 'done' } });
    await expect(world.fetchAll({ ...settings, folder: `${world.remote}/none` })).rejects.toMatchObject({
      code: 'SOURCE_LISTING',
    });
    mkdirSync(path.join(world.remote, 'done'));
    world.put('a.csv', 'one');
    await world.fetchAll(settings, { settles: true });
    const second = world.put('a.csv', 'two');
    await world.fetchAll(settings, { settles: true });
    expect(readdirSync(path.join(world.remote, 'done')).sort()).toEqual([
      `a-${second.slice(0, 8)}.csv`,
      'a.csv',
    ]);
  });

  test.each(['SIGSTOP', 'SIGKILL'] as const)(
    'F10 F11 its sftp-server gets %s in the middle while ssh lives: noticed, and fetched from the start',
    async (signal) => {
      const sha256 = world.put('a.csv', numberedBytes(40_000_000));
      const settings = await source({ stallTimeoutMs: 1000, attempts: 2 });
      let received = 0;
      const harmed: number[] = [];
      const advance = (by: number) => {
        received += by;
        if (received < 2_000_000 || harmed.length > 0) return;
        harmed.push(...sftpServersUnder(process.pid));
        for (const pid of harmed) process.kill(pid, signal);
      };
      const progress = { begin: () => ({ advance, end: () => undefined }) };
      const { files, warnings } = await world.fetchAll(settings, { progress });
      if (signal === 'SIGSTOP') for (const pid of harmed) process.kill(pid, 'SIGKILL');
      expect(harmed.length).toBeGreaterThan(0);
      expect(files).toEqual(['a.csv: received']);
      expect(warnings.length).toBeLessThanOrEqual(1);
      expect(world.archived()).toEqual([sha256]);
    },
  );
});

/** The sftp-server processes below a process of this test, so that those of other tests are not affected. */
function sftpServersUnder(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
  return children.flatMap((child) => {
    const isOne = readFileSync(`/proc/${child}/comm`, 'utf8').trim() === 'sftp-server';
    return [...(isOne ? [child] : []), ...sftpServersUnder(child)];
  });
}

describe.runIf(vsftpd.isMet)('vsftpd', vsftpd.orSkipped, () => {
  describe.each([false, true])('with TLS: %s', (tls) => {
    async function source(changes = {}) {
      const server = world.closing(await startVsftpd(world.directory, world.remote, { tls }));
      const settings = {
        username: 'anonymous',
        password: 'recon@example',
        stallTimeoutMs: 3000,
        // Started by this test, the server does not change its root folder.
        folder: world.remote,
        ...changes,
      };
      return tls ? world.ftps(server, 'explicit', settings) : world.ftp(server, settings);
    }

    test('F7 receives files of any size unchanged, resuming the TLS session each time', async () => {
      const hashes = [0, 1, 100, 5_000_000, 300, 400, 500].map((size, n) =>
        world.put(`${n}.csv`, numberedBytes(size)),
      );
      const { files, results } = await world.fetchAll(await source());
      expect(files).toEqual(hashes.map((_, n) => `${n}.csv: received`));
      expect(results.every((file) => file.status === 'received' && file.stable)).toBe(true);
      expect(world.archived()).toEqual([...new Set(hashes)].sort());
    });

    test('a folder that does not exist is an error, though vsftpd lists it as empty', async () => {
      await expect(world.fetchAll(await source({ folder: `${world.remote}/none` }))).rejects.toMatchObject({
        code: 'SOURCE_LISTING',
      });
    });

    test('F22 a session that the server closed because it was idle is opened again', async () => {
      world.put('a.csv');
      world.put('b.csv');
      let asked = 0;
      const knownFiles = async (files: readonly unknown[]) => {
        asked += files.length;
        if (asked === 2) await sleep(3500);
        return new Map<string, never>();
      };
      const { files, pauses } = await world.fetchAll(await source({ attempts: 1 }), { knownFiles });
      expect(files).toEqual(['a.csv: received', 'b.csv: received']);
      expect(pauses).toEqual([]);
    });

    test('F27 a young file waits by the time of the server, an older one is deleted', async () => {
      world.put('a.csv');
      const now = new Date(Date.now() - 10_000);
      world.put('b.csv');
      utimesSync(path.join(world.remote, 'b.csv'), now, now);
      const settings = await source({ afterSuccess: { action: 'delete' } });
      const { files } = await world.fetchAll(settings, { settles: true });
      expect(files).toEqual(['a.csv: received', 'b.csv: deferred FILE_CHANGING']);
      expect(readdirSync(world.remote)).toEqual(['b.csv']);
    });
  });

  test('F6 a server without TLS gets no password', async () => {
    const server = world.closing(await startVsftpd(world.directory, world.remote, { tls: false }));
    const settings = world.ftps(server, 'explicit');
    await expect(world.fetchAll(settings)).rejects.toMatchObject({ code: 'SOURCE_INSECURE' });
  });

  test('F3 an unencrypted login to a server that requires TLS is refused, once', async () => {
    const server = world.closing(await startVsftpd(world.directory, world.remote, { tls: true }));
    const settings = world.ftp(server, { username: 'anonymous' });
    await expect(world.fetchAll(settings)).rejects.toMatchObject({ code: 'SOURCE_AUTHENTICATION' });
  });
});
