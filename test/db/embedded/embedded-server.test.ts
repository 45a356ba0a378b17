import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../../../src/db/connect.js';
import { holdEmbeddedServer } from '../../../src/db/embedded/embedded-server.js';
import { readPostmaster } from '../../../src/db/embedded/postmaster-file.js';
import { stopServer } from '../../../src/db/embedded/server-process.js';
import { createLogger } from '../../../src/logger.js';
import { compiledChild } from '../../support/compiled-child.js';
import { needs } from '../../support/needs.js';
import { folderForEachTest } from '../../support/test-folder.js';

/** Fast start-up of temporary clusters; these tests do not depend on syncing. */
const settings = { fsync: 'off', shared_buffers: '32MB' };
const root = needs.root();

const parent = folderForEachTest();
let directory: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  directory = path.join(parent.path, 'data');
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const name of readdirSync(parent.path)) await stopServer(path.join(parent.path, name, 'database'));
});

const cluster = () => path.join(realpathSync(directory), 'database');
const serverProcess = () => readPostmaster(cluster())?.processId;
const socketDirectory = (url: string) => new URL(url).searchParams.get('host') ?? '';

interface Owner {
  readonly said: string;
  kill(): Promise<void>;
  close(): Promise<string>;
}

const ownServer = compiledChild(path.join(import.meta.dirname, 'own-server.ts'));

