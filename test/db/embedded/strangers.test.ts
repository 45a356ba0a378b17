import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdEmbeddedServer } from '../../../src/db/embedded/embedded-server.js';
import { stopServer } from '../../../src/db/embedded/server-process.js';
import { attempt, connectAs, nobody, postmasterFile, someone, startVictim } from './other-users.js';
import { needs } from '../../support/needs.js';
import { folderForEachTest } from '../../support/test-folder.js';

const root = needs.root();

/** What other accounts of the machine can do to the database of root. Each test really tries it. */
const settings = { fsync: 'off', shared_buffers: '32MB' };

const parent = folderForEachTest();
let directory: string;
const children: ChildProcess[] = [];
const cluster = () => path.join(directory, 'database');
const pidFile = () => path.join(cluster(), 'postmaster.pid');

beforeEach(() => {
  chmodSync(parent.path, 0o755);
  directory = path.join(parent.path, 'data');
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  if (existsSync(cluster())) await stopServer(cluster());
});

const hold = () => holdEmbeddedServer(directory, settings);
const failure = () =>
  hold().then(
    () => 'it was used',
    (thrown: unknown) => thrown,
  );

async function makeCluster(): Promise<void> {
  await (await hold()).release();
}

function victim(as: { uid: number; gid: number }, cwd = '/'): ChildProcess {
  const child = startVictim(parent.path, as, cwd);
  children.push(child);
  return child;
}

const isAlive = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;

describe.runIf(root.isMet)('to connect', root.orSkipped, () => {
  test.each([
    ['nobody', nobody],
    ['an ordinary user', someone],
  ])('%s is refused, even when the folder and the socket are open to everybody', async (_name, user) => {
    const server = await hold();
    const host = new URL(server.url).searchParams.get('host') ?? '';
    expect(connectAs({ uid: 0, gid: 0 }, host).said).toBe('superuser on\n');
    expect(connectAs(user, host).said).toContain('refused EACCES');
    chmodSync(directory, 0o755);
    chmodSync(cluster(), 0o777);
    chmodSync(path.join(cluster(), '.s.PGSQL.5432'), 0o777);
    for (const name of ['recon', 'postgres', 'root']) {
      expect(connectAs(user, host, name).said).toMatch(/refused 28000/);
    }
    chmodSync(cluster(), 0o700);
    await server.release();
  });

  test('the files of the database can be neither read nor replaced', async () => {
    await makeCluster();
    for (const user of [nobody, someone]) {
      for (const script of [
        `require('fs').readdirSync(process.argv[1])`,
        `require('fs').writeFileSync(process.argv[1] + '/postmaster.pid', '1')`,
        `require('fs').renameSync(process.argv[1], process.argv[1] + '.away')`,
        `require('fs').readFileSync(process.argv[1] + '.log')`,
      ]) {
        const tried = attempt(user, script, cluster());
        expect(tried.code, script).not.toBe(0);
        expect(tried.said).toContain('EACCES');
      }
    }
  });
});

describe.runIf(root.isMet)('to have root end a process', root.orSkipped, () => {
  test.each([
    ['another user', () => someone],
    ['the account of the server', () => statSync(cluster())],
  ])('a postmaster.pid that names a program "postgres" of %s ends nothing', async (_whose, user) => {
    await makeCluster();
    const { uid, gid } = user();
    const named = victim({ uid, gid });
    writeFileSync(pidFile(), postmasterFile(named.pid ?? 0, '.'), { mode: 0o600 });
    chownSync(pidFile(), statSync(cluster()).uid, statSync(cluster()).gid);
    await stopServer(cluster());
    const server = await hold();
    await server.release();
    await sleep(200);
    expect(isAlive(named)).toBe(true);
  });

  test('not even a program that works in the folder of the database', async () => {
    await makeCluster();
    const { uid, gid } = statSync(cluster());
    const named = victim({ uid, gid }, cluster());
    writeFileSync(pidFile(), postmasterFile(named.pid ?? 0, '.'));
    await expect(stopServer(cluster())).rejects.toThrow(/not the PostgreSQL of recon.*kill -INT/);
    expect(await failure()).toMatchObject({ code: 'DATABASE_EMBEDDED' });
    expect(isAlive(named)).toBe(true);
    named.kill('SIGKILL');
    rmSync(pidFile());
  });

  test('nor does a changed postmaster.pid of a running server', async () => {
    const server = await hold();
    const true_ = readFileSync(pidFile(), 'utf8');
    const named = victim(someone);
    writeFileSync(pidFile(), true_.replace(/^\d+/, `${named.pid ?? 0}`));
    await stopServer(cluster());
    expect(await failure()).toMatchObject({
      code: 'DATABASE_EMBEDDED',
      message: expect.stringMatching(
        /server \(process \d+\) runs on .* does not name that process/,
      ) as string,
    });
    expect(isAlive(named)).toBe(true);
    writeFileSync(pidFile(), true_);
    await server.release();
  });

  test.each([
    ['a link', (file: string, other: string) => symlinkSync(other, file)],
    [
      'a file of another user',
      (file: string) => {
        writeFileSync(file, '1\n');
        chownSync(file, someone.uid, someone.gid);
      },
    ],
  ])('a postmaster.pid that is %s is refused', async (_what, plant) => {
    await makeCluster();
    const other = path.join(parent.path, 'other');
    writeFileSync(other, '1\n');
    plant(pidFile(), other);
    expect(await failure()).toMatchObject({
      code: 'DATABASE_EMBEDDED',
      message: expect.stringMatching(/postmaster\.pid (is a link|belongs to user 1)/) as string,
    });
    rmSync(pidFile());
  });
});

