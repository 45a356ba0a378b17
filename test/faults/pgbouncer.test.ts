import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openAndMigrate } from '../../src/db/connect.js';
import { inSession, untilUp } from '../shards/three-servers.js';
import { databaseUrl } from '../support/database-url.js';
import { freePort } from '../support/free-port.js';
import { needs } from '../support/needs.js';
import { documentOf, prepareNight, type SettlementNight } from '../support/settlement-night.js';
import { runCli } from '../support/cli.js';
import { folderForAllTests } from '../support/test-folder.js';
import { startTcpPostgres, type TcpPostgres } from '../support/tls-postgres.js';

const pgbouncer = needs.program('pgbouncer');
const runbook = readFileSync(path.resolve(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
/** The lines of its configuration, and the statements for the server. */
const [, advised = '', statements = ''] =
  /### A connection pooler\n[^]*?```ini\n([^]*?)```[^]*?```sql\n([^]*?)```/.exec(runbook) ?? [];
const passedOn = /^ignore_startup_parameters.*$/m.exec(advised)?.[0] ?? '';

describe.runIf(pgbouncer.isMet)('PgBouncer', pgbouncer.orSkipped, () => {
  let server: TcpPostgres;
  let url: string;
  const directory = folderForAllTests();
  let night: SettlementNight;

  beforeAll(async () => {
    server = await startTcpPostgres('host all all 127.0.0.1/32 trust');
    const administration = `postgres://recon@127.0.0.1:${server.port}/postgres`;
    await untilUp(administration);
    await inSession(administration, 'create database recon');
    url = databaseUrl(administration, 'recon');
    await openAndMigrate({ url }, { logger: pino({ enabled: false }) });
    chmodSync(directory.path, 0o755);
    night = prepareNight(url);
    expect((await night.importPayments()).code).toBe(0);
  }, 60_000);

  afterAll(async () => {
    night.end();
    await server.close();
  });

  /** @returns the URL of the same database through a pooler with these lines in its configuration */
  async function startPooler(...lines: readonly string[]): Promise<string> {
    const port = await freePort();
    const file = path.join(directory.path, `${port}.ini`);
    const users = path.join(directory.path, 'users');
    writeFileSync(users, '"recon" ""\n');
    const own = [
      `listen_port=${port}`,
      'listen_addr=127.0.0.1',
      'unix_socket_dir=',
      'auth_type=trust',
      `auth_file=${users}`,
    ];
    writeFileSync(
      file,
      ['[databases]', `* = host=127.0.0.1 port=${server.port}`, '[pgbouncer]', ...own, ...lines].join('\n'),
    );
    // It refuses to run as root.
    const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const pooler: ChildProcess = spawn('pgbouncer', ['-q', file], {
      stdio: 'ignore',
      env: { PATH: '/usr/sbin:/usr/bin:/bin' },
      ...account,
    });
    onTestFinished(async () => {
      pooler.kill('SIGKILL');
      await once(pooler, 'exit');
    });
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${port}`).catch((thrown: unknown) => String((thrown as Error).cause)),
      )
      .not.toMatch(/ECONNREFUSED/);
    return url.replace(/:\d+\//, `:${port}/`);
  }

  const through = (pooled: string, ...command: readonly string[]) =>
    runCli([...command, '--json'], {
      cwd: night.directory,
      env: { RECON_DATA_DIR: path.join(night.directory, 'data'), RECON_DATABASE_URL: pooled },
    });

  async function expectRefused(pooled: string, reason: RegExp) {
    for (const command of [['run'], ['items'], ['migrate'], ['purge', '--dry-run']]) {
      const ended = await through(pooled, ...command);
      expect(ended.code, command.join(' ')).toBe(5);
      const { error } = documentOf(ended);
      expect(error, command.join(' ')).toMatchObject({ code: 'DATABASE_UNREACHABLE' });
      expect(error?.message).toMatch(reason);
    }
    const checked = await through(pooled, 'doctor');
    expect(checked.code).toBe(5);
    expect(checked.stdout).toMatch(reason);
    expect(await inSession(url, 'select from runs')).toHaveLength(0);
    // Other tests use this server too.
    const locks = `select from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`;
    expect(await inSession(url, locks)).toHaveLength(0);
  }

  test.each([
    ['of transactions', ['pool_mode=transaction']],
    // Each connection of recon is served by another session than the one before.
    ['of transactions, in turn', ['pool_mode=transaction', 'server_round_robin=1', 'min_pool_size=4']],
    ['of statements', ['pool_mode=statement']],
  ])(
    'F89 a pooler %s is refused by every command',
    async (_, mode) => {
      await expectRefused(await startPooler(passedOn, ...mode), /shares sessions between transactions/);
    },
    60_000,
  );

  test.each([
    ['refuses', ['pool_mode=session'], /refuses the settings of recon .*A connection pooler/],
    ['drops', advised.split('\n'), /drops settings of recon/],
  ])(
    'F89 a pooler of sessions that %s settings is refused',
    async (_, configuration, reason) => {
      await expectRefused(await startPooler(...configuration), reason);
    },
    60_000,
  );

  test('F89 a pooler of sessions is used with the settings of the runbook', async () => {
    await inSession(url, statements);
    const pooled = await startPooler(...advised.split('\n'));
    expect((await through(pooled, 'doctor')).code).toBe(0);
    const ended = await night.run(pooled);
    expect(ended.code, ended.stdout).toBe(1);
    const direct = await night.run();
    expect(documentOf(direct)).toMatchObject({
      runId: Number(documentOf(ended)['runId']) + 1,
      status: 'completed',
    });
  }, 60_000);
});
