import { createServer } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createInstallation, paymentsFile, settlementFile, type Installation } from './installation.js';

/** cron mails what a command prints and ignores its exit code: with --quiet, a failure must still name its cause. */

/** A port of this machine on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

const sftp = (name: string, port: number) =>
  `{ name: ${name}, protocol: sftp, host: 127.0.0.1, port: ${port}, username: u, password: p, folder: /, ` +
  `hostKeys: ['SHA256:${'A'.repeat(43)}'], attempts: 1`;

async function quietly(installation: Installation, ...args: string[]) {
  const { code, stdout, stderr } = await installation.recon(...args, '--quiet', '--log-level', 'silent');
  expect(stdout).toBe('');
  return { code, lines: stderr.split('\n').filter((line) => line !== '') };
}

test('run: a source that cannot be read is named, in the last line, also when a delivery is missing', async () => {
  const installation = await createInstallation();
  const port = await closedPort();
  installation.write(
    'recon.config.yaml',
    `sources:\n  - ${sftp('acquirer', port)}, expected: { days: daily, deadline: '07:00' } }\n`,
  );
  const { code, lines } = await quietly(installation, 'run', '--as-of', '2026-11-20');
  expect(code).toBe(8);
  expect(lines).toEqual([
    'recon: run 1: acquirer 2026-11-19: missing since 2026-11-20T07:00Z',
    expect.stringMatching(
      /^recon: run 1: source acquirer could not be read: .*127\.0\.0\.1.* \(SOURCE_UNREACHABLE\)$/,
    ),
  ]);
});

test('run: a rejected file and one that cannot be read are named with their reasons', async () => {
  const installation = await createInstallation();
  const file = installation.write('settlement.csv', 'not a settlement file\n');
  const { code, lines } = await quietly(installation, 'run', '--file', file, '--file', 'gone.csv');
  expect(code).toBe(4);
  expect(lines).toEqual([
    expect.stringMatching(/^recon: run 1: settlement\.csv was rejected: .* \(FILE_HEADER\)$/),
    expect.stringMatching(/^recon: run 1: gone\.csv could not be read: .* \(FILE_UNREADABLE\)$/),
  ]);
});

test('run: a reason of several lines is one line', async () => {
  const installation = await createInstallation();
  const file = installation.write(
    'settlement.csv',
    settlementFile({ Amount: 'a lot', Currency: 'EURO', SettlementDate: 'yesterday' }),
  );
  const { code, lines } = await quietly(installation, 'run', '--file', file);
  expect(code).toBe(1);
  expect(lines).toEqual([
    expect.stringMatching(/^recon: run 1: settlement\.csv was rejected: .*FILE_NO_VALID_ROW/),
  ]);
});

test('doctor: what is wrong is printed, and nothing else', async () => {
  const installation = await createInstallation();
  const port = await closedPort();
  installation.write('recon.config.yaml', `sources:\n  - ${sftp('acquirer', port)} }\n`);
  const { code, lines } = await quietly(installation, 'doctor');
  expect(code).toBe(4);
  expect(lines).toEqual([
    expect.stringMatching(/^recon: source acquirer: .*127\.0\.0\.1.* \(SOURCE_UNREACHABLE\)$/),
  ]);
  installation.write('recon.config.yaml', 'timezone: UTC\n');
  expect(await quietly(installation, 'doctor')).toEqual({ code: 0, lines: [] });
});

test('reports deliver: the place that does not receive a report is named', async () => {
  const installation = await createInstallation();
  const port = await closedPort();
  installation.write('recon.config.yaml', `reports:\n  deliverTo:\n    - ${sftp('finance', port)} }\n`);
  const file = installation.write('settlement.csv', settlementFile(1));
  // The run itself never fails because of a delivery.
  expect(await quietly(installation, 'run', '--file', file)).toEqual({ code: 0, lines: [] });
  const { code, lines } = await quietly(installation, 'reports', 'deliver');
  expect(code).toBe(4);
  expect(lines).toEqual([
    expect.stringMatching(/^recon: run-000001 waits for finance: .* \(SOURCE_UNREACHABLE\)$/),
  ]);
});

test('reports deliver without a place says which setting is missing, not that an argument is wrong', async () => {
  const installation = await createInstallation();
  const { code, stderr } = await installation.recon('reports', 'deliver');
  expect(code).toBe(2);
  expect(stderr).toBe(
    'recon: No place to deliver reports to is configured (reports.deliverTo).\n' +
      'Correct the settings that are named; `recon init` writes an example that explains every setting. (CONFIG_INVALID)\n',
  );
});

test('archive encrypt without a key says which setting is missing, not that an argument is wrong', async () => {
  const installation = await createInstallation();
  expect(await quietly(installation, 'archive', 'encrypt')).toEqual({
    code: 2,
    lines: [
      'recon: No key is configured to encrypt with (archive.encryptWith).',
      'Correct the settings that are named; `recon init` writes an example that explains every setting. (CONFIG_INVALID)',
    ],
  });
});

test('alerts test: a channel that fails, and that there is none', async () => {
  const installation = await createInstallation();
  expect(await quietly(installation, 'alerts', 'test')).toEqual({
    code: 2,
    lines: [
      'recon: No channel is configured: set alerts.email, alerts.webhook or alerts.command.',
      'Correct the settings that are named; `recon init` writes an example that explains every setting. (CONFIG_INVALID)',
    ],
  });
  installation.write('recon.config.yaml', 'alerts: { command: [/bin/false] }\n');
  const { code, lines } = await quietly(installation, 'alerts', 'test');
  expect(code).toBe(2);
  expect(lines).toEqual([expect.stringMatching(/^recon: command: ./)]);
});

test('payments import --dry-run: contradictions that refuse the import', async () => {
  const installation = await createInstallation();
  const payments = installation.write('payments.csv', paymentsFile(1, 2));
  expect(await quietly(installation, 'payments', 'import', payments)).toEqual({ code: 0, lines: [] });
  const changed = installation.write('changed.csv', paymentsFile(1, 2).replaceAll(';EUR;', ';USD;'));
  const { code, lines } = await quietly(installation, 'payments', 'import', changed, '--dry-run');
  expect(code).toBe(2);
  expect(lines).toEqual([
    'recon: The import would be refused because of 2 contradictions (--allow-changes stores them).',
  ]);
});

test('webhooks test: why a notification was not delivered', async () => {
  const installation = await createInstallation();
  const port = await closedPort();
  installation.write('recon.config.yaml', 'webhooks: { allowHosts: [127.0.0.1] }\n');
  const { document } = await installation.json<{ id: string }>(
    ...['webhooks', 'add', '--url', `http://127.0.0.1:${port}/`, '--types', 'PAYMENT'],
    ...['--entity', '8a8294174b7ecb28014b9699220015ca'],
  );
  const { code, lines } = await quietly(installation, 'webhooks', 'test', document.id);
  expect(code).toBe(1);
  expect(lines).toEqual([expect.stringMatching(/^recon: The test was not delivered: .+\.$/)]);
});

test('archive encrypt: a damaged file', async () => {
  const installation = await createInstallation();
  const file = installation.write('settlement.csv', settlementFile(1));
  expect(await quietly(installation, 'run', '--file', file)).toEqual({ code: 0, lines: [] });
  const { document } = await installation.json<{ sha256: string }[]>('files');
  const sha256 = document[0]?.sha256 ?? '';
  installation.write(path.join('data', 'archive', sha256.slice(0, 2), sha256), 'other bytes');
  installation.write('recon.config.yaml', `archive: { encryptWith: first, keysFile: keys.json }\n`);
  installation.write('keys.json', JSON.stringify({ first: 'ab'.repeat(32) }));
  const { code, lines } = await quietly(installation, 'archive', 'encrypt');
  expect(code).toBe(6);
  expect(lines).toEqual([expect.stringMatching(/^recon: .*damaged|^recon: .*SHA-256/)]);
});

test('what a command writes is written: a new token, the key of a webhook, a script', async () => {
  const installation = await createInstallation();
  const entity = ['--entity', '8a8294174b7ecb28014b9699220015ca'];
  const written = async (...args: string[]) => {
    const { code, stdout } = await installation.recon(...args, '--quiet', '--log-level', 'silent');
    expect(code).toBe(0);
    return stdout;
  };
  // Each is shown once: otherwise nobody would have it.
  const created = await written('tokens', 'create', ...entity);
  const [, id = ''] = /This is token (\w+)/.exec(created) ?? [];
  expect(await written('tokens', 'rotate', id)).toMatch(/^\S{20,}\nThis is token /);
  expect(await written('webhooks', 'add', '--url', 'https://shop.example/notify', ...entity)).toMatch(
    /\nkey {12}[0-9a-f]{64}\n/,
  );
  expect(await written('completion', 'bash')).toContain('complete -F _recon recon');
});

test('nothing is printed with --json besides the one document', async () => {
  const installation = await createInstallation();
  const port = await closedPort();
  installation.write('recon.config.yaml', `sources:\n  - ${sftp('acquirer', port)} }\n`);
  for (const command of ['run', 'doctor']) {
    const { code, stdout, stderr } = await installation.recon(
      ...[command, '--quiet', '--json', '--log-level', 'silent'],
    );
    expect([code, stderr]).toEqual([4, '']);
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 4 });
  }
});
