import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startLoopbackSftpServer } from '../../../src/demo/loopback-sftp-server.js';
import { openMigrationSession } from '../../../src/db/connect.js';
import { packageFile } from '../../../src/package-files.js';
import { administer, databaseForEachTest } from '../../support/database.js';
import { newKeyPair } from '../../support/sftp-server.js';
import { folderForEachTest } from '../../support/test-folder.js';
import { recon } from '../recon.js';

const cleanDay = path.resolve(import.meta.dirname, '../../../fixtures/clean-day');

const testDatabase = databaseForEachTest();
const folder = folderForEachTest();

beforeEach(() => {
  mkdirSync(path.join(folder.path, 'inbox'));
});

function configure(sources: string, databaseUrl = testDatabase.url): void {
  const head = `dataDirectory: data\ndatabaseUrl: ${databaseUrl}\nlogLevel: silent\n`;
  writeFileSync(path.join(folder.path, 'recon.config.yaml'), `${head}sources:\n${sources}`, { mode: 0o600 });
}

const inbox = '  - { name: inbox, protocol: local, folder: inbox, minimumAgeSeconds: 0 }\n';

interface Check {
  readonly subject: string;
  readonly ok: boolean;
  readonly message: string;
  readonly code: string | null;
}

async function examine(
  ...args: string[]
): Promise<{ code: number; checks: Check[]; wrong: (string | null)[] }> {
  const { code, stdout } = await recon(['doctor', ...args, '--json'], { cwd: folder.path });
  const { exitCode, checks } = JSON.parse(stdout) as { exitCode: number; checks: Check[] };
  expect(exitCode).toBe(code);
  return { code, checks, wrong: checks.filter(({ ok }) => !ok).map((check) => check.code) };
}

test('without a problem, every check is listed and the exit code is 0', async () => {
  configure(inbox);
  const { code, checks } = await examine('--reports');
  expect(code).toBe(0);
  expect(checks.map(({ subject }) => subject)).toEqual([
    'node',
    'configuration',
    `folder ${path.join(folder.path, 'data')}`,
    'permissions',
    'database',
    'schema',
    'writing',
    'clock',
    'archive',
    'source inbox',
    'reports',
  ]);
  const { stdout } = await recon(['doctor'], { cwd: folder.path });
  expect(stdout).toMatch(/^ok +node: version /);
  expect(readdirSync(path.join(folder.path, 'data'))).toEqual([]);
});

test.each([
  [0, 'as that of the database server, to the minute'],
  [45, 'as that of the database server, to the minute'],
  [-75, '75 s behind that of the database server'],
  [3 * 60 + 30, '3 min ahead of that of the database server'],
  [2 * 3600 + 5 * 60 + 30, '2 h 5 min ahead of that of the database server'],
  [-(24 * 3600 + 30), '1 day 0 h behind that of the database server'],
  [366 * 24 * 3600 + 30, '366 days 0 h ahead of that of the database server'],
])('a clock that is %i seconds ahead of that of the database: %s', async (seconds, expected) => {
  configure(inbox);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000, shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const { code, checks } = await examine();
  const [found = '', warning = ''] =
    checks.find(({ subject }) => subject === 'clock')?.message.split('\n') ?? [];
  expect(found).toMatch(new RegExp(`^${expected.replace('75', '7\\d')}$`));
  expect(warning.startsWith('Warning: ')).toBe(!expected.startsWith('as'));
  expect(code).toBe(0);
});

