import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Interrupted } from '../../src/cli/interrupted.js';
import { runProgram } from '../../src/cli/program.js';
import { metricCatalogue, metricNames } from '../../src/metrics/metric-catalogue.js';
import { namesOf, seriesOf } from '../metrics/series.js';
import { createInstallation, paymentsFile, settlementFile, type Installation } from './installation.js';
import { Collector } from './recon.js';

/** Metrics as an operator gets them: a file after a run, and a port of the scheduler. */

const config = (more = '') => `logLevel: info
metrics: { textfile: collector/recon.prom }
sources:
  - { name: inbox, protocol: local, folder: inbox }
  - { name: bank, protocol: local, folder: bank, expected: { days: daily, deadline: '07:00' } }
${more}`;

async function night(): Promise<Installation> {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', config());
  installation.write('bank/none.txt', '');
  installation.write('collector/none.txt', '');
  installation.write('payments.csv', paymentsFile(1));
  installation.write('inbox/a.csv', settlementFile(1, 2, { UniqueID: '', SettlementDate: 'nonsense' }));
  await installation.recon('payments', 'import', 'payments.csv');
  return installation;
}

const textfile = ({ directory }: Installation) => path.join(directory, 'collector', 'recon.prom');
const read = (installation: Installation) => seriesOf(readFileSync(textfile(installation), 'utf8'));

test('after a run, a file for node_exporter has its exit code, stages, rows, sources and items', async () => {
  const installation = await night();
  const begun = Date.now() / 1000;
  expect((await installation.recon('run', '--as-of', '2026-11-20')).code).toBe(8);
  const series = read(installation);
  expect(series.get('recon_last_run_exit_code')).toBe(8);
  expect(series.get('recon_database_up')).toBe(1);
  expect(series.get('recon_last_run_rows{result="accepted"}')).toBe(2);
  expect(series.get('recon_last_run_rows{result="rejected"}')).toBe(1);
  expect(series.get('recon_last_run_files{status="loaded"}')).toBe(1);
  expect(series.get('recon_items{code="NOT_MATCHED",currency="EUR",status="open"}')).toBe(1);
  expect(series.get('recon_source_last_file_timestamp_seconds{source="inbox"}')).toBeGreaterThan(begun - 1);
  expect(series.get('recon_source_last_file_timestamp_seconds{source="bank"}')).toBe(0);
  expect(series.get('recon_last_completed_run_end_timestamp_seconds')).toBeGreaterThan(begun - 1);
  const stages = [...series.keys()].flatMap((name) => /stage="(\w+)"/.exec(name)?.[1] ?? []);
  expect(stages.sort()).toEqual(['count', 'intake', 'load', 'match', 'report']);
  expect(namesOf(readFileSync(textfile(installation), 'utf8'))).toEqual(
    metricNames.filter((name) => ['everywhere', 'figures'].includes(metricCatalogue[name].of)),
  );
  // node_exporter runs under another account, and reads every *.prom.
  expect(statSync(textfile(installation)).mode & 0o777).toBe(0o644);
  expect(readdirSync(path.dirname(textfile(installation))).sort()).toEqual(['none.txt', 'recon.prom']);

  // With --fail-on the exit code of the command counts.
  installation.write('recon.config.yaml', config().replace(/, expected:.*\}/, ' }'));
  expect((await installation.recon('run', '--as-of', '2026-11-20', '--fail-on', 'error')).code).toBe(7);
  expect(read(installation).get('recon_last_run_exit_code')).toBe(7);
});

test('a dry run writes no file, and a file that cannot be written does not change the result of a run', async () => {
  const installation = await night();
  await installation.recon('run', '--dry-run');
  expect(existsSync(textfile(installation))).toBe(false);
  installation.write('recon.config.yaml', config().replace('collector/', 'missing/'));
  const ended = await installation.recon('run', '--as-of', '2026-11-20');
  expect(ended.code).toBe(8);
  expect(ended.stderr).toContain('The metrics could not be written to');
  expect(ended.stderr).toContain('ENOENT');
  // Nor is what was written beside its place left there.
  installation.write('recon.config.yaml', config());
  mkdirSync(textfile(installation), { recursive: true });
  const again = await installation.recon('run', '--as-of', '2026-11-20');
  expect([again.code, again.stderr]).toEqual([8, expect.stringContaining('EISDIR')]);
  expect(readdirSync(path.dirname(textfile(installation))).sort()).toEqual(['none.txt', 'recon.prom']);
});

