import { mkdirSync, readFileSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startLoopbackSftpServer } from '../../src/demo/loopback-sftp-server.js';
import type { ListedFile } from '../../src/listings/list-files.js';
import type { RunOutcome } from '../../src/outcome.js';
import { runCli } from '../support/cli.js';
import { announcedTotals, inboxConfig, namesIn, statusesOf } from './inbox.js';
import { createInstallation, paymentId, settlementFile } from './installation.js';

/** A sender may announce the totals of each file in a second file (design 4.10). A row is 100.00 EUR by default. */

test('over SFTP: a file that agrees is loaded and moved with its totals, one that differs stays until it agrees', async () => {
  const installation = await createInstallation();
  const rootDirectory = path.join(installation.directory, 'server');
  mkdirSync(path.join(rootDirectory, 'outgoing/done'), { recursive: true });
  const server = await startLoopbackSftpServer({ rootDirectory, username: 'merchant', password: 'x' });
  onTestFinished(() => server.close());
  installation.write(
    'recon.config.yaml',
    `sources:
  - name: acquirer
    protocol: sftp
    host: 127.0.0.1
    port: ${server.port}
    username: merchant
    password: x
    hostKeys: ['${server.hostKeyFingerprint}']
    folder: /outgoing
    afterSuccess: { action: move, folder: /outgoing/done }
    totals: { sidecar: 'totals-{base}.csv' }
`,
  );
  installation.write('server/outgoing/a.csv', settlementFile(1, 2));
  installation.write('server/outgoing/totals-a.csv', announcedTotals(2, 'EUR;200.00'));
  installation.write('server/outgoing/b.csv', settlementFile(3, 4));
  installation.write('server/outgoing/totals-b.csv', announcedTotals(3, 'EUR;200.50', 'USD;7.00'));

  const first = await installation.json<RunOutcome>('run');
  expect([first.code, statusesOf(first.document)]).toEqual([
    1,
    ['a.csv loaded', 'b.csv rejected FILE_TOTALS_DIFFER'],
  ]);
  expect(first.document.files[1]?.error?.message).toBe(
    'The file differs from the totals in totals-b.csv: 3 rows are announced, the file has 2; ' +
      '200.50 EUR is announced, the file has 200.00 EUR (difference -0.50 EUR); ' +
      '7.00 USD is announced, the file has none (difference -7.00 USD). None of its rows was stored.',
  );
  expect(namesIn(installation, 'server/outgoing')).toEqual(['b.csv', 'done', 'totals-b.csv']);
  expect(namesIn(installation, 'server/outgoing/done')).toEqual(['a.csv', 'totals-a.csv']);

  // Neither a second run nor a re-run of its day loads the file without agreement.
  const second = await installation.json<RunOutcome>('run');
  expect([second.code, statusesOf(second.document)]).toEqual([1, ['b.csv rejected FILE_TOTALS_DIFFER']]);
  const again = await installation.json<RunOutcome>('rerun', '--from', '2026-11-01', '--to', '2026-11-30');
  expect(statusesOf(again.document)).toContain('b.csv rejected FILE_TOTALS_DIFFER');

  installation.write('server/outgoing/totals-b.csv', announcedTotals(2, 'EUR;200.00'));
  const third = await installation.json<RunOutcome>('run');
  expect([third.code, statusesOf(third.document)]).toEqual([0, ['b.csv loaded']]);
  expect(namesIn(installation, 'server/outgoing')).toEqual(['done']);
  // The archive keeps the totals too. The last ones of both files are the same bytes, so there are two versions.
  const archived = readdirSync(path.join(installation.dataDirectory, 'archive'), { recursive: true });
  expect(archived.filter((name) => path.basename(String(name)).length === 64)).toHaveLength(4);
});