test('settings with which recon serve would not start are wrong, and named together', async () => {
  configure(inbox);
  const file = path.join(folder.path, 'recon.config.yaml');
  const usual = readFileSync(file, 'utf8');
  const gatewayOf = async (settings: string) => {
    writeFileSync(file, `${usual}${settings}`, { mode: 0o600 });
    const { code, checks } = await examine();
    return { code, gateway: checks.find(({ subject }) => subject === 'gateway') };
  };

  const wrong = await gatewayOf(
    [
      'http:',
      '  host: 0.0.0.0',
      '  environment: live',
      '  limits: { payments.read: { requests: 3, windowSeconds: 60 } }',
      'webhooks: { caFile: nowhere.pem }',
      '',
    ].join('\n'),
  );
  expect(wrong).toMatchObject({ code: 2, gateway: { ok: false, code: 'CONFIG_INVALID' } });
  for (const problem of [
    'can be reached from other machines',
    'http.limits: there is no operation payments.read',
    'needs encryption keys',
    'recon.config.yaml:7:9 http.host 0.0.0.0',
    'recon.config.yaml:9:11 http.limits',
    `recon.config.yaml:10:21 webhooks.caFile ${path.join(folder.path, 'nowhere.pem')} cannot be used: it does not exist (ENOENT).`,
  ]) {
    expect(wrong.gateway?.message).toContain(problem);
  }

  const samePort = await gatewayOf('http: { port: 8443, adminPort: 8443 }\n');
  expect(samePort).toMatchObject({ code: 2, gateway: { ok: false, code: 'CONFIG_INVALID' } });
  expect(samePort.gateway?.message).toContain('http.adminPort 8443 is the port of the gateway itself');

  const tls = await gatewayOf('http: { tls: { certFile: nowhere.pem, keyFile: nowhere.key } }\n');
  expect(tls).toMatchObject({ code: 2, gateway: { ok: false } });
  expect(tls.gateway?.message).toContain('http.tls.certFile');

  const right = await gatewayOf('http: { limits: { payments.get: { requests: 3, windowSeconds: 60 } } }\n');
  expect(right).toMatchObject({
    code: 0,
    gateway: { ok: true, message: expect.stringContaining('test') as string },
  });
  expect(readdirSync(path.join(folder.path, 'data'))).toEqual([]);
});

test('the authorities of webhooks without a certificate are wrong, with file and place', async () => {
  configure(inbox);
  const file = path.join(folder.path, 'recon.config.yaml');
  writeFileSync(file, `${readFileSync(file, 'utf8')}webhooks:\n  caFile: recon.config.yaml\n`, {
    mode: 0o600,
  });
  const { code, checks } = await examine();
  expect(code).toBe(2);
  expect(checks.find(({ subject }) => subject === 'gateway')?.message).toBe(
    `recon.config.yaml:7:11 webhooks.caFile ${file} cannot be used: it has no certificate in PEM.`,
  );
});

test('the alert program and the folder of the metrics are tried, without starting or writing anything', async () => {
  configure(inbox);
  const file = path.join(folder.path, 'recon.config.yaml');
  const usual = readFileSync(file, 'utf8');
  const tools = path.join(folder.path, 'tools');
  mkdirSync(tools);
  const started = path.join(folder.path, 'started');
  writeFileSync(path.join(tools, 'notify'), `#!/bin/sh\ntouch ${started}\n`, { mode: 0o644 });
  const examineWith = async (command: string, textfile: string) => {
    writeFileSync(
      file,
      `${usual}alerts:\n  command: [${command}, --now]\nmetrics: { textfile: ${textfile} }\n`,
      { mode: 0o600 },
    );
    const { code, stdout } = await recon(['doctor', '--json'], {
      cwd: folder.path,
      environment: { PATH: tools },
    });
    const { checks } = JSON.parse(stdout) as { checks: Check[] };
    const of = (wanted: string) => checks.find(({ subject }) => subject === wanted);
    return { code, command: of('alerts.command'), textfile: of('metrics.textfile') };
  };

  const missing = await examineWith('notifi', 'nowhere/recon.prom');
  expect(missing.code).toBe(6);
  expect(missing.command).toMatchObject({
    code: 'CONFIG_INVALID',
    message: `recon.config.yaml:7:13 alerts.command: notifi is in no folder of PATH (${tools}).`,
  });
  expect(missing.textfile).toMatchObject({
    code: 'DISK_FAILED',
    message: `recon.config.yaml:8:22 metrics.textfile: the folder ${path.join(folder.path, 'nowhere')} cannot be written: it does not exist (ENOENT).`,
  });

  const unusable = await examineWith('notify', 'tools');
  expect(unusable.command?.message).toBe(
    `recon.config.yaml:7:13 alerts.command: ${path.join(tools, 'notify')} cannot be executed: permission denied (EACCES).`,
  );
  expect(unusable.textfile?.message).toBe(
    `recon.config.yaml:8:22 metrics.textfile: ${tools} is a folder and must be a file.`,
  );
  expect((await examineWith(tools, 'recon.config.yaml/recon.prom')).command?.message).toContain(
    `${tools} is not a program`,
  );

  chmodSync(path.join(tools, 'notify'), 0o755);
  const named = await examineWith('notify', 'tools/recon.txt');
  expect(named).toMatchObject({ code: 0, command: { ok: true }, textfile: { ok: true } });
  expect(named.command?.message).toContain(`${path.join(tools, 'notify')} can be executed`);
  expect(named.textfile?.message).toBe(
    `${tools} can be written\nWarning: node_exporter reads only files whose name ends in .prom`,
  );
  const withPath = await examineWith(path.join(tools, 'notify'), 'tools/recon.prom');
  expect(withPath).toMatchObject({ code: 0, textfile: { message: `${tools} can be written` } });
  expect(readdirSync(tools)).toEqual(['notify']);
  expect(readdirSync(folder.path)).not.toContain('started');
});

