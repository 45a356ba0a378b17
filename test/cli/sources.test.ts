import { existsSync, mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startLoopbackSftpServer } from '../../src/demo/loopback-sftp-server.js';
import type { RunOutcome } from '../../src/outcome.js';
import { startFtpServer } from '../support/ftp-server.js';
import { createInstallation, databaseContent, settlementFile, type Installation } from './installation.js';

const password = 'Kanarienvogel-7';

/** An SFTP server with /outgoing and /outgoing/done, and the configuration entry for it. */
async function startServer(installation: Installation): Promise<{ outgoing: string; entry: string }> {
  const rootDirectory = path.join(installation.directory, 'server');
  const outgoing = path.join(rootDirectory, 'outgoing');
  mkdirSync(path.join(outgoing, 'done'), { recursive: true });
  const server = await startLoopbackSftpServer({ rootDirectory, username: 'merchant', password });
  onTestFinished(() => server.close());
  installation.write('password', `${password}\n`);
  const entry = `  - name: acquirer
    protocol: sftp
    host: 127.0.0.1
    port: ${server.port}
    username: merchant
    passwordFile: password
    hostKeys: ['${server.hostKeyFingerprint}']
    folder: /outgoing
    afterSuccess: { action: move, folder: /outgoing/done }
`;
  return { outgoing, entry };
}

const csvIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.csv'));

test('a file on an SFTP server is loaded and moved; the next run finds no file', async () => {
  const installation = await createInstallation();
  const { outgoing, entry } = await startServer(installation);
  installation.write('recon.config.yaml', `sources:\n${entry}`);
  installation.write('server/outgoing/settlement.csv', settlementFile(1, 2));

  const first = await installation.json<RunOutcome>('run', '--source', 'acquirer');
  expect(first.code).toBe(0);
  expect(first.document.sources).toEqual([{ name: 'acquirer', status: 'read', error: null }]);
  expect(first.document.files.map(({ source, name, status }) => [source, name, status])).toEqual([
    ['acquirer', 'settlement.csv', 'loaded'],
  ]);
  expect([csvIn(outgoing), csvIn(path.join(outgoing, 'done'))]).toEqual([[], ['settlement.csv']]);

  const second = await installation.json<RunOutcome>('run');
  expect([second.code, second.document.files]).toEqual([0, []]);
  const printed = [first, second].map(({ stdout, stderr }) => stdout + stderr).join('');
  expect(printed).not.toContain(password);
});

test('a source that is named twice is read once', async () => {
  const installation = await createInstallation();
  const entry = (name: string) => `  - { name: ${name}, protocol: local, folder: ${name} }\n`;
  installation.write('recon.config.yaml', `sources:\n${entry('north')}${entry('south')}`);
  installation.write('north/1.csv', settlementFile(1));
  installation.write('south/2.csv', settlementFile(2));
  const named = ['north', 'south', 'north'].flatMap((name) => ['--source', name]);
  const { document } = await installation.json<RunOutcome>('run', ...named);
  expect(document.sources.map(({ name }) => name)).toEqual(['north', 'south']);
  expect(document.files.map(({ name, status }) => [name, status])).toEqual([
    ['1.csv', 'loaded'],
    ['2.csv', 'loaded'],
  ]);
});

test('a rejected file that stays on the server is named in each run, with a note', async () => {
  const installation = await createInstallation();
  const { entry } = await startServer(installation);
  const stays = entry.replace(/ {4}afterSuccess.*\n/, '');
  installation.write('recon.config.yaml', `sources:\n${stays}`);
  const files = ['good.csv', 'comma.csv'].map((name) => {
    const content = settlementFile(1);
    return installation.write(
      `server/outgoing/${name}`,
      name === 'good.csv' ? content : content.replaceAll(';', ','),
    );
  });
  // Old enough to be known by size and time alone.
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const file of files) utimesSync(path.resolve(installation.directory, file), longAgo, longAgo);
  const first = await installation.json<RunOutcome>('run');
  expect(first.document.files.map(({ name, status }) => [name, status])).toEqual([
    ['comma.csv', 'rejected'],
    ['good.csv', 'loaded'],
  ]);
  const { code, document } = await installation.json<RunOutcome>('run');
  expect(code).toBe(0);
  expect(document.files).toMatchObject([
    {
      name: 'comma.csv',
      status: 'duplicate',
      note: expect.stringContaining('rejected before (FILE_HEADER)') as string,
    },
    { name: 'good.csv', status: 'duplicate' },
  ]);
  expect(document.files[1]).not.toHaveProperty('note');
});