test('a file without totals waits, then fails; totals that cannot be read are named by line; none is a settlement file', async () => {
  const installation = await createInstallation();
  installation.write(
    'recon.config.yaml',
    inboxConfig('afterSuccess: { action: delete }', "totals: { sidecar: '{name}.totals' }"),
  );
  installation.write('inbox/a.csv', settlementFile(1));
  const old = installation.write('inbox/b.csv', settlementFile(2));
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
  utimesSync(old, twoDaysAgo, twoDaysAgo);
  installation.write('inbox/c.csv', settlementFile(3));
  installation.write('inbox/c.csv.totals', 'Records;one\nEUR;100\nEUR;1;2\nFRANCS;3.00\n');
  installation.write('inbox/orphan.csv.totals', announcedTotals(1, 'EUR;100.00'));

  const first = await installation.json<RunOutcome>('run');
  expect([first.code, statusesOf(first.document)]).toEqual([
    4,
    [
      'a.csv deferred FILE_TOTALS_MISSING',
      'b.csv failed FILE_TOTALS_MISSING',
      'c.csv failed FILE_TOTALS_INVALID',
    ],
  ]);
  expect(first.document.files[0]?.error?.message).toContain('a.csv.totals');
  expect(first.document.files[2]?.error?.message).toBe(
    'The announced totals in c.csv.totals cannot be read: line 1: Records must be a whole number; ' +
      'line 2: the sum of EUR must be an amount with two decimals, such as 1234.50; ' +
      'line 3 has more than two values; line 4 begins neither with Records nor with a currency. ' +
      'The settlement file was not loaded.',
  );

  // The totals arrive later; a waiting file alone is no failure.
  installation.write('inbox/b.csv.totals', announcedTotals(1, 'EUR;100.00'));
  installation.write(
    'inbox/c.csv.totals',
    `\ufeff${announcedTotals(1, 'EUR;100.00').replaceAll('\n', '\r\n')}`,
  );
  const second = await installation.json<RunOutcome>('run');
  expect([second.code, statusesOf(second.document)]).toEqual([
    0,
    ['a.csv deferred FILE_TOTALS_MISSING', 'b.csv loaded', 'c.csv loaded'],
  ]);
  expect(namesIn(installation)).toEqual(['a.csv', 'orphan.csv.totals']);
});

test('totals that waited for their settlement file are named by each run and by doctor, until the file was stored', async () => {
  const installation = await createInstallation();
  installation.write(
    'recon.config.yaml',
    inboxConfig('afterSuccess: { action: none }', "totals: { sidecar: '{name}.totals' }"),
  );
  const yesterday = Date.now() / 1000 - 25 * 3_600;
  for (const name of ['a.csv.totals', 'b.csv.totals'])
    utimesSync(installation.write(`inbox/${name}`, announcedTotals(1, 'EUR;100.00')), yesterday, yesterday);
  installation.write('inbox/b.csv', settlementFile(2));
  const notice =
    'Source bank has a.csv.totals with announced totals, but not the settlement file. Ask the sender for it.';

  const first = await installation.json<RunOutcome>('run');
  expect([first.code, statusesOf(first.document)]).toEqual([0, ['b.csv loaded']]);
  expect(first.document.notices).toContain(notice);
  const { document } = await installation.json<{ checks: { subject: string; message: string }[] }>('doctor');
  const check = document.checks.find(({ subject }) => subject === 'source bank');
  expect(check?.message).toBe(`reached; 1 file matches *\nWarning: ${notice}`);

  const file = installation.write('inbox/a.csv', settlementFile(1));
  const second = await installation.json<RunOutcome>('run');
  expect(second.document.notices ?? []).not.toContain(notice);
  // The sender removes old files, but not their totals.
  rmSync(file);
  const third = await installation.json<RunOutcome>('run');
  expect(third.document.notices ?? []).not.toContain(notice);
});

test('a rejected row counts in the announced totals as far as its amount is readable', async () => {
  const installation = await createInstallation();
  installation.write(
    'recon.config.yaml',
    inboxConfig('afterSuccess: { action: delete }', "totals: { sidecar: '{name}.totals', required: false }"),
  );
  const withoutDate = { SettlementDate: 'yesterday' };
  installation.write('inbox/a.csv', settlementFile(1, withoutDate));
  installation.write('inbox/a.csv.totals', announcedTotals(2, 'EUR;200.00'));
  installation.write('inbox/b.csv', settlementFile(2, { Amount: 'many' }));
  installation.write('inbox/b.csv.totals', announcedTotals(2, 'EUR;200.00'));
  installation.write('inbox/c.csv', settlementFile(3));

  const { document } = await installation.json<RunOutcome>('run');
  expect(statusesOf(document)).toEqual(['a.csv loaded', 'b.csv rejected FILE_TOTALS_DIFFER', 'c.csv loaded']);
  expect(document.files[1]?.error?.message).toContain(
    '1 row without a readable Amount and Currency is in no sum.',
  );
});

test('a file named with --file is compared with the totals beside it, which are not taken as a file', async () => {
  const installation = await createInstallation();
  const agreeing = installation.write('a.csv', settlementFile(1));
  const itsTotals = installation.write('a.csv.totals', announcedTotals(1, 'EUR;100.00'));
  const differing = installation.write('b.csv', settlementFile(2));
  installation.write('b.csv.totals', announcedTotals(1, 'EUR;99.00'));
  const alone = installation.write('c.csv', settlementFile(3));

  const named = [agreeing, itsTotals, differing, alone].flatMap((file) => ['--file', file]);
  const { code, document } = await installation.json<RunOutcome>('run', ...named);
  expect([code, statusesOf(document)]).toEqual([
    1,
    ['a.csv loaded', 'b.csv rejected FILE_TOTALS_DIFFER', 'c.csv loaded'],
  ]);

  // The person who knows that the announcement was wrong replaces it.
  installation.write('b.csv.totals', announcedTotals(1, 'EUR;100.00'));
  const again = await installation.json<RunOutcome>('run', '--file', differing);
  expect([again.code, statusesOf(again.document)]).toEqual([0, ['b.csv loaded']]);
});