test('a database whose encoding is not UTF8, as former versions allowed, is named in a warning', async () => {
  const said = async () => {
    const { code, checks } = await examine();
    return { code, message: checks.find(({ subject }) => subject === 'database')?.message };
  };
  configure(inbox);
  expect(await said()).toMatchObject({
    code: 0,
    message: expect.not.stringContaining('encoding') as string,
  });

  const { name, url } = testDatabase;
  await testDatabase.database.close();
  await administer(`drop database ${name}`);
  await administer(`create database ${name} encoding 'SQL_ASCII' locale 'C' template template0`);
  const session = openMigrationSession(url);
  await migrate(drizzle(session), { migrationsFolder: packageFile('drizzle') });
  await session.end();
  expect(await said()).toEqual({
    code: 0,
    message: expect.stringMatching(/\nWarning: its encoding is SQL_ASCII, .*recon move/) as string,
  });
});

test('a server that ends long transactions is named in a warning', async ({ skip }) => {
  const { name, database } = testDatabase;
  const [server] = await database.sql<{ timeout: string | null }[]>`
    select current_setting('transaction_timeout', true) as timeout`;
  skip(server?.timeout === null, 'PostgreSQL before 17 has no transaction_timeout');
  await administer(`alter database ${name} set transaction_timeout = '10min'`);
  configure(inbox);
  const { code, checks } = await examine();
  expect(code).toBe(0);
  expect(checks.find(({ subject }) => subject === 'database')?.message).toMatch(
    /\nWarning: transaction_timeout is 10min\. .*alter role NAME set transaction_timeout = 0$/,
  );
});

test('a database that runs cannot write to is wrong, though everything can be read', async () => {
  configure(inbox);
  const { name, database } = testDatabase;
  const writing = async () => {
    const { code, checks, wrong } = await examine();
    return { code, wrong, message: checks.find(({ subject }) => subject === 'writing')?.message };
  };
  await administer(`alter database ${name} set default_transaction_read_only = on`);
  expect(await writing()).toEqual({
    code: 5,
    wrong: ['DATABASE_FAILED'],
    message: expect.stringContaining('The database is read-only') as string,
  });
  await administer(`alter database ${name} reset default_transaction_read_only`);
  expect(await writing()).toMatchObject({ code: 0, wrong: [] });

  const reader = `${name}_reader`;
  await administer(`create role ${reader}`);
  try {
    for (const schema of ['public', 'drizzle', 'recon_queue']) {
      await database.sql.unsafe(
        `grant usage on schema ${schema} to ${reader}; grant select on all tables in schema ${schema} to ${reader}`,
      );
    }
    await database.sql.unsafe(`grant insert, update on audit_events to ${reader}`);
    await administer(`alter database ${name} set role = ${reader}`);
    const { code, wrong, message } = await writing();
    expect({ code, wrong }).toEqual({ code: 5, wrong: ['DATABASE_FAILED'] });
    expect(message).toContain(`The database user ${reader} may not write to accept_checks, `);
    expect(message).not.toContain('audit_events');
  } finally {
    await administer(`alter database ${name} reset role`);
    await database.sql.unsafe(`drop owned by ${reader}`);
    await administer(`drop role ${reader}`);
  }
});

