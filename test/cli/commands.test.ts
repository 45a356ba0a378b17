import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { acquireRunLock } from '../../src/run/run-lock.js';
import { runCli } from '../support/cli.js';
import { runContext } from '../support/run-context.js';
import { folderForThisTest } from '../support/test-folder.js';
import {
  createInstallation,
  databaseContent,
  filesBelow,
  paymentId,
  paymentsFile,
  settlementFile,
  type Installation,
} from './installation.js';
import { chargeback } from './chargeback-rows.js';
import { recon } from './recon.js';

interface Failure {
  readonly error: { readonly code: string; readonly message: string; readonly advice: string };
  readonly exitCode: number;
}

const stackTrace = /\n\s+at .+:\d+:\d+/;
const november = ['--from', '2026-11-01', '--to', '2026-11-30'];
const rangeName = 'range-2026-11-01-2026-11-30';
const asOf = ['--as-of', '2026-11-20'];

/** A database after one run: payments 1 and 2 are stored, 1 and 3 are settled. */
async function afterOneRun(): Promise<Installation & { file: string; outcome: RunOutcome }> {
  const installation = await createInstallation();
  expect(
    await installation.recon('payments', 'import', installation.write('payments.csv', paymentsFile(1, 2))),
  ).toMatchObject({ code: 0 });
  const file = installation.write('settlement.csv', settlementFile(1, 3));
  const { code, document } = await installation.json<RunOutcome>('run', '--file', file, ...asOf);
  expect(code).toBe(0);
  return { ...installation, file, outcome: document };
}

describe('what a run needs is missing', () => {
  test('4: a missing file and a folder in place of a file fail; the valid file is loaded', async () => {
    const installation = await createInstallation();
    mkdirSync(path.join(installation.directory, 'folder'));
    installation.write('good.csv', settlementFile(1));
    const { code, document, stderr } = await installation.json<RunOutcome>(
      ...['run', '--file', 'gone.csv', '--file', 'folder', '--file', 'good.csv', ...asOf],
    );
    expect(code).toBe(4);
    expect(document.exitCode).toBe(4);
    expect(document.status).toBe('completed');
    expect(document.files.map(({ name, status, error }) => [name, status, error?.code])).toEqual([
      ['gone.csv', 'failed', 'FILE_UNREADABLE'],
      ['folder', 'failed', 'FILE_UNREADABLE'],
      ['good.csv', 'loaded', undefined],
    ]);
    expect(stderr).not.toMatch(stackTrace);
  });

  test('5: the database does not answer', async () => {
    const secret = 's3cr3t';
    const { directory } = await createInstallation();
    const env = { RECON_DATABASE_URL: `postgresql://nobody:${secret}@127.0.0.1:1/none` };
    const results = await Promise.all(
      [['runs'], ['run', '--file', 'a.csv'], ['doctor']].map((args) =>
        runCli([...args, '--json'], { env, cwd: directory }),
      ),
    );
    for (const { code, stdout, stderr } of results) {
      expect(code).toBe(5);
      expect(stdout).toContain('DATABASE_UNREACHABLE');
      expect(() => JSON.parse(stdout) as unknown).not.toThrow();
      expect(stderr).not.toMatch(stackTrace);
      expect(stdout + stderr).not.toContain(secret);
    }
  });

  test('6: the data directory is a file', async () => {
    const installation = await createInstallation();
    const file = installation.write('settlement.csv', settlementFile(1));
    installation.write('data', 'in the way');
    const { code, document, stderr } = await installation.json<RunOutcome>('run', '--file', file, ...asOf);
    expect(code).toBe(6);
    expect(document.error?.code).toBe('DISK_FAILED');
    expect(stderr).not.toMatch(stackTrace);
    expect((await installation.json<{ status: string }[]>('runs')).document.map((run) => run.status)).toEqual(
      ['failed'],
    );
  });

  test('3: a second run ends within 2 seconds and names the active run', async () => {
    const installation = await createInstallation();
    const file = installation.write('settlement.csv', settlementFile(1));
    const request = { kind: 'run', asOf: '2026-11-20', range: null, scheduledFor: null } as const;
    const context = runContext(installation.database.database, installation.dataDirectory, {
      clock: Date.now,
    });
    const held = await acquireRunLock(context, request);
    try {
      const began = performance.now();
      await installation.recon('runs');
      const startUpMs = performance.now() - began;
      const { code, document } = await installation.json<Failure>('run', '--file', file);
      // The time that a command takes to start and to reach the database depends on the machine.
      expect(performance.now() - began - 2 * startUpMs).toBeLessThan(2000);
      expect(code).toBe(3);
      expect(document.error.code).toBe('RUN_ACTIVE');
      expect(document.error.message).toMatch(new RegExp(`\\b${held.fence.runId}\\b`));
      expect(document.error.message).toContain(String(process.pid));
    } finally {
      await held.release();
    }
    expect((await installation.recon('run', '--file', file, ...asOf)).code).toBe(0);
  });
});