/** Another process that opens the database and stores a text. */
async function startOwner(
  text: string,
  as?: { uid: number; gid: number },
  through: readonly string[] = [],
): Promise<Owner> {
  const words = [...through, process.execPath];
  const child = spawn(words[0] ?? '', [...words.slice(1), ownServer, directory, text], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...as,
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const next = async () => ((await lines.next()) as { value?: string }).value ?? '';
  return {
    said: await next(),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    close: async () => {
      child.stdin.end();
      const said = await next();
      await ended;
      return said;
    },
  };
}

describe('one process', () => {
  test('starts it, and leaves no process running', async () => {
    const server = await holdEmbeddedServer(directory, settings);
    expect(server.url).toMatch(/^postgresql:\/\/recon@localhost\/recon\?host=/);
    expect(socketDirectory(server.url)).toBe(cluster());
    expect(statSync(cluster()).mode & 0o777).toBe(0o700);
    const postmaster = serverProcess();
    expect(postmaster).toBeGreaterThan(0);
    await server.release();
    expect(serverProcess()).toBeUndefined();
    expect(readdirSync(cluster()).filter((name) => name.startsWith('.s.'))).toEqual([]);
    expect(readdirSync(directory).sort()).toEqual(['database', 'database.lock', 'database.log']);
  });

  test('removes the incomplete cluster of a killed command, while its initdb still writes', async () => {
    const draft = path.join(directory, 'database.new-1');
    mkdirSync(path.join(draft, 'base'), { recursive: true });
    // Like initdb it does not make a folder again that was removed.
    const script = 'for i in $(seq 50000); do echo > base/$i || exit; done';
    const writer = spawn('sh', ['-c', script], { cwd: draft, stdio: 'ignore' });
    children.push(writer);
    while (!existsSync(path.join(draft, 'base/1'))) await new Promise((resolve) => setTimeout(resolve, 5));
    const server = await holdEmbeddedServer(directory, settings);
    await server.release();
    expect(readdirSync(directory).sort()).toEqual(['database', 'database.lock', 'database.log']);
  });

  test('may hold it several times; the last release stops it', async () => {
    const servers = await Promise.all([1, 2, 3].map(() => holdEmbeddedServer(directory, settings)));
    const postmaster = serverProcess();
    await Promise.all(servers.slice(1).map((server) => server.release()));
    expect(serverProcess()).toBe(postmaster);
    await servers[0]?.release();
    expect(serverProcess()).toBeUndefined();
  });

  test('starts it below a long path that its user may not enter', async () => {
    directory = path.join(parent.path, 'a directory with blanks', 'x'.repeat(200), 'data');
    mkdirSync(directory, { recursive: true });
    chmodSync(path.join(parent.path, 'a directory with blanks'), 0o700);
    const server = await holdEmbeddedServer(directory, settings);
    const sockets = socketDirectory(server.url);
    expect(path.basename(sockets)).toMatch(/^recon-\w{6}$/);
    expect(statSync(sockets)).toMatchObject({ uid: statSync(cluster()).uid });
    expect(statSync(sockets).mode & 0o777).toBe(0o700);
    const second = await startOwner('a');
    expect(second.said).toBe('ready a');
    await second.close();
    await server.release();
    expect(existsSync(sockets)).toBe(false);
    expect(readFileSync(path.join(directory, 'database/PG_VERSION'), 'utf8').trim()).toBe('18');
  });

  test('opens a folder to its owner only again after chmod -R a+rX', async () => {
    await (await holdEmbeddedServer(directory, settings)).release();
    execFileSync('chmod', ['-R', 'a+rX', directory]);
    const server = await holdEmbeddedServer(directory, settings);
    expect(statSync(cluster()).mode & 0o777).toBe(0o700);
    chmodSync(cluster(), 0o755);
    const second = await startOwner('a');
    expect(second.said).toBe('ready a');
    expect(statSync(cluster()).mode & 0o777).toBe(0o700);
    await second.close();
    await server.release();
  });

  test('recovers after a crash of the server, with everything that was committed', async () => {
    const first = await startOwner('a');
    process.kill(serverProcess() ?? 0, 'SIGKILL');
    await first.kill();
    const second = await startOwner('b');
    expect(second.said).toBe('ready a,b');
    expect(await second.close()).toBe('closed');
  });
});

describe('several processes', () => {
  test('a process attaches to the server of another that was killed, and stops it at the end', async () => {
    const killed = await startOwner('a');
    expect(killed.said).toBe('ready a');
    const postmaster = serverProcess();
    await killed.kill();
    expect(serverProcess()).toBe(postmaster);
    const next = await startOwner('b');
    expect(next.said).toBe('ready a,b');
    expect(serverProcess()).toBe(postmaster);
    expect(await next.close()).toBe('closed');
    expect(serverProcess()).toBeUndefined();
  });

  test('share it from the start, and the last one stops it', async () => {
    const owners = await Promise.all(['a', 'b', 'c'].map((text) => startOwner(text)));
    expect(owners.map(({ said }) => said.split(' ')[0])).toEqual(['ready', 'ready', 'ready']);
    await owners[0]?.close();
    await owners[1]?.kill();
    expect(serverProcess()).toBeGreaterThan(0);
    await owners[2]?.close();
    expect(serverProcess()).toBeUndefined();
  });
});

describe('a process that stays up', () => {
  const opened = () =>
    openDatabase(
      { dataDirectory: directory },
      { logger: pino({ enabled: false }), embeddedSettings: settings },
    );

  const waiting = { timeout: 30_000, interval: 50 };

  test('is still registered when the server restarted itself, and other commands end', async () => {
    const staying = await opened();
    const postmaster = serverProcess();
    const session = staying.openSession(() => undefined);
    const [victim] = await session<{ pid: number }[]>`select pg_backend_pid() as pid`;
    // As the kernel does for lack of memory. The server then ends all sessions and recovers.
    process.kill(victim?.pid ?? 0, 'SIGKILL');
    const command = await startOwner('a');
    expect(command.said).toBe('ready a');
    expect(await command.close()).toBe('closed');
    expect(serverProcess()).toBe(postmaster);
    expect(await staying.sql`select text from texts`).toEqual([{ text: 'a' }]);
    await staying.close();
    expect(serverProcess()).toBeUndefined();
  });

  test.each([false, true])(
    'ends when the server has just restarted itself, which then stops unless another uses it (%s)',
    async (isUsed) => {
      const ending = await opened();
      const staying = isUsed ? await opened() : undefined;
      let lost = (): void => undefined;
      const isLost = new Promise<void>((resolve) => (lost = resolve));
      const session = ending.openSession(lost);
      const [victim] = await session<{ pid: number }[]>`select pg_backend_pid() as pid`;
      process.kill(victim?.pid ?? 0, 'SIGKILL');
      await isLost;
      await ending.close();
      expect(serverProcess() !== undefined).toBe(isUsed);
      if (staying !== undefined) await staying.sql`select 1`;
      await staying?.close();
      expect(serverProcess()).toBeUndefined();
    },
  );

  test('the log of its server is put aside once it is longer than 8 MB, and the server continues it', async () => {
    const staying = await opened();
    const [log, aside] = [`${cluster()}.log`, `${cluster()}.log.1`];
    const say = (text: string) => staying.sql.unsafe(`do $$ begin raise log '${text}'; end $$`);
    await say('of yesterday');
    appendFileSync(log, Buffer.alloc(8 * 1024 * 1024));
    // Another command, which uses the same server.
    await (await opened()).close();
    expect(statSync(log).size).toBe(0);
    expect(readFileSync(aside, 'utf8')).toContain('of yesterday');
    await say('of today');
    expect(readFileSync(log, 'utf8')).toContain('of today');
    expect(statSync(log).size).toBeLessThan(10_000);
    await staying.close();
  });

  test('uses the server again that was stopped, once another command started it, and keeps it then', async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'warn', write: (line) => lines.push(line) });
    const staying = await openDatabase({ dataDirectory: directory }, { logger, embeddedSettings: settings });
    await stopServer(cluster());
    // Somebody may have stopped it to copy its folder, so it is not started again.
    await vi.waitFor(() => expect(lines.join('')).toContain('The embedded database was stopped.'), waiting);
    await sleep(4_000);
    expect(serverProcess()).toBeUndefined();
    const command = await startOwner('a');
    await sleep(2_000);
    expect(await command.close()).toBe('closed');
    expect(serverProcess()).toBeGreaterThan(0);
    expect(await staying.sql`select text from texts`).toEqual([{ text: 'a' }]);
    expect(lines).toHaveLength(2);
    await staying.close();
    expect(serverProcess()).toBeUndefined();
  }, 180_000);

  test('starts the server again that was killed', async () => {
    const staying = await opened();
    const postmaster = serverProcess();
    process.kill(postmaster ?? 0, 'SIGKILL');
    await vi.waitFor(() => expect(serverProcess()).toBeUndefined(), waiting);
    await vi.waitFor(() => expect(serverProcess()).toBeGreaterThan(0), waiting);
    await vi.waitFor(() => staying.sql`select 1`, waiting);
    await staying.close();
    expect(serverProcess()).toBeUndefined();
  }, 60_000);
});