test('the host key changes between two runs: nothing is sent or stored until the new one is configured', async () => {
  const installation = await createInstallation();
  const { entry } = await startServer(installation);
  installation.write('recon.config.yaml', `sources:\n${entry}`);
  installation.write('server/outgoing/first.csv', settlementFile(1));
  expect((await installation.json<RunOutcome>('run')).code).toBe(0);

  // Another server with the same folder and account is the same server with another key.
  const rootDirectory = path.join(installation.directory, 'server');
  const changed = await startLoopbackSftpServer({ rootDirectory, username: 'merchant', password });
  onTestFinished(() => changed.close());
  const moved = entry
    .replace(/port: \d+/, `port: ${changed.port}`)
    .replace('passwordFile', 'attempts: 3\n    passwordFile');
  installation.write('recon.config.yaml', `sources:\n${moved}`);
  installation.write('server/outgoing/second.csv', settlementFile(2));
  const before = (await databaseContent(installation))['settlement_records'];
  const refused = await installation.json<RunOutcome>('run');
  expect(refused.code).toBe(4);
  expect(refused.document.files).toEqual([]);
  expect(refused.document.sources).toMatchObject([{ status: 'failed', error: { code: 'SOURCE_HOST_KEY' } }]);
  const message = refused.document.sources[0]?.error?.message ?? '';
  expect(message).toContain(changed.hostKeyFingerprint);
  expect((await databaseContent(installation))['settlement_records']).toEqual(before);
  expect(existsSync(path.join(rootDirectory, 'outgoing/second.csv'))).toBe(true);

  // Both keys may be listed, so that the new one can be added before the change.
  const [, former = ''] = /hostKeys: \['(.*)'\]/.exec(entry) ?? [];
  const both = moved.replace(`'${former}'`, `'${former}', '${changed.hostKeyFingerprint}'`);
  installation.write('recon.config.yaml', `sources:\n${both}`);
  const accepted = await installation.json<RunOutcome>('run');
  expect(accepted.code).toBe(0);
  expect(accepted.document.files.map(({ name, status }) => [name, status])).toEqual([
    ['second.csv', 'loaded'],
  ]);
});

test('a dry run leaves the file on the server and stores nothing', async () => {
  const installation = await createInstallation();
  const { outgoing, entry } = await startServer(installation);
  installation.write('recon.config.yaml', `sources:\n${entry}`);
  installation.write('server/outgoing/settlement.csv', settlementFile(1));
  const before = await databaseContent(installation);
  const { code, document } = await installation.json<RunOutcome>('run', '--dry-run');
  expect(code).toBe(0);
  expect(document.files.map(({ status }) => status)).toEqual(['loaded']);
  expect(csvIn(outgoing)).toEqual(['settlement.csv']);
  expect(await databaseContent(installation)).toEqual(before);
});

test('4: a source that is down does not prevent loading from the other; both are reported', async () => {
  const installation = await createInstallation();
  const { entry } = await startServer(installation);
  const down = entry
    .replace('name: acquirer', 'name: down')
    .replace(/port: \d+/, 'port: 1\n    attempts: 1\n    connectTimeoutMs: 2000');
  installation.write('recon.config.yaml', `sources:\n${down}${entry}`);
  installation.write('server/outgoing/settlement.csv', settlementFile(1));

  const { code, document, stderr } = await installation.json<RunOutcome>('run');
  expect(code).toBe(4);
  expect([document.status, document.exitCode]).toEqual(['completed', 4]);
  expect(document.sources.map(({ name, status, error }) => [name, status, error?.code])).toEqual([
    ['down', 'failed', 'SOURCE_UNREACHABLE'],
    ['acquirer', 'read', undefined],
  ]);
  expect(document.files.map(({ source, status }) => [source, status])).toEqual([['acquirer', 'loaded']]);
  expect(document.reports).not.toBeNull();
  expect(stderr).not.toMatch(/\n\s+at .+:\d+:\d+/);

  const doctor = await installation.json<{ checks: { subject: string; ok: boolean }[] }>('doctor');
  expect(doctor.code).toBe(4);
  expect(doctor.document.checks.filter(({ ok }) => !ok).map(({ subject }) => subject)).toEqual([
    'source down',
  ]);
});