test('a file whose totals were corrected is reported once by the re-run that fetches it, as loaded', async () => {
  const installation = await createInstallation();
  installation.write(
    'recon.config.yaml',
    inboxConfig('afterSuccess: { action: none }', "totals: { sidecar: '{name}.totals' }"),
  );
  installation.write('inbox/a.csv', settlementFile(1));
  installation.write('inbox/a.csv.totals', announcedTotals(1, 'EUR;99.00'));
  installation.write('inbox/b.csv', settlementFile(2));
  installation.write('inbox/b.csv.totals', announcedTotals(1, 'EUR;99.00'));
  const range = ['--from', '2026-11-01', '--to', '2026-11-30', '--fetch'];
  const first = await installation.json<RunOutcome>('rerun', ...range);
  const differing = ['a.csv rejected FILE_TOTALS_DIFFER', 'b.csv rejected FILE_TOTALS_DIFFER'];
  expect([first.code, statusesOf(first.document)]).toEqual([1, differing]);

  installation.write('inbox/a.csv.totals', announcedTotals(1, 'EUR;100.00'));
  const second = await installation.json<RunOutcome>('rerun', ...range);
  expect(statusesOf(second.document).sort()).toEqual(['a.csv loaded', 'b.csv rejected FILE_TOTALS_DIFFER']);
  installation.write('inbox/b.csv.totals', announcedTotals(1, 'EUR;100.00'));
  const third = await installation.json<RunOutcome>('rerun', ...range);
  expect([third.code, statusesOf(third.document)]).toEqual([0, ['a.csv duplicate', 'b.csv loaded']]);
});

test('the report of a run that rejected a file keeps the reason, whatever later runs made of the file', async () => {
  const installation = await createInstallation();
  installation.write(
    'recon.config.yaml',
    inboxConfig('afterSuccess: { action: none }', "totals: { sidecar: '{name}.totals' }"),
  );
  const report = (run: number, name: string) =>
    readFileSync(path.join(installation.dataDirectory, `reports/run-00000${run}`, name), 'utf8');
  const wholeFile = (run: number) => ({
    summary: (JSON.parse(report(run, 'summary.json')) as RunOutcome).files.map(({ error }) => error?.message),
    table: report(run, 'rejected-rows.csv').split('\r\n').slice(1, -1),
  });
  installation.write('inbox/a.csv', settlementFile(1));
  installation.write('inbox/a.csv.totals', announcedTotals(1, 'EUR;99.00'));
  await installation.recon('run');
  const first = wholeFile(1);
  expect(first.summary).toEqual([expect.stringContaining('99.00 EUR is announced')]);
  expect(first.table).toEqual([expect.stringContaining(`"${first.summary[0] ?? ''}"`)]);

  installation.write('inbox/a.csv.totals', announcedTotals(1, 'EUR;98.00'));
  await installation.recon('run');
  const second = wholeFile(2);
  expect(second.summary).toEqual([expect.stringContaining('98.00 EUR is announced')]);
  installation.write('inbox/a.csv.totals', announcedTotals(1, 'EUR;100.00'));
  expect((await installation.recon('run')).code).toBe(0);

  await installation.recon('report', '--run', '1');
  await installation.recon('report', '--run', '2');
  expect([wholeFile(1), wholeFile(2)]).toEqual([first, second]);

  const listed = async (...filter: string[]) =>
    (await installation.json<ListedFile[]>('files', ...filter)).document.map((file) => [
      ...[file.name, file.runId, file.status, file.rows.accepted, file.error?.message],
    ]);
  expect([await listed('--run', '1'), await listed('--run', '2'), await listed('--run', '3')]).toEqual([
    [['a.csv', 1, 'rejected', 0, first.summary[0]]],
    [['a.csv', 2, 'rejected', 0, second.summary[0]]],
    [['a.csv', 3, 'loaded', 1, undefined]],
  ]);
  expect(await listed()).toEqual(await listed('--run', '3'));
  expect(await listed('--run', '1', '--status', 'rejected')).toHaveLength(1);
  expect(await listed('--run', '1', '--status', 'loaded')).toEqual([]);
});