describe.runIf(root.isMet)('to impersonate the server', root.orSkipped, () => {
  /** Listens like a server and counts the connections. */
  async function impostor(
    folder: string,
    as: { uid: number; gid: number },
  ): Promise<{ met(): number; processId: number }> {
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, as.uid, as.gid);
    const child = spawn(
      process.execPath,
      [
        '-e',
        `require('net').createServer((s) => { s.destroy(); console.log('met'); }).listen(process.argv[1] + '/.s.PGSQL.5432', () => console.log('listening'));`,
        folder,
      ],
      { ...as, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] },
    );
    children.push(child);
    let said = '';
    child.stdout.on('data', (piece: Buffer) => (said += piece.toString()));
    await expect.poll(() => said).toContain('listening');
    return { met: () => said.split('met').length - 1, processId: child.pid ?? 0 };
  }

  test('a socket directory of another user in the file of a running server is refused', async () => {
    const server = await hold();
    const fake = await impostor(path.join(parent.path, 'recon-abcdef'), nobody);
    const lines = readFileSync(pidFile(), 'utf8').split('\n');
    lines[4] = path.join(parent.path, 'recon-abcdef');
    writeFileSync(pidFile(), lines.join('\n'));
    expect(await failure()).toMatchObject({
      code: 'DATABASE_EMBEDDED',
      message: expect.stringContaining('belongs to user 65534') as string,
    });
    expect(fake.met()).toBe(0);
    lines[4] = '.';
    writeFileSync(pidFile(), lines.join('\n'));
    await server.release();
  });

  test('a program that listens and is named in postmaster.pid gets no connection', async () => {
    await makeCluster();
    const folder = path.join(parent.path, 'recon-abcdef');
    const fake = await impostor(folder, nobody);
    writeFileSync(pidFile(), postmasterFile(fake.processId, folder));
    const server = await hold();
    expect(new URL(server.url).searchParams.get('host')).toBe(cluster());
    await server.release();
    expect(fake.met()).toBe(0);
    expect(existsSync(path.join(folder, '.s.PGSQL.5432'))).toBe(true);
  });
});

describe.runIf(root.isMet)('to block the start', root.orSkipped, () => {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

  test('occupying names of socket folders in advance has no effect', async () => {
    const long = path.join(parent.path, 'x'.repeat(120), 'data');
    for (const place of [directory, long]) {
      directory = place;
      mkdirSync(path.dirname(place), { recursive: true });
      const names = ['', '-1', '-2', '-3'].map((suffix) => `/tmp/recon-${hash(cluster())}${suffix}`);
      for (const name of names)
        expect(attempt(someone, 'require("fs").mkdirSync(process.argv[1])', name).code).toBe(0);
      const server = await hold();
      const host = new URL(server.url).searchParams.get('host') ?? '';
      expect(statSync(host)).toMatchObject({ uid: statSync(cluster()).uid });
      expect(statSync(host).mode & 0o077).toBe(0);
      expect(connectAs(someone, host).said).toContain('refused EACCES');
      await server.release();
      for (const name of names) rmSync(name, { recursive: true });
    }
  });

  test('a lock or a log that is a link is refused', async () => {
    await makeCluster();
    const other = path.join(parent.path, 'other');
    mkdirSync(other);
    const lock = path.join(directory, 'database.lock');
    renameSync(lock, `${lock}.away`);
    symlinkSync(other, lock);
    expect(await failure()).toMatchObject({
      code: 'DATABASE_EMBEDDED',
      message: expect.stringContaining('database.lock is a link') as string,
    });
    expect(readdirSync(other)).toEqual([]);
    rmSync(lock);
    mkdirSync(lock);
    chownSync(lock, someone.uid, someone.gid);
    expect(await failure()).toMatchObject({
      message: expect.stringContaining('belongs to user 1') as string,
    });
    rmSync(lock, { recursive: true });
    const log = path.join(directory, 'database.log');
    rmSync(log);
    writeFileSync(path.join(other, 'file'), 'kept');
    symlinkSync(path.join(other, 'file'), log);
    expect(await failure()).toMatchObject({ message: expect.stringContaining('is a link') as string });
    expect(readFileSync(path.join(other, 'file'), 'utf8')).toBe('kept');
  });

  test('root may not use a data directory of nobody; the message says what to do', async () => {
    mkdirSync(directory);
    chownSync(directory, nobody.uid, nobody.gid);
    expect(await failure()).toMatchObject({
      code: 'DATABASE_EMBEDDED',
      message: expect.stringMatching(/belongs to nobody.*chown root/) as string,
    });
    expect(existsSync(cluster())).toBe(false);
  });
});