describe('run', () => {
  test('an unknown source is named together with the known ones', async () => {
    const installation = await createInstallation();
    installation.write(
      'recon.config.yaml',
      'sources:\n  - { name: inbox, protocol: local, folder: inbox }\n',
    );
    const { code, document } = await installation.json<Failure>('run', '--source', 'inbix');
    expect(code).toBe(2);
    expect(document.error.message).toMatch(/^There is no source named "inbix".*inbox/);
  });

  test('1: a rejected row among valid rows; 1: a file without a valid row', async () => {
    const installation = await createInstallation();
    installation.write(
      'some.csv',
      settlementFile(1, { Amount: 'a lot', UniqueID: paymentId(2), SettlementTxId: 'STL-2' }),
    );
    installation.write(
      'none.csv',
      settlementFile({ Amount: 'a lot', UniqueID: paymentId(4), SettlementTxId: 'STL-4' }),
    );
    const { code, document } = await installation.json<RunOutcome>(
      ...['run', '--file', 'some.csv', '--file', 'none.csv', ...asOf],
    );
    expect(code).toBe(1);
    expect(document.files.map(({ name, status, rows }) => [name, status, rows])).toEqual([
      ['some.csv', 'loaded', { total: 2, accepted: 1, rejected: 1, alreadyKnown: 0 }],
      ['none.csv', 'rejected', { total: 1, accepted: 0, rejected: 1, alreadyKnown: 0 }],
    ]);
  });

  test('7: with --fail-on, when the run reports an open discrepancy of that severity or higher', async () => {
    const installation = await createInstallation();
    const file = installation.write('settlement.csv', settlementFile(3));
    const { code, document } = await installation.json<RunOutcome>(
      'run',
      '--file',
      file,
      ...asOf,
      '--fail-on',
      'info',
    );
    expect(document.discrepancies.byCode).toEqual({ NOT_MATCHED: 1 });
    expect({ code, inDocument: document.exitCode }).toEqual({ code: 7, inDocument: 7 });
    installation.write('paid.csv', paymentsFile(3));
    await installation.recon('payments', 'import', 'paid.csv');
    const clean = await installation.recon('rerun', ...november, ...asOf, '--fail-on', 'info');
    expect(clean.code).toBe(0);
  });

  test('7: with --fail-on new:SEVERITY, only when the run found such a discrepancy first', async () => {
    const installation = await createInstallation();
    installation.write('payments.csv', paymentsFile(1));
    await installation.recon('payments', 'import', 'payments.csv');
    const fxDiffers = { UniqueID: paymentId(1), SettlementTxId: 'STL-1', SettlementFxRate: '2.00' };
    installation.write('one.csv', settlementFile(fxDiffers));
    const failOn = (severity: string) => [...asOf, '--fail-on', `new:${severity}`];

    const dry = await installation.recon('run', '--file', 'one.csv', ...failOn('warning'), '--dry-run');
    expect(dry.code).toBe(7);
    const first = await installation.json<RunOutcome>('run', '--file', 'one.csv', ...failOn('error'));
    expect(first.document.items.newBySeverity).toEqual({ error: 0, warning: 1, info: 0 });
    expect(first.code).toBe(0);
    expect((await installation.recon('report', '--run', '1', '--fail-on', 'new:warning')).code).toBe(7);

    // The next run finds it again, and it is no longer new.
    expect((await installation.recon('rerun', ...november, ...failOn('info'))).code).toBe(0);
    expect((await installation.recon('rerun', ...november, ...asOf, '--fail-on', 'warning')).code).toBe(7);

    installation.write('two.csv', settlementFile(9));
    const second = await installation.json<RunOutcome>('run', '--file', 'two.csv', ...failOn('error'));
    expect(second.document.items).toMatchObject({ new: 1, newBySeverity: { error: 1, warning: 0, info: 0 } });
    expect({ code: second.code, inDocument: second.document.exitCode }).toEqual({ code: 7, inDocument: 7 });
  });

  test('the same file again is a duplicate: 0, and nothing is stored twice', async () => {
    const installation = await afterOneRun();
    const again = await installation.json<RunOutcome>('run', '--file', installation.file, ...asOf);
    expect(again.code).toBe(0);
    expect(again.document.files.map(({ status, rows }) => [status, rows.total])).toEqual([['duplicate', 0]]);
    const content = await databaseContent(installation);
    expect(content['settlement_records']).toHaveLength(2);
  });

  test('a rejected file that is given again is a duplicate, with a note that it was rejected', async () => {
    const installation = await afterOneRun();
    installation.write('comma.csv', settlementFile(3).replaceAll(';', ','));
    const first = await installation.json<RunOutcome>('run', '--file', 'comma.csv', ...asOf);
    expect(first.code).toBe(1);
    const again = await installation.json<RunOutcome>('run', '--file', 'comma.csv', ...asOf);
    const note =
      'These bytes were rejected before (FILE_HEADER), and still are: `recon files --status rejected --json` has the reason. Give recon the corrected file.';
    expect(again.code).toBe(0);
    expect(again.document.files).toMatchObject([{ status: 'duplicate', error: null, note }]);
    expect((await installation.recon('run', '--file', 'comma.csv', ...asOf)).stdout).toContain(
      `comma.csv: ${note}`,
    );
  });

  test('a corrected file adds its new rows and counts the others as known; the name of its reconciled file has 8 digits of its SHA-256', async () => {
    const installation = await afterOneRun();
    installation.write('settlement.csv', settlementFile(1, 3, 4));
    const { document } = await installation.json<RunOutcome>('run', '--file', installation.file, ...asOf);
    expect(document.files.map(({ status, rows }) => [status, rows])).toEqual([
      ['loaded', { total: 3, accepted: 3, rejected: 0, alreadyKnown: 2 }],
    ]);
    const rerun = await installation.json<RunOutcome>('rerun', ...november, ...asOf);
    const digits = document.files[0]?.sha256?.slice(0, 8) ?? 'none';
    expect(rerun.document.reports?.reconciled.map((file) => path.basename(file)).sort()).toEqual([
      `settlement-${digits}.csv`,
      'settlement.csv',
    ]);
  });

  test('a dry run reports the counts of a real run and changes nothing', async () => {
    const installation = await afterOneRun();
    const file = installation.write(
      'next.csv',
      settlementFile(2, { Amount: 'a lot', SettlementTxId: 'STL-5' }),
    );
    const before = {
      database: await databaseContent(installation),
      files: filesBelow(installation.dataDirectory),
    };
    const dry = await installation.json<RunOutcome>('run', '--file', file, ...asOf, '--dry-run');
    expect({
      database: await databaseContent(installation),
      files: filesBelow(installation.dataDirectory),
    }).toEqual(before);
    const real = await installation.json<RunOutcome>('run', '--file', file, ...asOf);
    const counts = ({ exitCode, sources, files, matching, chargebacks, discrepancies }: RunOutcome) => ({
      ...{ exitCode, sources, files, matching, chargebacks, discrepancies },
    });
    expect(dry.code).toBe(1);
    expect(dry.document.reports).toBeNull();
    expect(counts(dry.document)).toEqual(counts(real.document));

    const settled = {
      database: await databaseContent(installation),
      files: filesBelow(installation.dataDirectory),
    };
    expect((await installation.recon('rerun', ...november, ...asOf, '--dry-run')).code).toBe(0);
    expect({
      database: await databaseContent(installation),
      files: filesBelow(installation.dataDirectory),
    }).toEqual(settled);
  });

  test('--quiet prints nothing', async () => {
    const installation = await createInstallation();
    const file = installation.write('settlement.csv', settlementFile(1));
    expect(await installation.recon('run', '--file', file, '--quiet')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });
});

test('run --quiet prints which rows were rejected, and that --fail-on found something', async () => {
  const installation = await createInstallation();
  const file = installation.write('settlement.csv', settlementFile(2, { Amount: 'a lot' }));
  const run = ['run', '--file', file, ...asOf, '--quiet'];
  expect(await installation.recon(...run, '--fail-on', 'warning')).toMatchObject({
    code: 7,
    stdout: '',
    stderr:
      'recon: run 1: settlement.csv: 1 of 2 rows was rejected\n' +
      'recon: run 1: discrepancies of severity warning or higher are open\n',
  });
  expect(await installation.recon(...run)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(await installation.recon(...run, '--fail-on', 'new:error')).toMatchObject({ code: 0, stderr: '' });
});

describe('rerun and report', () => {
  const csvOf = (outcome: RunOutcome) =>
    Object.fromEntries(
      Object.entries(filesBelow(outcome.reports?.directory ?? '')).filter(([name]) => name.endsWith('.csv')),
    );

  test('two reports of the same data are byte-identical CSV files', async () => {
    const installation = await afterOneRun();
    const first = await installation.json<RunOutcome>('rerun', ...november, ...asOf);
    const second = await installation.json<RunOutcome>('rerun', ...november, ...asOf);
    expect(Object.keys(csvOf(first.document)).length).toBeGreaterThanOrEqual(4);
    expect(csvOf(second.document)).toEqual(csvOf(first.document));
    expect(second.document.reports?.directory).not.toBe(first.document.reports?.directory);
  });

  test('report --run replaces the reports of a run; report without options uses the latest run', async () => {
    const installation = await afterOneRun();
    const before = csvOf(installation.outcome);
    writeFileSync(installation.outcome.reports?.discrepancies ?? '', 'spoilt');
    const repeated = await installation.json<RunOutcome>(
      'report',
      '--run',
      String(installation.outcome.runId),
    );
    expect(repeated.code).toBe(0);
    expect(repeated.document.reports).toEqual(installation.outcome.reports);
    expect(csvOf(repeated.document)).toEqual(before);
    const latest = await installation.json<RunOutcome>('report', '--fail-on', 'info');
    expect(latest.code).toBe(7);
    expect(latest.document.runId).toBe(installation.outcome.runId);
  });

  test('report --from --to writes a folder for the range, without a run', async () => {
    const installation = await afterOneRun();
    const { code, document } = await installation.json<RunOutcome>('report', ...november);
    expect(code).toBe(0);
    expect(path.basename(document.reports?.directory ?? '')).toBe(rangeName);
    expect(document.matching).toMatchObject({ MATCHED: 1, NOT_MATCHED: 1 });
    expect((await databaseContent(installation))['runs']).toHaveLength(1);
  });

  test('report fails for a run that does not exist, and before the first run', async () => {
    const installation = await createInstallation();
    for (const args of [['--run', '4711'], []]) {
      const { code, document } = await installation.json<Failure>('report', ...args);
      expect([code, document.error.code]).toEqual([2, 'RUN_NOT_FOUND']);
    }
  });
});

describe('explain', () => {
  test('finds a record by FILE:LINE, UniqueID and DiscrepancyId, and reports an unknown record', async () => {
    const installation = await afterOneRun();
    const list = await installation.json<{ discrepancyId: string; code: string }[]>(
      'discrepancies',
      '--code',
      'NOT_MATCHED',
    );
    const id = list.document[0]?.discrepancyId ?? '';
    const byLine = await installation.json<object>('explain', 'settlement.csv:3');
    expect(byLine.code).toBe(0);
    expect(byLine.stdout).toContain('NOT_MATCHED');
    for (const reference of [id, paymentId(3), 'STL-3']) {
      expect((await installation.json<object>('explain', reference)).document).toEqual(byLine.document);
    }
    const words = await installation.recon('explain', 'settlement.csv:2');
    expect(words.stdout).toContain(paymentId(1));
    for (const reference of ['settlement.csv:99', 'nothing.csv:1', 'STL-none']) {
      const { code, document } = await installation.json<Failure>('explain', reference);
      expect([code, document.error.code]).toEqual([2, 'RECORD_NOT_FOUND']);
      for (const part of reference.split(':')) expect(document.error.message).toContain(part);
    }
  });
});

describe('lists', () => {
  interface Listed {
    readonly name: string;
    readonly status: string;
    readonly source: string;
    readonly runId: number;
    readonly code: string;
    readonly resolvedRun: number | null;
  }

  test('of runs, files and discrepancies are printed as text and as JSON, with filters', async () => {
    const installation = await afterOneRun();
    installation.write('bad.csv', 'no header at all\n');
    const second = await installation.json<RunOutcome>('run', '--file', 'bad.csv', ...asOf);
    expect(second.code).toBe(1);
    const list = async (...args: string[]) => (await installation.json<Listed[]>(...args)).document;
    const [runs, latest, failed, files, rejected, ofRun, elsewhere, open, other, early, one] =
      await Promise.all([
        list('runs'),
        list('runs', '--limit', '1'),
        list('runs', '--status', 'failed'),
        list('files'),
        list('files', '--status', 'rejected'),
        list('files', '--run', String(installation.outcome.runId)),
        list('files', '--source', 'elsewhere'),
        list('discrepancies'),
        list('discrepancies', '--code', 'AMOUNT_MISMATCH'),
        list('discrepancies', '--from', '2026-01-01', '--to', '2026-01-31'),
        list('discrepancies', '--severity', 'info'),
      ]);
    expect(runs.map(({ runId, status }) => [runId, status])).toEqual([
      [second.document.runId, 'completed'],
      [installation.outcome.runId, 'completed'],
    ]);
    expect(latest.map(({ runId }) => runId)).toEqual([second.document.runId]);
    expect(failed).toEqual([]);
    expect(files.map(({ name, status }) => [name, status])).toEqual([
      ['bad.csv', 'rejected'],
      ['settlement.csv', 'loaded'],
    ]);
    expect(rejected.map(({ name }) => name)).toEqual(['bad.csv']);
    expect(ofRun.map(({ name }) => name)).toEqual(['settlement.csv']);
    expect(open.map(({ code }) => code)).toEqual(['NOT_MATCHED']);
    expect([elsewhere, other, early, one]).toEqual([[], [], [], []]);
    const words = await Promise.all([
      installation.recon('runs'),
      installation.recon('files'),
      installation.recon('discrepancies'),
    ]);
    for (const [index, word] of ['completed', 'bad.csv', 'NOT_MATCHED'].entries()) {
      expect(words[index]).toMatchObject({ code: 0, stdout: expect.stringContaining(word) as string });
    }
  });

  test('without entries are an empty JSON list, and a sentence as text', async () => {
    const installation = await createInstallation();
    for (const [name, sentence] of [
      ['runs', 'There are no runs yet.'],
      ['files', 'There are no files: there are no runs yet.'],
      ['discrepancies', 'There are no open discrepancies: there are no runs yet.'],
      ['items', 'Nothing is open: there are no runs yet.'],
    ] as const) {
      expect((await installation.json<Listed[]>(name)).document).toEqual([]);
      expect((await installation.recon(name)).stdout).toBe(`${sentence}\n`);
    }
  });

  test('create no database in a folder without one, and name that folder', async () => {
    const cwd = folderForThisTest();
    const folder = path.join(cwd, 'recon-data');
    for (const [line, sentence] of [
      ['runs', 'There are no runs yet'],
      ['files --status loaded', 'There are no files: there are no runs yet'],
      ['discrepancies', 'There are no open discrepancies: there are no runs yet'],
      ['items', 'Nothing is open: there are no runs yet'],
      ['items --patterns', 'Nothing is open: there are no runs yet'],
      ['audit list', 'There are no events'],
      ['tokens list', 'There are no tokens'],
    ] as const) {
      const words = line.split(' ');
      const asText = await recon(words, { cwd });
      expect(asText).toEqual({
        code: 0,
        stdout: `${sentence} (no database exists in ${folder}).\n`,
        stderr: '',
      });
      expect(await recon([...words, '--json'], { cwd })).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
    }
    const none = `(no database exists in ${folder}).\n`;
    for (const [words, sentence, document] of [
      [['sources'], 'No sources are configured', []],
      [['shards', 'list'], 'There are no shards', []],
      [
        ['alerts', 'list'],
        'No channel is configured (alerts), so nothing is checked',
        { channels: [], conditions: [], waiting: [] },
      ],
    ] as const) {
      expect(await recon(words, { cwd })).toEqual({ code: 0, stdout: `${sentence} ${none}`, stderr: '' });
      const { code, stdout } = await recon([...words, '--json'], { cwd });
      expect([code, JSON.parse(stdout)]).toEqual([0, document]);
    }
    expect((await recon(['items', '--csv'], { cwd })).stdout).toMatch(/^\uFEFFDiscrepancyId;[^\n]+\r\n$/);
    expect((await recon(['audit', 'list', '--csv'], { cwd })).stdout).toMatch(/^\uFEFFEvent;[^\n]+\r\n$/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('create no database for the sources of a configuration either, and say what is expected of them', async () => {
    const cwd = folderForThisTest();
    const source =
      '{ name: bank, protocol: local, folder: inbox, expected: { days: daily, deadline: "00:00" } }';
    writeFileSync(path.join(cwd, 'recon.config.yaml'), `sources:\n  - ${source}\n`, { mode: 0o600 });
    const { code, stdout } = await recon(['sources', '--json'], { cwd });
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      [{ name: 'bank', lastFile: null, expected: [{ source: 'bank' }] }],
    ]);
    const { stdout: text } = await recon(['sources'], { cwd });
    expect(text).toMatch(
      /^source +protocol[^]+\nbank [^]+\nNo file was received yet \(no database exists in .+\)\.\n$/,
    );
    expect(readdirSync(cwd)).toEqual(['recon.config.yaml']);
  });

  test('when a payment arrives late, the next run closes the discrepancy, and --all still shows it', async () => {
    const installation = await createInstallation();
    installation.write(
      'recon.config.yaml',
      'sources:\n  - { name: inbox, protocol: local, folder: inbox, minimumAgeSeconds: 0 }\n',
    );
    installation.write('inbox/settlement.csv', settlementFile(3));
    const firstDay = await installation.json<RunOutcome>('run', ...asOf);
    expect(firstDay.document.discrepancies.byCode).toEqual({ NOT_MATCHED: 1 });
    installation.write('late.csv', paymentsFile(3));
    await installation.recon('payments', 'import', 'late.csv');
    const secondDay = await installation.json<RunOutcome>('run', '--as-of', '2026-11-21');
    expect(secondDay.code).toBe(0);
    expect(secondDay.document.matching).toMatchObject({ MATCHED: 1, NOT_MATCHED: 0 });
    expect(secondDay.document.discrepancies.total).toBe(0);
    expect((await installation.json<Listed[]>('discrepancies')).document).toEqual([]);
    expect(
      (await installation.json<Listed[]>('discrepancies', '--all')).document.map(({ code, resolvedRun }) => [
        code,
        resolvedRun,
      ]),
    ).toEqual([['NOT_MATCHED', secondDay.document.runId]]);
  });
});

describe('payments', () => {
  test('the summary of an import names one thing in the singular', async () => {
    const installation = await createInstallation();
    await installation.recon('payments', 'import', installation.write('payments.csv', paymentsFile(1)));
    const file = installation.write('changed.csv', paymentsFile(1).replace(';100.00;', ';90.00;'));
    const tried = await installation.recon('payments', 'import', file, '--dry-run');
    expect(tried.stdout).toContain('1 payment read: 0 new, 1 changed, 0 unchanged.\nValues that differ: ');
    expect(tried.stdout).toContain('0 filled in, 0 results of pending payments, 1 contradiction.\n');
    expect(tried.stdout).toContain('refused because of 1 contradiction (--allow-changes stores it).\n');
    expect((await installation.recon('payments', 'export', 'out.csv')).stdout).toMatch(
      /^Wrote 1 payment to .*out\.csv\.$/m,
    );
  });

  test('the same file again changes nothing', async () => {
    const installation = await createInstallation();
    const file = installation.write('payments.csv', paymentsFile(1, 2));
    const first = await installation.json<object>('payments', 'import', file);
    expect(first.document).toMatchObject({ read: 2, inserted: 2, updated: 0, unchanged: 0 });
    const before = await databaseContent(installation);
    const second = await installation.json<object>('payments', 'import', file);
    expect(second.code).toBe(0);
    expect(second.document).toMatchObject({ read: 2, inserted: 0, updated: 0, unchanged: 2 });
    expect(await databaseContent(installation)).toEqual(before);
  });

  test('values that contradict a stored payment are refused, listed by a dry run, and stored with their history when allowed', async () => {
    const installation = await createInstallation();
    await installation.recon('payments', 'import', installation.write('payments.csv', paymentsFile(1, 2)));
    const before = await databaseContent(installation);
    const file = installation.write(
      'changed.csv',
      paymentsFile(1, 2, 3).replace(';100.00;EUR;000.000.000;order-2', ';999.99;EUR;000.000.000;order-2'),
    );
    const refused = await installation.json<Failure>('payments', 'import', file);
    expect([refused.code, refused.document.error.code]).toEqual([2, 'PAYMENTS_CONTRADICTION']);
    const difference = `line 3, payment ${paymentId(2)}, Amount: stored 100.00, given 999.99`;
    expect(refused.document.error.message).toContain(difference);
    const dry = await installation.recon('payments', 'import', file, '--dry-run');
    expect(dry.code).toBe(2);
    expect(dry.stdout).toContain(`  ${difference} (CONTRADICTION)\nThe import would be refused`);
    expect(await databaseContent(installation)).toEqual(before);

    const allowed = await installation.json<object>('payments', 'import', file, '--allow-changes');
    expect(allowed).toMatchObject({ code: 0, document: { read: 3, inserted: 1, updated: 1, unchanged: 1 } });
    const kept = await installation.json<object[]>('payments', 'changes', '--payment', paymentId(2));
    expect(kept.document).toMatchObject([
      {
        paymentId: paymentId(2),
        column: 'Amount',
        oldValue: '100.00',
        newValue: '999.99',
        file: 'changed.csv',
      },
    ]);
    expect((await installation.recon('payments', 'changes')).stdout).toContain('999.99');
  });

  test('a chargeback that recon booked is not changed by an import, even with --allow-changes', async () => {
    const installation = await createInstallation();
    await installation.recon('payments', 'import', installation.write('payments.csv', paymentsFile(1)));
    const settlements = installation.write('settlement.csv', settlementFile(chargeback));
    await installation.recon('run', '--file', settlements, ...asOf);
    const booked = (await installation.json<{ id: string }[]>('chargebacks', 'list')).document[0]?.id ?? '';
    const before = await databaseContent(installation);
    const file = installation.write('booked.csv', paymentsFile(1, 2).replace(paymentId(2), booked));
    const booking = 'line 3, PaymentId: is the id of a chargeback or reversal that recon booked';
    for (const [options, errorCode, message] of [
      [[], 'PAYMENTS_CONTRADICTION', 'PaymentType: stored CB, given DB'],
      [['--allow-changes'], 'PAYMENTS_FILE_INVALID', booking],
      [['--allow-changes', '--dry-run'], 'PAYMENTS_FILE_INVALID', booking],
    ] as const) {
      const { code, document } = await installation.json<Failure>('payments', 'import', file, ...options);
      expect([code, document.error.code]).toEqual([2, errorCode]);
      expect(document.error.message).toContain(message);
    }
    expect(await databaseContent(installation)).toEqual(before);
  });

  test('one invalid line: its number is reported, and nothing is stored', async () => {
    const installation = await createInstallation();
    const before = await databaseContent(installation);
    const file = installation.write(
      'payments.csv',
      paymentsFile(1, 2, 3).replace('order-2', 'order-2;one;cell;more'),
    );
    const { code, document } = await installation.json<Failure>('payments', 'import', file);
    expect([code, document.error.code]).toEqual([2, 'PAYMENTS_FILE_INVALID']);
    expect(document.error.message).toMatch(/line 3/i);
    expect(await databaseContent(installation)).toEqual(before);
  });

  test('a missing file is reported with a readable message', async () => {
    const installation = await createInstallation();
    const { code, stderr } = await installation.recon('payments', 'import', 'gone.csv');
    expect(code).toBeGreaterThan(0);
    expect(code).toBeLessThan(8);
    expect(stderr).toContain('gone.csv');
    expect(stderr).not.toMatch(stackTrace);
  });

  test('an export can be imported again, from a file and from standard output', async () => {
    const installation = await createInstallation();
    const other = await createInstallation();
    await installation.recon('payments', 'import', installation.write('payments.csv', paymentsFile(1, 2)));
    const exported = path.join(installation.directory, 'exported.csv');
    const result = await installation.json<object>('payments', 'export', exported);
    expect(result.document).toMatchObject({ file: exported, written: 2 });
    expect((await installation.recon('payments', 'export')).stdout).toBe(readFileSync(exported, 'utf8'));
    await other.recon('payments', 'import', exported);
    expect((await other.recon('payments', 'export')).stdout).toBe(readFileSync(exported, 'utf8'));
    expect((await installation.json<object>('payments', 'import', exported)).document).toMatchObject({
      unchanged: 2,
    });
  });
});

describe('init and doctor', () => {
  interface Checkup {
    readonly checks: readonly { subject: string; ok: boolean; message: string }[];
  }

  test('the configuration that init writes works unchanged: a file in its inbox is loaded', async () => {
    const installation = await createInstallation();
    const env = { RECON_DATABASE_URL: installation.database.url };
    const recon = (...args: string[]) => runCli(args, { env, cwd: installation.directory });
    expect((await recon('init')).code).toBe(0);
    expect((await recon('init')).code).toBe(2);
    expect((await recon('init', '--force')).code).toBe(0);
    installation.write('inbox/settlement.csv', settlementFile(1));
    writeFileSync(path.join(installation.directory, 'inbox/growing.csv'), settlementFile(2));
    const { code, stdout } = await recon('run', '--json', ...asOf);
    const outcome = JSON.parse(stdout) as RunOutcome;
    expect(code).toBe(0);
    expect(outcome.files.map(({ source, name, status }) => [source, name, status]).sort()).toEqual([
      ['inbox', 'growing.csv', 'deferred'],
      ['inbox', 'settlement.csv', 'loaded'],
    ]);
    expect(existsSync(path.join(installation.directory, 'recon-data/reports'))).toBe(true);
    expect((await recon('doctor')).code).toBe(0);
  });

  test('doctor reports all problems together', async () => {
    const installation = await createInstallation();
    installation.write(
      'recon.config.yaml',
      'sources:\n  - { name: here, protocol: local, folder: here }\n  - { name: gone, protocol: local, folder: gone }\n',
    );
    mkdirSync(path.join(installation.directory, 'here'));
    const { code, document } = await installation.json<Checkup>('doctor');
    expect(code).toBe(4);
    expect(document.checks.filter(({ ok }) => !ok).map(({ subject }) => subject)).toEqual(['source gone']);
    expect(document.checks.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(['database', 'source here']),
    );
    const words = await installation.recon('doctor');
    expect(words.stdout).toMatch(/^\s*ok\s+database/m);
    expect(words.stdout).toMatch(/source gone.*gone/);
    expect(words.stderr).not.toMatch(stackTrace);
  });

  test('doctor --reports finds a single changed byte', async () => {
    const installation = await afterOneRun();
    expect((await installation.recon('doctor', '--reports')).code).toBe(0);
    appendFileSync(installation.outcome.reports?.discrepancies ?? '', ' ');
    const { code, document } = await installation.json<Checkup>('doctor', '--reports');
    expect(code).toBe(6);
    const wrong = document.checks.filter(({ ok }) => !ok);
    expect(wrong).toHaveLength(1);
    expect(wrong[0]?.message).toContain(path.basename(installation.outcome.reports?.discrepancies ?? ''));
  });

  test.each([
    ['discrepancies.csv', '2026-11-23'],
    // What it says about its day is no longer proven.
    ['summary.json', 'DATE'],
  ])('doctor --reports names the day of a range report whose %s was changed: %s', async (damaged, day) => {
    const installation = await afterOneRun();
    await installation.recon('report', ...november, '--as-of', '2026-11-23');
    const folder = path.join(path.dirname(installation.outcome.reports?.directory ?? ''), rangeName);
    appendFileSync(path.join(folder, damaged), ' ');
    const { document } = await installation.json<Checkup>('doctor', '--reports');
    expect(document.checks.filter(({ ok }) => !ok)).toMatchObject([
      {
        subject: `reports ${rangeName}`,
        advice: expect.stringContaining(`\`recon report ${november.join(' ')} --as-of ${day}\` `) as string,
      },
    ]);
  });

  test('migrate reports that there is nothing to do', async () => {
    const installation = await createInstallation();
    expect((await installation.recon('migrate', '--check')).code).toBe(0);
    expect((await installation.json<object>('migrate')).document).toEqual({ applied: [] });
  });
});