test('without payments the doctor warns that nothing can match', async () => {
  configure(inbox);
  const messageOf = async () =>
    (await examine()).checks.find(({ subject }) => subject === 'database')?.message;
  expect(await messageOf()).toMatch(
    /; 0 payments, 0 records of 0 files\nWarning: no payments are stored, so nothing can match: recon payments import FILE$/,
  );
  await recon(['payments', 'import', path.join(cleanDay, 'payments.csv')], {
    cwd: folder.path,
    environment: {},
  });
  const imported = await messageOf();
  expect(imported).toMatch(/; [1-9]\d* payments, 0 records of 0 files$/);
  await testDatabase.database.sql
    .unsafe(`insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at)
    select lpad(type, 32, 'c'), type, 100, 'EUR', '000.000.000', now() from unnest(array['CB', 'CR']) type`);
  // An import and an export count no chargebacks either.
  expect(await messageOf()).toBe(imported);
  await testDatabase.database.sql
    .unsafe(`insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at)
    select lpad(n::text, 32, 'p'), 'DB', 100, 'EUR', '000.000.000', now() from generate_series(1, 10000) n;
    analyze payments`);
  expect(await messageOf()).toMatch(/; about 10\d{3} payments, 0 records of 0 files$/);
});

test('the problems of a configuration are printed line by line, and nothing else is checked', async () => {
  configure('  - { name: a, protocol: sftp, host: h, username: u }\n');
  const { code, checks } = await examine();
  expect(code).toBe(2);
  expect(checks).toHaveLength(2);
  const { stdout } = await recon(['doctor'], { cwd: folder.path });
  expect(stdout).toContain('WRONG  configuration: The configuration has 2 problems:');
  expect(stdout).toContain('recon.config.yaml:5:5 sources.0: an sftp source needs');
});

test('a source that fails does not hide another, and no secret is printed', async () => {
  const server = await startLoopbackSftpServer({
    rootDirectory: path.join(folder.path, 'inbox'),
    username: 'u',
    password: 'right-canary',
  });
  try {
    const sftp = (name: string, password: string, key = server.hostKeyFingerprint) =>
      `  - { name: ${name}, protocol: sftp, host: 127.0.0.1, port: ${server.port}, username: u, password: ${password}, hostKeys: ['${key}'], folder: /, attempts: 1 }\n`;
    configure(
      sftp('good', 'right-canary') +
        sftp('wrong-password', 'wrong-canary') +
        sftp('wrong-key', 'right-canary', `SHA256:${'A'.repeat(43)}`) +
        '  - { name: gone, protocol: local, folder: gone }\n' +
        inbox,
    );
    const { code, checks, wrong } = await examine();
    expect(code).toBe(4);
    expect(wrong).toEqual(['SOURCE_AUTHENTICATION', 'SOURCE_HOST_KEY', 'SOURCE_LISTING']);
    expect(JSON.stringify(checks)).not.toContain('canary');
  } finally {
    await server.close();
  }
});

test('files that match no pattern are named, and folders are not', async () => {
  configure('  - { name: inbox, protocol: local, folder: inbox, filePattern: settlement-*.csv }\n');
  const verdictOf = async () => (await examine()).checks.find(({ subject }) => subject === 'source inbox');
  const verdict = 'reached; 0 files match settlement-*.csv';
  mkdirSync(path.join(folder.path, 'inbox', 'old'));
  expect(await verdictOf()).toMatchObject({ ok: true, message: verdict });
  for (const name of ['d', 'c', 'b', 'Settlement-1.CSV', 'a'].map((each) =>
    path.join(folder.path, 'inbox', each),
  ))
    writeFileSync(name, '');
  expect(await verdictOf()).toMatchObject({
    ok: true,
    message: `${verdict}, but there are Settlement-1.CSV, a, b and 2 more: is filePattern right?`,
  });
  writeFileSync(path.join(folder.path, 'inbox', 'settlement-1.csv'), '');
  expect(await verdictOf()).toMatchObject({ message: 'reached; 1 file matches settlement-*.csv' });
});