test('4: a host key other than the pinned one is never accepted, and the password is not sent', async () => {
  const installation = await createInstallation();
  const { outgoing, entry } = await startServer(installation);
  installation.write(
    'recon.config.yaml',
    `sources:\n${entry.replace(/SHA256:.{43}/, `SHA256:${'A'.repeat(43)}`)}`,
  );
  installation.write('server/outgoing/settlement.csv', settlementFile(1));
  const { code, document } = await installation.json<RunOutcome>('run');
  expect(code).toBe(4);
  expect(document.sources.map(({ error }) => error?.code)).toEqual(['SOURCE_HOST_KEY']);
  expect(csvIn(outgoing)).toEqual(['settlement.csv']);
});

const cleanDay = path.resolve(import.meta.dirname, '../../fixtures/clean-day');

/** The lines of the configuration that name a server with the files of a story. */
const servers: Readonly<Record<string, (rootDirectory: string) => Promise<readonly string[]>>> = {
  local: () => Promise.resolve(['protocol: local', 'folder: server']),
  sftp: async (rootDirectory) => {
    const server = await startLoopbackSftpServer({ rootDirectory, username: 'merchant', password });
    onTestFinished(() => server.close());
    return remote('sftp', server.port, `hostKeys: ['${server.hostKeyFingerprint}']`);
  },
  ftp: async (rootDirectory) => {
    const server = await startFtpServer({ rootDirectory, password });
    onTestFinished(() => server.close());
    return remote('ftp', server.port, 'allowInsecure: true');
  },
  'ftps explicit': (rootDirectory) => startFtps(rootDirectory, 'explicit'),
  'ftps implicit': (rootDirectory) => startFtps(rootDirectory, 'implicit'),
};

async function startFtps(rootDirectory: string, tls: 'explicit' | 'implicit'): Promise<readonly string[]> {
  const server = await startFtpServer({ rootDirectory, tls, password });
  onTestFinished(() => server.close());
  const authority = path.join(rootDirectory, 'authority.pem');
  writeFileSync(authority, server.certificate);
  return remote('ftps', server.port, `tls: ${tls}`, `caFile: ${authority}`);
}

const remote = (protocol: string, port: number, ...more: readonly string[]) => [
  ...[`protocol: ${protocol}`, 'host: 127.0.0.1', `port: ${port}`, 'username: merchant', 'folder: /'],
  ...['passwordFile: password', ...more],
];

test.each(Object.entries(servers))('the process fetches and reconciles a day over %s', async (_, start) => {
  const installation = await createInstallation();
  installation.write('password', `${password}\n`);
  for (const name of readdirSync(path.join(cleanDay, 'inbound'))) {
    installation.write(`server/${name}`, readFileSync(path.join(cleanDay, 'inbound', name), 'utf8'));
  }
  const lines = [
    'name: acquirer',
    "filePattern: '*.csv'",
    ...(await start(path.join(installation.directory, 'server'))),
  ];
  installation.write('recon.config.yaml', `sources:\n  - ${lines.join('\n    ')}\n`);
  expect(
    (await installation.reconProcess('payments', 'import', path.join(cleanDay, 'payments.csv'))).code,
  ).toBe(0);

  const { code, stdout, stderr } = await installation.reconProcess('run', '--as-of', '2026-11-20', '--json');
  expect(stderr).not.toMatch(/\n\s+at .+:\d+:\d+/);
  expect(code).toBe(0);
  const outcome = JSON.parse(stdout) as RunOutcome;
  const expected = JSON.parse(readFileSync(path.join(cleanDay, 'expected.json'), 'utf8')) as RunOutcome;
  expect(outcome.sources).toEqual([{ name: 'acquirer', status: 'read', error: null }]);
  expect(outcome.matching).toEqual(expected.matching);
  expect(existsSync(outcome.reports?.discrepancies ?? '')).toBe(true);
});
