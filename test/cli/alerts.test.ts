import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Alert } from '../../src/alerts/alert.js';
import { Interrupted } from '../../src/cli/interrupted.js';
import { runProgram } from '../../src/cli/program.js';
import { startSmtpServer } from '../support/smtp-server.js';
import {
  createInstallation,
  databaseContent,
  paymentsFile,
  settlementFile,
  type Installation,
} from './installation.js';
import { Collector } from './recon.js';

/** Alerts as an operator gets them: once for each change, whatever goes wrong on the way. */

interface Scene {
  readonly installation: Installation;
  /** The alerts that the program of the channel `command` got since the last call. */
  readonly received: () => string[];
  readonly configure: (more?: string, sources?: string) => void;
}

const bank = '  - { name: bank, protocol: local, folder: bank }\n';

async function scene(): Promise<Scene> {
  const installation = await createInstallation();
  const log = path.join(installation.directory, 'alerts.log');
  installation.write('alert.sh', `cat >> '${log}'\n`);
  const received = () => {
    // The program of the channel may be writing: what is there then is read the next time.
    const written = existsSync(log) ? readFileSync(log, 'utf8') : '';
    if (!written.endsWith('\n')) return [];
    rmSync(log);
    return written
      .trimEnd()
      .split('\n')
      .map((line) => {
        const { state, key } = JSON.parse(line) as Alert;
        return `${state} ${key}`;
      });
  };
  const configure = (more = '', sources = bank) => {
    const command = `[/bin/sh, ${path.join(installation.directory, 'alert.sh')}]`;
    installation.write(
      'recon.config.yaml',
      `alerts:\n  command: ${command}\n${more}logLevel: warn\nsources:\n${sources}`,
    );
  };
  configure();
  mkdirSync(path.join(installation.directory, 'bank'));
  return { installation, received, configure };
}

test('without a channel the list says that nothing is checked, and not that nothing is wrong', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', 'logLevel: silent\n');
  expect((await installation.recon('alerts', 'list')).stdout).toBe(
    'No channel is configured (alerts), so nothing is checked.\n',
  );
});

test('a source that is down is one alert, and one more when it is back', async () => {
  const { installation, received } = await scene();
  const inbox = path.join(installation.directory, 'bank');
  expect([(await installation.recon('run')).code, received()]).toEqual([0, []]);
  rmSync(inbox, { recursive: true });
  expect([(await installation.recon('run')).code, received()]).toEqual([4, ['raised source-down:bank']]);
  expect([(await installation.recon('run')).code, received()]).toEqual([4, []]);
  const { document } = await installation.json<{ conditions: { key: string }[] }>('alerts', 'list');
  expect(document.conditions.map(({ key }) => key)).toEqual(['source-down:bank']);
  expect((await installation.recon('alerts', 'list')).stdout).toContain('source-down:bank');
  mkdirSync(inbox);
  expect([(await installation.recon('run')).code, received()]).toEqual([0, ['recovered source-down:bank']]);
  expect((await installation.recon('alerts', 'list')).stdout).toBe('Channels: command\nNothing is wrong.\n');
});

test('without a channel nothing is stored, and a dry run and a re-run send nothing', async () => {
  const { installation, received } = await scene();
  rmSync(path.join(installation.directory, 'bank'), { recursive: true });
  await installation.recon('run', '--dry-run');
  await installation.recon('rerun', '--from', '2026-11-19', '--to', '2026-11-19', '--fetch');
  expect(received()).toEqual([]);
  installation.write('recon.config.yaml', `sources:\n${bank}`);
  expect((await installation.recon('run')).code).toBe(4);
  const content = await databaseContent(installation);
  expect([content['alert_conditions'], content['alert_messages']]).toEqual([[], []]);
  expect(received()).toEqual([]);
});

test('thresholds on new items and on money, per currency, and the mail has the report', async () => {
  const { installation, received, configure } = await scene();
  const mail = await startSmtpServer();
  configure(`  thresholds: { newItems: 1, openAtRisk: { EUR: 50.00, USD: 1 } }
  email: { host: 127.0.0.1, port: ${mail.port}, tls: none, from: recon@example.com, to: ops@example.com }
`);
  installation.write('bank/a.csv', settlementFile(1, 2));
  await installation.recon('run');
  expect(received()).toEqual(['raised new-items', 'raised open-at-risk:EUR']);
  expect(mail.mails).toHaveLength(1);
  expect(mail.mails[0]?.text).toContain('Subject: recon: new problems: 2, recovered: 0');
  expect(mail.mails[0]?.text).toMatch(/attachment; filename=run-000001-page\.html/);
  // Nothing new: the items are still open.
  await installation.recon('run');
  expect(received()).toEqual(['recovered new-items']);
  installation.write('payments.csv', paymentsFile(1, 2));
  await installation.recon('payments', 'import', 'payments.csv');
  await installation.recon('run');
  expect(received()).toEqual(['recovered open-at-risk:EUR']);
});