test('a configuration with two passwords is one file to close', async () => {
  const source = (name: string) =>
    `  - { name: ${name}, protocol: ftps, host: 127.0.0.1, port: 1, username: u, password: ${name}-canary, attempts: 1 }\n`;
  configure(source('a') + source('b'));
  const file = path.join(folder.path, 'recon.config.yaml');
  chmodSync(file, 0o644);
  const { checks } = await examine();
  const permissions = checks.find(({ subject }) => subject === 'permissions');
  expect(permissions?.message).toBe(
    `${file} (holds password) can be read by other accounts: chmod 600 ${file}`,
  );
});

test('the sources are checked even when the database is unavailable', async () => {
  configure(inbox, 'postgresql://u:canary@127.0.0.1:1/d');
  const { code, checks, wrong } = await examine();
  expect(code).toBe(5);
  expect(wrong).toEqual(['DATABASE_UNREACHABLE']);
  expect(checks.find(({ ok }) => !ok)?.message).toBe(
    'The database server could not be reached: the connection was refused (ECONNREFUSED). Address: 127.0.0.1:1/d.',
  );
  expect(checks.at(-1)).toMatchObject({ subject: 'source inbox', ok: true });
  expect(JSON.stringify(checks)).not.toContain('canary');
});

test('the debug log shows the configuration without its secrets', async () => {
  configure(
    `${inbox}  - { name: a, protocol: ftps, host: 127.0.0.1, port: 1, username: u, password: pass-canary, attempts: 1, connectTimeoutMs: 500 }\n`,
    'postgresql://u:url-canary@127.0.0.1:1/d?password=query-canary',
  );
  const { code, stdout, stderr } = await recon(['doctor', '--log-level', 'trace'], { cwd: folder.path });
  expect(code).toBe(5);
  expect(stderr).toContain('"msg":"configuration"');
  expect(stderr).toContain('"password":"***"');
  expect(stdout + stderr).not.toContain('canary');
});

test('the data folder is a file', async () => {
  configure(inbox);
  writeFileSync(path.join(folder.path, 'data'), '');
  const { code, wrong } = await examine();
  expect(code).toBe(6);
  expect(wrong).toContain('DISK_FAILED');
});

test('reports an archive or report that was changed, truncated or lost', async () => {
  configure(inbox);
  writeFileSync(
    path.join(folder.path, 'inbox/a.csv'),
    readFileSync(path.join(cleanDay, 'inbound/settlement-2026-11-19.csv')),
  );
  await recon(['run', '--as-of', '2026-11-20', '--quiet'], { cwd: folder.path });
  expect((await examine('--reports')).code).toBe(0);

  const archived = path.join(folder.path, 'data/archive');
  const file =
    readdirSync(archived, { recursive: true, encoding: 'utf8' }).find((name) => name.length > 64) ?? '';
  const bytes = readFileSync(path.join(archived, file));
  const problem = async (...args: string[]) => {
    const { code, checks } = await examine(...args);
    return [code, checks.find(({ subject }) => subject === 'archive')?.message];
  };
  bytes[bytes.length - 5] = 0x30;
  chmodSync(path.join(archived, file), 0o600);
  writeFileSync(path.join(archived, file), bytes);
  expect(await problem()).toEqual([0, '1 file, there in full size']);
  expect(await problem('--reports')).toEqual([6, expect.stringContaining('a.csv was changed')]);
  writeFileSync(path.join(archived, file), 'short');
  expect(await problem()).toEqual([6, expect.stringContaining('a.csv has 5 bytes instead of')]);
  rmSync(path.join(archived, file));
  expect(await problem()).toEqual([6, expect.stringContaining('a.csv is missing')]);

  const report = path.join(folder.path, 'data/reports/run-000001/discrepancies.csv');
  writeFileSync(report, 'forged');
  const { checks } = await examine('--reports');
  expect(checks.find(({ subject }) => subject === 'reports run-000001')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^discrepancies\.csv has 6 bytes; the manifest says \d+\.$/) as unknown,
    advice: expect.stringMatching(/^`recon report --run 1` replaces this folder /) as unknown,
  });
  // However many files are wrong, the text says what to do.
  for (let extra = 0; extra < 60; extra += 1) writeFileSync(`${report}.${extra}`, '');
  const { stdout } = await recon(['doctor', '--reports'], { cwd: folder.path });
  expect(stdout).toMatch(/… and \d+ more lines, [^\n]+\n +`recon report --run 1` replaces this folder /);
});