describe('a cluster is never left half created', () => {
  test('the remains of a killed initdb are removed', async () => {
    mkdirSync(path.join(directory, 'database.new-1'), { recursive: true });
    writeFileSync(path.join(directory, 'database.new-1/PG_VERSION'), '18');
    const server = await holdEmbeddedServer(directory, settings);
    await server.release();
    expect(readdirSync(directory)).not.toContain('database.new-1');
  });

  test('a process killed during its first start does not prevent the next start', async () => {
    for (const afterMs of [300, 600, 900, 1200]) {
      const child = spawn(process.execPath, [ownServer, directory, 'x'], { stdio: 'ignore' });
      children.push(child);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      child.kill('SIGKILL');
    }
    const owner = await startOwner('after');
    expect(owner.said).toMatch(/^ready .*after/);
    await owner.close();
  });
});

describe('a data directory that cannot be used is reported', () => {
  const failure = () => holdEmbeddedServer(directory, settings).catch((thrown: unknown) => thrown);

  test('a data directory that is a file', async () => {
    writeFileSync(directory, '');
    expect(await failure()).toMatchObject({ code: 'DISK_FAILED' });
    rmSync(directory);
  });

  test('a setting that the server refuses, with the message of its log', async () => {
    const thrown = await holdEmbeddedServer(directory, { shared_buffers: 'lots' }).catch(
      (error: unknown) => error,
    );
    expect(thrown).toMatchObject({
      code: 'DATABASE_EMBEDDED',
      message: expect.stringContaining('shared_buffers') as string,
    });
  });

  test('a server that was started and refuses every connection, which is stopped again', async () => {
    const refusing = { ...settings, session_preload_libraries: 'missing' };
    const thrown = await holdEmbeddedServer(directory, refusing).catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      code: 'DATABASE_EMBEDDED',
      message: expect.stringContaining('could not access file "missing"') as string,
    });
    expect(serverProcess()).toBeUndefined();
  });

  test('a cluster of another version', async () => {
    await (await holdEmbeddedServer(directory, settings)).release();
    writeFileSync(path.join(directory, 'database/PG_VERSION'), '17\n');
    expect(await failure()).toMatchObject({
      code: 'DATABASE_EMBEDDED',
      message: expect.stringMatching(
        /PostgreSQL 17, but .* copy the database to a server with recon move --to URL\./,
      ) as string,
    });
  });

  test('a cluster without a file that the server needs, by its path and not by the one that the server uses', async () => {
    await (await holdEmbeddedServer(directory, settings)).release();
    const control = path.join(cluster(), 'global/pg_control');
    rmSync(control);
    const thrown = await failure();
    expect(thrown).toMatchObject({ code: 'DATABASE_EMBEDDED' });
    expect((thrown as Error).message).toContain(`could not open file "${control}"`);
  });

  test('a copy of a directory that is in use', async () => {
    const server = await holdEmbeddedServer(directory, settings);
    const original = directory;
    directory = path.join(parent.path, 'copy');
    cpSync(original, directory, {
      recursive: true,
      filter: (file) => !path.basename(file).startsWith('.s.'),
    });
    if (root.isMet) {
      // As `cp -a` does: the copy belongs to the account of the original.
      const { uid, gid } = statSync(path.join(original, 'database'));
      chownSync(path.join(directory, 'database'), uid, gid);
    }
    expect(await failure()).toMatchObject({
      code: 'DATABASE_EMBEDDED',
      message: expect.stringContaining('is a copy of a database that was in use') as string,
    });
    rmSync(directory, { recursive: true });
    directory = original;
    await server.release();
  });

  test('a postmaster.pid whose number now belongs to another program is removed', async () => {
    await (await holdEmbeddedServer(directory, settings)).release();
    writeFileSync(path.join(cluster(), 'postmaster.pid'), `${process.pid}\n/x\n0\n5432\n/x\n\n\nready\n`);
    const server = await holdEmbeddedServer(directory, settings);
    const [number] = readFileSync(path.join(cluster(), 'postmaster.pid'), 'utf8').split('\n');
    expect(number).not.toBe(String(process.pid));
    await server.release();
  });
});