test('an alert that cannot be sent does not fail the run, and goes out with the next one', async () => {
  const { installation, received, configure } = await scene();
  const mail = await startSmtpServer();
  const email = `  email: { host: 127.0.0.1, port: ${mail.port}, tls: none, from: recon@example.com, to: ops@example.com }\n`;
  configure(email);
  mail.refuse(true);
  rmSync(path.join(installation.directory, 'bank'), { recursive: true });
  const ended = await installation.recon('run');
  expect(ended.code).toBe(4);
  expect(ended.stderr).toContain('An alert could not be sent by email');
  // The other channel does not wait for it.
  expect([received(), mail.mails.length]).toEqual([['raised source-down:bank'], 0]);
  const listed = await installation.json<{ waiting: { channel: string; alerts: number }[] }>(
    'alerts',
    'list',
  );
  expect(listed.document.waiting).toMatchObject([{ channel: 'email', alerts: 1 }]);
  // Of what the mail server says, the terminal gets no character that it acts on.
  for (const command of ['list', 'test'])
    expect((await installation.recon('alerts', command)).stdout).toContain('busy\\u202e password');
  mail.refuse(false);
  mkdirSync(path.join(installation.directory, 'bank'));
  expect((await installation.recon('run')).code).toBe(0);
  expect(mail.mails.map(({ text }) => /Subject: (.*)/.exec(text)?.[1])).toEqual([
    'recon: new problems: 1, recovered: 1',
  ]);
  expect((await installation.json<{ waiting: unknown[] }>('alerts', 'list')).document.waiting).toEqual([]);
});

