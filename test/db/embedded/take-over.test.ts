import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openMigrationSession } from '../../../src/db/connect.js';
import { holdEmbeddedServer } from '../../../src/db/embedded/embedded-server.js';
import { locateBinaries } from '../../../src/db/embedded/locate-binaries.js';
import { processIdentity } from '../../../src/db/embedded/process-identity.js';
import { readPostmaster } from '../../../src/db/embedded/postmaster-file.js';
import { stopServer } from '../../../src/db/embedded/server-process.js';
import { connectAs, nobody } from './other-users.js';
import { needs } from '../../support/needs.js';
import { folderForEachTest } from '../../support/test-folder.js';

const root = needs.root();

/** Clusters of an earlier version: they belong to `nobody`, and everybody who connects is the superuser. */
const settings = { fsync: 'off', shared_buffers: '32MB' };

const parent = folderForEachTest();
let directory: string;
let sockets = '';
const cluster = () => path.join(directory, 'database');

beforeEach(() => {
  chmodSync(parent.path, 0o755);
  directory = path.join(parent.path, 'data');
});

afterEach(async () => {
  if (existsSync(cluster())) await stopServer(cluster());
  if (sockets !== '') rmSync(sockets, { recursive: true, force: true });
});

async function useIt<T>(work: (sql: ReturnType<typeof openMigrationSession>) => Promise<T>): Promise<T> {
  const server = await holdEmbeddedServer(directory, settings);
  const sql = openMigrationSession(server.url);
  try {
    return await work(sql);
  } finally {
    await sql.end();
    await server.release();
  }
}

/** A cluster that an earlier version created as root, with a table in it. */
async function makeFormerCluster(): Promise<void> {
  await useIt(async (sql) => {
    await sql`create table kept as select generate_series(1, 1000) as number`;
  });
  writeFileSync(path.join(cluster(), 'pg_hba.conf'), 'local all all trust\n');
  rmSync(path.join(cluster(), 'pg_ident.conf'));
  execFileSync('chown', ['-R', `${nobody.uid}:${nobody.gid}`, cluster(), `${cluster()}.log`]);
  const hash = createHash('sha256').update(cluster()).digest('hex').slice(0, 16);
  sockets = `/tmp/recon-${hash}`;
}

/** Its server, as the earlier version started it. */
async function startFormerServer(): Promise<number> {
  mkdirSync(sockets, { mode: 0o700 });
  chownSync(sockets, nobody.uid, nobody.gid);
  const binaries = await locateBinaries(directory, nobody);
  spawn(
    path.join(binaries.directory, 'bin/postgres'),
    ['-D', '/proc/self/cwd', '-p', '5432', '-k', sockets, '-c', 'listen_addresses=', '-c', 'fsync=off'],
    { ...nobody, cwd: cluster(), env: { PATH: '/usr/bin:/bin' }, detached: true, stdio: 'ignore' },
  ).unref();
  await expect.poll(() => readPostmaster(cluster())?.status, { timeout: 30_000 }).toBe('ready');
  return readPostmaster(cluster())?.processId ?? 0;
}

async function expectTakenOver(): Promise<void> {
  const server = await holdEmbeddedServer(directory, settings);
  const { uid } = statSync(cluster());
  expect(uid).not.toBe(nobody.uid);
  expect(statSync(`/proc/${readPostmaster(cluster())?.processId ?? 0}`).uid).toBe(uid);
  expect(execFileSync('find', [cluster(), '-not', '-user', `${uid}`], { encoding: 'utf8' })).toBe('');
  expect(execFileSync('find', [cluster(), '-perm', '/077'], { encoding: 'utf8' })).toBe('');
  expect(readFileSync(path.join(cluster(), 'pg_hba.conf'), 'utf8')).toBe('local all recon peer map=recon\n');
  expect(connectAs(nobody, cluster()).said).toContain('refused EACCES');
  await server.release();
  expect(await useIt((sql) => sql`select count(*)::int as count from kept`)).toMatchObject([{ count: 1000 }]);
}

describe.runIf(root.isMet)('a cluster of nobody', root.orSkipped, () => {
  test('gets its own account', async () => {
    await makeFormerCluster();
    writeFileSync(path.join(cluster(), 'postgresql.auto.conf'), `session_preload_libraries = '/tmp/evil'\n`);
    await expectTakenOver();
  });

  test('gets it also while the earlier server runs, which is ended', async () => {
    await makeFormerCluster();
    const former = await startFormerServer();
    expect(connectAs(nobody, sockets).said).toBe('superuser on\n');
    await expectTakenOver();
    expect(processIdentity(former)).toBeUndefined();
    expect(existsSync(sockets)).toBe(false);
  });

  test('continues when the change was interrupted', async () => {
    await makeFormerCluster();
    chownSync(cluster(), 0, 0);
    chownSync(path.join(cluster(), 'global'), 0, 0);
    await expectTakenOver();
  });

  test('is not started while a process of nobody has a file of it open', { timeout: 90_000 }, async () => {
    await makeFormerCluster();
    const holder = spawn('sleep', ['300'], { ...nobody, cwd: path.join(cluster(), 'base'), stdio: 'ignore' });
    await expect(holdEmbeddedServer(directory, settings)).rejects.toThrow(
      new RegExp(`Process ${holder.pid ?? 0} works in`),
    );
    expect(statSync(cluster()).uid).toBe(nobody.uid);
    holder.kill('SIGKILL');
    await expectTakenOver();
  });

  test('is not started with a link in it', async () => {
    await makeFormerCluster();
    const link = path.join(cluster(), 'base/1/link');
    symlinkSync('/etc/passwd', link);
    const before = statSync('/etc/passwd').uid;
    await expect(holdEmbeddedServer(directory, settings)).rejects.toThrow(/base\/1\/link is a link/);
    expect(statSync('/etc/passwd').uid).toBe(before);
    rmSync(link);
    await expectTakenOver();
  });

  test('a copy by root of a cluster in use is refused', async () => {
    const server = await holdEmbeddedServer(directory, settings);
    const copy = path.join(parent.path, 'copy');
    mkdirSync(copy);
    execFileSync('cp', ['-r', '--no-preserve=ownership', cluster(), copy]);
    await expect(holdEmbeddedServer(copy, settings)).rejects.toThrow(
      /is a copy of a database that was in use/,
    );
    await server.release();
  });
});