describe.runIf(root.isMet)('users', root.orSkipped, () => {
  /** `daemon`, which exists on every system. */
  const someone = { uid: 1, gid: 1 };

  test('as root the server runs as its own account, the same one each time', async () => {
    const server = await holdEmbeddedServer(directory, settings);
    const { uid, gid, mode } = statSync(cluster());
    expect(uid).toBeGreaterThan(60_000);
    expect(uid).not.toBe(65_534);
    expect(gid).toBe(uid);
    expect(mode & 0o777).toBe(0o700);
    expect(readFileSync('/etc/passwd', 'utf8')).not.toContain(`:${uid}:`);
    expect(statSync(`/proc/${serverProcess() ?? 0}`).uid).toBe(uid);
    await server.release();
    const again = await holdEmbeddedServer(directory, settings);
    expect(statSync(`/proc/${serverProcess() ?? 0}`).uid).toBe(uid);
    await again.release();
  });

  test('an ordinary user runs it under its account, and root attaches to it and starts it as that user', async () => {
    chmodSync(parent.path, 0o755);
    mkdirSync(directory);
    chownSync(directory, someone.uid, someone.gid);
    const owner = await startOwner('a', someone);
    expect(owner.said).toBe('ready a');
    expect(statSync(cluster()).uid).toBe(someone.uid);
    const root = await startOwner('b');
    expect(root.said).toBe('ready a,b');
    await owner.close();
    await root.close();
    const again = await startOwner('c');
    expect(again.said).toBe('ready a,b,c');
    expect(statSync(`/proc/${serverProcess() ?? 0}`).uid).toBe(someone.uid);
    await again.close();
  });

  test('a user can use what root created in the user’s data directory', async () => {
    chmodSync(parent.path, 0o755);
    mkdirSync(directory);
    chownSync(directory, someone.uid, someone.gid);
    const root = await startOwner('a');
    expect(root.said).toBe('ready a');
    const owner = await startOwner('b', someone);
    expect(owner.said).toBe('ready a,b');
    await root.close();
    await owner.close();
    const again = await startOwner('c', someone);
    expect(again.said).toBe('ready a,b,c');
    await again.close();
    for (const name of ['database', 'database.lock', 'database.log']) {
      expect(statSync(path.join(directory, name)).uid, name).toBe(someone.uid);
    }
  });

  test('root of a container, who may not see the processes of others, shares the server', async () => {
    const first = await startOwner('a', undefined, ['setpriv', '--bounding-set=-sys_ptrace']);
    expect(first.said).toBe('ready a');
    const postmaster = serverProcess();
    await first.kill();
    const second = await startOwner('b', undefined, ['setpriv', '--bounding-set=-sys_ptrace']);
    expect(second.said).toBe('ready a,b');
    expect(serverProcess()).toBe(postmaster);
    expect(await second.close()).toBe('closed');
    expect(serverProcess()).toBeUndefined();
  });

  test('a user without a name gets a message that says what is missing', async () => {
    chmodSync(parent.path, 0o755);
    mkdirSync(directory);
    chownSync(directory, 1_954_321, 1_954_321);
    const nameless = await startOwner('a', { uid: 1_954_321, gid: 1_954_321 });
    expect(nameless.said).toMatch(/^failed DATABASE_EMBEDDED .*no entry in \/etc\/passwd/);
  });

  test('an ordinary user cannot write to the directory of root, and gets a message', async () => {
    chmodSync(parent.path, 0o755);
    await (await holdEmbeddedServer(directory, settings)).release();
    const stranger = await startOwner('a', someone);
    expect(stranger.said).toMatch(/^failed DISK_FAILED/);
    expect(existsSync(cluster())).toBe(true);
  });
});