test('a slow mail server keeps no transaction open, and the same alert is not sent twice meanwhile', async () => {
  const { installation, configure } = await scene();
  const mail = await startSmtpServer();
  configure(
    `  email: { host: 127.0.0.1, port: ${mail.port}, tls: none, from: recon@example.com, to: ops@example.com }\n`,
  );
  rmSync(path.join(installation.directory, 'bank'), { recursive: true });
  const { reached, release } = mail.hold();
  const first = installation.recon('run');
  await reached;
  const open = await installation.database.database.sql`
    select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
  expect(open).toEqual([]);
  const second = await installation.recon('run');
  release();
  expect([(await first).code, second.code]).toEqual([4, 4]);
  expect(mail.mails.map(({ to }) => to)).toEqual([['ops@example.com']]);
});

test('what a process that was killed had claimed is sent again later, with the same id', async () => {
  const { installation, received } = await scene();
  const { sql } = installation.database.database;
  rmSync(path.join(installation.directory, 'bank'), { recursive: true });
  expect([(await installation.recon('run')).code, received()]).toEqual([4, ['raised source-down:bank']]);
  const claim = (until: string) =>
    sql`update alert_messages set sent_at = null, claimed_until = now() + ${until}::interval`;
  await claim('1 minute');
  await installation.recon('run');
  expect(received()).toEqual([]);
  await claim('-1 second');
  await installation.recon('run');
  expect(received()).toEqual(['raised source-down:bank']);
});

test('a database that cannot be reached is one alert, and recovers with the first run after it', async () => {
  const { installation, received } = await scene();
  const without = async () => {
    const url = installation.database.url.replace(/\/[^/?]*(\?|$)/, '/no_such_database$1');
    const environment = { ...installation.environment, RECON_DATABASE_URL: url };
    const [stdout, stderr] = [new Collector(), new Collector()];
    const signal = new AbortController().signal;
    return runProgram(['run'], { stdout, stderr, cwd: installation.directory, environment, signal });
  };
  expect([await without(), received()]).toEqual([5, ['raised run-failed']]);
  expect([await without(), received()]).toEqual([5, []]);
  expect([(await installation.recon('run')).code, received()]).toEqual([0, ['recovered run-failed']]);
  expect([(await installation.recon('run')).code, received()]).toEqual([0, []]);
});

test('recon doctor --since notices a run that did not happen, and a deadline that passed after the run', async () => {
  const { installation, received, configure } = await scene();
  const since = async () => {
    const { code, document } = await installation.json<{
      checks: { subject: string; code: string | null }[];
    }>(...['doctor', '--since', '26h']);
    return [code, document.checks.find(({ subject }) => subject === 'last run')?.code];
  };
  expect([await since(), received()]).toEqual([[8, 'RUN_MISSING'], ['raised run-missing']]);
  expect([await since(), received()]).toEqual([[8, 'RUN_MISSING'], []]);
  await installation.recon('run');
  expect(received()).toEqual(['recovered run-missing']);
  expect([await since(), received()]).toEqual([[0, null], []]);
  const { sql } = installation.database.database;
  const completedLater = (days: number) =>
    sql`update runs set finished_at = finished_at + make_interval(days => ${days})`;
  await completedLater(365);
  expect([await since(), received()]).toEqual([[8, 'RUN_MISSING'], ['raised run-missing']]);
  await completedLater(-365);
  expect([await since(), received()]).toEqual([[0, null], ['recovered run-missing']]);
  configure('', bank.replace(' }', ", expected: { days: daily, deadline: '00:00', lagDays: 0 } }"));
  const [, [alert = '']] = [await since(), received()];
  expect(alert).toMatch(/^raised file-missing:bank:\d{4}-\d{2}-\d{2}$/);
  const wrong = await installation.recon('doctor', '--since', 'yesterday');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('26h, 90m or 2d')]);
});

test('recon schedule notices that a run did not happen while it was stopped, and sends what waits', async () => {
  const { installation, received, configure } = await scene();
  configure('  overdueMinutes: 1\n', bank);
  const { sql } = installation.database.database;
  await installation.recon('run');
  // The machine was off for two days.
  await sql`update runs set scheduled_for = now() - interval '2 days', started_at = now() - interval '2 days'`;
  const config = path.join(installation.directory, 'recon.config.yaml');
  writeFileSync(config, `${readFileSync(config, 'utf8')}schedule: { cron: '0 0 * * *' }\n`, { mode: 0o600 });
  const stopping = new AbortController();
  const [stdout, stderr] = [new Collector(), new Collector()];
  const ended = runProgram(['schedule', '--json'], {
    ...{ stdout, stderr, cwd: installation.directory, environment: installation.environment },
    signal: stopping.signal,
  });
  onTestFinished(async () => {
    stopping.abort(new Interrupted('SIGTERM'));
    await ended;
  });
  const alerts: string[] = [];
  while (!alerts.includes('recovered run-missing')) {
    alerts.push(...received());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(alerts).toEqual(['raised run-missing', 'recovered run-missing']);
});

test('recon alerts test tries every channel, and says which does not work', async () => {
  const { installation, received, configure } = await scene();
  const works = await installation.recon('alerts', 'test');
  expect([works.code, received()]).toEqual([0, ['test test']]);
  const mail = await startSmtpServer();
  mail.refuse(true);
  configure(
    `  email: { host: 127.0.0.1, port: ${mail.port}, tls: none, from: recon@example.com, to: ops@example.com }\n`,
  );
  const broken = await installation.json<{ channel: string; error: string | null }[]>('alerts', 'test');
  expect(broken.code).toBe(2);
  expect(broken.document).toMatchObject([
    { channel: 'email', error: expect.stringMatching(/451/) as string },
    { channel: 'command', error: null },
  ]);
  installation.write('recon.config.yaml', '');
  expect((await installation.recon('alerts', 'test')).code).toBe(2);
});

test('every problem of the settings is reported together, and no secret is printed', async () => {
  const { installation } = await scene();
  installation.write(
    'recon.config.yaml',
    `alerts:
  email: { host: mail.example.com, tls: none, username: recon, password: s3cret, from: a@example.com, to: [] }
  webhook: { url: 'http://example.com/hook', secret: s3cret }
  command: /bin/true
  thresholds: { newAtRisk: { EUR: 1.234 } }
`,
  );
  const { code, stderr } = await installation.recon('run');
  expect(code).toBe(2);
  for (const part of [
    'alerts.email.to',
    'alerts.webhook.url',
    'alerts.command',
    'alerts.thresholds.newAtRisk.EUR',
  ])
    expect(stderr).toContain(part);
  installation.write(
    'recon.config.yaml',
    `alerts:
  email: { host: mail.example.com, tls: none, username: recon, password: s3cret, from: a@example.com, to: b@example.com }
  webhook: { url: 'https://example.com/hook', secret: s3cret }
`,
  );
  const second = await installation.recon('run');
  expect(second.stderr).toContain('the password would be sent unencrypted');
  expect(second.stderr).toContain('the secret must be whsec_');
  expect(stderr + second.stderr).not.toContain('s3cret');
});