test('a loaded file that comes again with totals from which it differs stays as it is, and its outcome says so', async () => {
  const installation = await createInstallation();
  installation.write(
    'recon.config.yaml',
    inboxConfig('afterSuccess: { action: delete }', "totals: { sidecar: '{name}.totals', required: false }"),
  );
  const rejected = { UniqueID: paymentId(2), SettlementTxId: 'BAD', Amount: '50.00', Currency: 'XXX' };
  const send = async (totals?: string) => {
    installation.write('inbox/a.csv', settlementFile(1, rejected));
    if (totals !== undefined) installation.write('inbox/a.csv.totals', totals);
    const { code, document } = await installation.json<RunOutcome>('run');
    expect(namesIn(installation)).toEqual([]);
    return [code, ...document.files.map(({ status, note = '' }) => `${status} ${note}`.trim())];
  };
  expect(await send()).toEqual([1, 'loaded']);
  // It came without totals, and agrees with these.
  expect(await send(announcedTotals(2, 'EUR;100.00'))).toEqual([0, 'duplicate']);
  const differs =
    'duplicate These bytes were loaded before, and differ from the totals in a.csv.totals that came with them this time: ' +
    '3 rows are announced, the file has 2; 350.00 EUR is announced, the file has 100.00 EUR (difference -250.00 EUR). ' +
    '1 row without a readable Amount and Currency is in no sum. ' +
    'What is stored was not changed: ask the sender which is right.';
  expect(await send(announcedTotals(3, 'EUR;350.00'))).toEqual([0, differs]);
  expect(await send()).toEqual([0, 'duplicate']);

  installation.write('inbox/a.csv', settlementFile(1, rejected));
  installation.write('inbox/a.csv.totals', announcedTotals(3, 'EUR;350.00'));
  const { stdout } = await installation.recon('run', '--dry-run');
  expect(stdout).toContain('350.00 EUR is announced, the file has 100.00 EUR');
  expect(namesIn(installation)).toEqual(['a.csv', 'a.csv.totals']);
});

test('other totals beside a file that a killed run had received are compared with it, too', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', inboxConfig("totals: { sidecar: '{name}.totals' }"));
  const totals = (records: number) =>
    installation.write('inbox/a.csv.totals', announcedTotals(records, 'EUR;100.00'));
  installation.write('inbox/a.csv', settlementFile(1));
  totals(1);
  const { directory: cwd, environment } = installation;
  const killed = await runCli(['run'], { cwd, env: { ...environment, RECON_FAIL_AT: 'register.after' } });
  expect(killed.signal).toBe('SIGKILL');
  totals(2);
  const { code, document } = await installation.json<RunOutcome>('run');
  expect([code, statusesOf(document)]).toEqual([0, ['a.csv loaded', 'a.csv duplicate']]);
  expect(document.files[1]?.note).toContain('differ from the totals in a.csv.totals');
});

test('without totals beside it, a file that was rejected for its totals stays rejected', async () => {
  const installation = await createInstallation();
  installation.write(
    'recon.config.yaml',
    inboxConfig('afterSuccess: { action: delete }', "totals: { sidecar: '{name}.totals' }"),
  );
  const file = installation.write('inbox/a.csv', settlementFile(1));
  installation.write('inbox/a.csv.totals', announcedTotals(1, 'EUR;99.00'));
  await installation.recon('run');
  const copy = installation.write('elsewhere/a.csv', settlementFile(1));
  expect(file).not.toBe(copy);
  // A dry run receives the file into a temporary folder, which has no totals of earlier runs.
  for (const options of [[], ['--dry-run']]) {
    const { code, document } = await installation.json<RunOutcome>('run', '--file', copy, ...options);
    expect([code, statusesOf(document)]).toEqual([1, ['a.csv rejected FILE_TOTALS_DIFFER']]);
  }
});

test('every problem of the setting is reported together', async () => {
  const installation = await createInstallation();
  const names = ['totals.csv', '../{name}', '{base}.csv', '{name}'];
  const source = (sidecar: string, index: number) =>
    `  - { name: s${index}, protocol: local, folder: f, totals: { sidecar: '${sidecar}', waitHours: ${index === 0 ? -1 : 1} } }\n`;
  installation.write('recon.config.yaml', `sources:\n${names.map(source).join('')}`);
  const { code, stderr } = await installation.recon('run');
  expect(code).toBe(2);
  const problems = stderr.split('\n').filter((line) => line.includes('recon.config.yaml:'));
  expect(problems.map((line) => /sources\.\d\.totals\.\w+: \w+ \w+/.exec(line)?.[0])).toEqual([
    'sources.0.totals.sidecar: must contain',
    'sources.0.totals.waitHours: must be',
    'sources.1.totals.sidecar: must contain',
    'sources.2.totals.sidecar: would make',
    'sources.3.totals.sidecar: would make',
  ]);
});
