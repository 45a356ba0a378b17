import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createInstallation, settlementFile } from '../cli/installation.js';
import { binFolder, deployFile } from './deploy-files.js';

/** The variables and the job of a file in /etc/cron.d, as cron reads them. */
function readCronFile(text: string) {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const variables = Object.fromEntries(
    lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split('=', 2) as [string, string]),
  );
  const jobs = lines.filter((line) => !/^\w+=/.test(line));
  const [, time = '', account = '', command = ''] =
    /^(\S+ \S+ \S+ \S+ \S+)\s+(\S+)\s+(.*)$/.exec(jobs[0] ?? '') ?? [];
  return { variables, jobs: jobs.length, time, account, command };
}

const cron = readCronFile(deployFile('cron/recon'));

test('it is one job with the environment that it needs', () => {
  expect(cron).toMatchObject({ jobs: 1, time: '30 5 * * *', account: 'recon' });
  expect(cron.variables).toMatchObject({ SHELL: '/bin/sh', PATH: '/usr/local/bin:/usr/bin:/bin' });
  expect(cron.variables['MAILTO']).toMatch(/@example\.com$/);
  // cron ends the command at a percent sign and passes the rest as its input.
  expect(cron.command).not.toContain('%');
  expect(deployFile('cron/recon')).toMatch(/\n$/);
});

test('the job, started as cron starts it, mails nothing after a good run and the reason after any other', async () => {
  const installation = await createInstallation();
  const { directory } = installation;
  const bin = binFolder(directory);
  /** What cron would mail: everything that the job prints. */
  const start = (PATH = `${bin}:${cron.variables['PATH'] ?? ''}`) => {
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', cron.command.replace('/srv/recon', directory)], {
      cwd: '/',
      env: { ...cron.variables, PATH, HOME: directory, LOGNAME: cron.account },
      encoding: 'utf8',
    });
    return stdout + stderr;
  };
  const documents = () =>
    readFileSync(path.join(directory, 'runs.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { runId: number; exitCode: number });
  installation.write(
    'recon.config.yaml',
    `databaseUrl: ${installation.database.url}\nsources:\n  - { name: inbox, protocol: local, folder: ./inbox }\n`,
  );
  installation.write('inbox/settlement-1.csv', settlementFile(1));
  expect(start()).toBe('');
  expect(documents()).toMatchObject([{ runId: 1, exitCode: 0 }]);
  expect(existsSync(path.join(directory, 'recon-data/reports/run-000001'))).toBe(true);

  installation.write('inbox/settlement-2.csv', settlementFile({ Amount: 'many' }, 2));
  const rejected = start();
  expect(rejected).toMatch(/^recon run: exit code 1\n\{"runId":2,/);
  expect(documents()).toMatchObject([{ runId: 1 }, { runId: 2, exitCode: 1 }]);

  installation.write('recon.config.yaml', 'timezon: UTC\n');
  expect(start()).toMatch(/^recon run: exit code 2\n\{"error":\{"code":"CONFIG_INVALID",.*timezone/);

  expect(start('/nowhere')).toMatch(/^recon run: exit code 127\n/);
}, 60_000);