test('of a lost archive, the first files are shown, and JSON has all of them', async () => {
  configure(inbox);
  await testDatabase.database.sql.begin(async (tx) => {
    // Only a run may write there.
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id)
      select n, encode(sha256(convert_to(n::text, 'UTF8')), 'hex'), 'inbox', n || '.csv', 1, 'loaded', now(), 1
      from generate_series(1, 60) n`;
  });
  const { checks } = await examine();
  const { message = '' } = checks.find(({ subject }) => subject === 'archive') ?? {};
  expect(message.match(/\.csv is missing/g)).toHaveLength(60);
  for (const [stream, ...args] of [['stdout'], ['stderr', '--quiet']] as const) {
    const shown = (await recon(['doctor', ...args], { cwd: folder.path }))[stream];
    expect(shown.match(/\.csv is missing/g)).toHaveLength(50);
    expect(shown).toContain('… and 10 more lines, which `recon doctor --json` has too.');
  }
});

test('--show-host-key shows the key to verify, without hostKeys and without a login', async () => {
  let logins = 0;
  const server = await startLoopbackSftpServer({
    rootDirectory: path.join(folder.path, 'inbox'),
    username: 'u',
    password: 'canary',
    onLogin: () => void (logins += 1),
  });
  try {
    configure(
      `  - { name: acquirer, protocol: sftp, host: 127.0.0.1, port: ${server.port}, username: u, password: canary }\n${inbox}`,
    );
    const before = await recon(['doctor'], { cwd: folder.path });
    expect(before.stdout).toContain('recon doctor --show-host-key acquirer shows the fingerprint to verify');
    const text = await recon(['doctor', '--show-host-key', 'acquirer'], { cwd: folder.path });
    expect(text.code).toBe(0);
    expect(text.stdout).toContain(`ssh-ed25519  ${server.hostKeyFingerprint}`);
    expect(text.stdout).toContain('trusts none of them yet');
    expect(text.stdout).toContain('ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub');
    expect(text.stdout).toContain(`hostKeys: ['${server.hostKeyFingerprint}']`);
    const json = await recon(['doctor', '--show-host-key', 'acquirer', '--json'], { cwd: folder.path });
    expect(JSON.parse(json.stdout)).toEqual({
      exitCode: 0,
      source: 'acquirer',
      host: '127.0.0.1',
      port: server.port,
      hostKeys: [
        { type: 'ssh-ed25519', fingerprint: server.hostKeyFingerprint, sha1Only: false, accepted: false },
      ],
    });
    expect(logins).toBe(0);
    const wrong = await recon(['doctor', '--show-host-key', 'aquirer'], { cwd: folder.path });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('there are acquirer, inbox')]);
    const local = await recon(['doctor', '--show-host-key', 'inbox'], { cwd: folder.path });
    expect([local.code, local.stderr]).toEqual([
      2,
      expect.stringContaining('only sftp servers have host keys'),
    ]);
  } finally {
    await server.close();
  }
});

test.each(['ecdsa', 'rsa'] as const)(
  '--show-host-key names the file of the %s key that the server has',
  async (type) => {
    const server = await startLoopbackSftpServer({
      rootDirectory: path.join(folder.path, 'inbox'),
      username: 'u',
      password: 'canary',
      hostKeys: [newKeyPair(type).private],
    });
    try {
      configure(
        `  - { name: acquirer, protocol: sftp, host: 127.0.0.1, port: ${server.port}, username: u, password: canary }\n`,
      );
      const { stdout } = await recon(['doctor', '--show-host-key', 'acquirer'], { cwd: folder.path });
      expect(stdout).toContain(`ssh-keygen -lf /etc/ssh/ssh_host_${type}_key.pub`);
      expect(stdout).toContain(`hostKeys: ['${server.hostKeyFingerprint}']`);
    } finally {
      await server.close();
    }
  },
);