test('a run that cannot open its database writes its exit code', async () => {
  const installation = await night();
  const environment = {
    ...installation.environment,
    RECON_DATABASE_URL: installation.database.url.replace(/\/[^/?]*(\?|$)/, '/no_such_database$1'),
  };
  const [stdout, stderr] = [new Collector(), new Collector()];
  const signal = new AbortController().signal;
  const code = await runProgram(['run'], {
    stdout,
    stderr,
    cwd: installation.directory,
    environment,
    signal,
  });
  expect(code).toBe(5);
  const series = read(installation);
  expect(series.get('recon_last_run_exit_code')).toBe(5);
  expect(series.get('recon_database_up')).toBe(0);
  expect(series.get('recon_last_run_end_timestamp_seconds')).toBeGreaterThan(Date.now() / 1000 - 60);
});

test('recon schedule has probes and metrics on its admin port, and listens on nothing without one', async () => {
  const installation = await night();
  const schedule = "schedule: { cron: '0 0 1 1 *', adminPort: 0 }\n";
  installation.write('recon.config.yaml', config(schedule));
  expect((await installation.recon('run', '--as-of', '2026-11-20')).code).toBe(8);

  const { adminUrl, stop } = await startSchedule(installation);
  const get = async (target: string) => fetch(`${adminUrl}${target}`);
  expect(await (await get('/livez')).json()).toEqual({ status: 'ok' });
  expect(await (await get('/readyz')).json()).toEqual({ status: 'ready' });
  const answer = await get('/metrics');
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const series = seriesOf(await answer.text());
  expect(series.get('recon_last_run_exit_code')).toBe(8);
  expect(series.get('recon_run_overdue_seconds')).toBe(0);
  expect(series.get('recon_next_run_timestamp_seconds')).toBeGreaterThan(Date.now() / 1000);
  expect(series.get('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
  expect([...series.keys()].filter((name) => name.startsWith('recon_http'))).toEqual([]);
  expect((await get('/v1/payments')).status).toBe(404);

  // Scrapes within 15 seconds read the database once, and open nothing.
  for (let scrape = 0; scrape < 300; scrape += 1) await (await get('/metrics')).text();
  const after = seriesOf(await (await get('/metrics')).text());
  expect(after.get('recon_figures_timestamp_seconds')).toBe(series.get('recon_figures_timestamp_seconds'));
  // Something else in this process may have closed one meanwhile.
  expect(after.get('process_open_fds')).toBeLessThanOrEqual(series.get('process_open_fds') ?? 0);

  // Another scheduler cannot have the port, and names the setting to change: it has no option --port.
  installation.write('recon.config.yaml', config(schedule.replace('0 }', `${new URL(adminUrl).port} }`)));
  const refused = await installation.recon('schedule');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('schedule.adminPort')]);
  expect(refused.stderr).toContain('(PORT_UNAVAILABLE)');

  expect(await stop()).toBe(143);
  await expect(get('/livez')).rejects.toThrow();
});

async function startSchedule({ directory, environment }: Installation) {
  const stopping = new AbortController();
  const [stdout, stderr] = [new Collector(), new Collector()];
  const surroundings = { stdout, stderr, cwd: directory, environment, signal: stopping.signal };
  const ended = runProgram(['schedule'], surroundings);
  const stop = () => {
    stopping.abort(new Interrupted('SIGTERM'));
    return ended;
  };
  onTestFinished(async () => {
    await stop();
  });
  for (;;) {
    const adminUrl = /"adminUrl":"([^"]+)"/.exec(stderr.text)?.[1];
    if (adminUrl !== undefined) return { adminUrl, stop };
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