const tmpfs = needs.tmpfs();

describe.runIf(tmpfs.isMet)('F24 F87 on a disk that is full', tmpfs.orSkipped, () => {
  const mount = (megabytes: number) => {
    mkdirSync(directory);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory]);
  };
  const filler = () => path.join(directory, 'filler');
  const fill = () => {
    const file = openSync(filler(), 'w');
    const piece = Buffer.alloc(4096, 1);
    try {
      for (;;) writeSync(file, piece);
    } catch {
      // It is full.
    } finally {
      closeSync(file);
    }
  };
  const open = (lines: string[] = []) =>
    openDatabase(
      { dataDirectory: directory },
      {
        logger: pino({}, { write: (line: string) => void lines.push(line) }),
        embeddedSettings: settings,
      },
    );

  afterEach(async () => {
    rmSync(filler(), { force: true });
    await stopServer(path.join(directory, 'database'));
    execFileSync('umount', ['-l', directory]);
  });

  test('a command that is done leaves the server to the next one, which stops it', async () => {
    mount(300);
    const lines: string[] = [];
    const database = await open(lines);
    fill();
    await database.close();
    expect(lines.join('')).toContain('"code":"DISK_FULL"');
    expect(lines.join('')).toContain('The embedded database keeps running');
    expect(serverProcess()).toBeDefined();
    rmSync(filler());
    await (await open()).close();
    expect(serverProcess()).toBeUndefined();
    expect(readdirSync(path.join(directory, 'database.lock'))).toHaveLength(1);
  });

  test.each([4, 20])(
    'with %i MB it is not created, for lack of space, and nothing of it is left',
    async (mb) => {
      mount(mb);
      await expect(open()).rejects.toMatchObject({
        code: 'DATABASE_FULL',
        message: expect.stringMatching(/No space left on device|Check free disk space/) as string,
      });
      expect(readdirSync(directory).filter((name) => !name.startsWith('database.l'))).toEqual([]);
    },
  );
});
