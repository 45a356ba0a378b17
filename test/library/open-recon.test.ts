import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settingsSchema } from '../../src/config/config-schema.js';
import { sourceSchemas } from '../../src/config/source-schema.js';
import {
  openRecon,
  type PurgeOptions,
  type Recon,
  type ReconSettings,
  type SourceSetting,
} from '../../src/index.js';
import { databaseForAllTests } from '../support/database.js';
import { folderForAllTests } from '../support/test-folder.js';

const samples = path.resolve(import.meta.dirname, '../../fixtures/demo');
const file = path.join(samples, 'inbound/settlement-2026-11-18.csv');

const testDatabase = databaseForAllTests();
const dataDirectory = folderForAllTests();
let recon: Recon;
const logged: string[] = [];
beforeAll(async () => {
  recon = await openRecon({
    settings: { dataDirectory: dataDirectory.path, databaseUrl: testDatabase.url },
    log: (line) => logged.push(line),
    clock: () => Date.parse('2026-11-20T05:30:00Z'),
  });
});
afterAll(() => recon.close());

describe('a program that embeds recon', () => {
  test('imports payments, runs, lists, explains, reports, re-runs and exports', async () => {
    const imported = await recon.importPayments(path.join(samples, 'payments.csv'));
    expect(imported.inserted).toBeGreaterThan(0);

    const first = await recon.run({ files: [file] });
    expect(first).toMatchObject({ runId: 1, kind: 'run', status: 'completed', exitCode: 0 });
    expect(first.matching.MATCHED).toBeGreaterThan(0);
    expect(logged.map((line) => JSON.parse(line) as unknown).length).toBeGreaterThan(0);

    const { total, rows } = await recon.discrepancies();
    expect(rows).toHaveLength(total);
    const explanation = await recon.explain(rows[0]?.discrepancyId ?? '');
    expect(['record', 'payment']).toContain(explanation.kind);

    const again = await recon.rerun({ from: '2026-11-01', to: '2026-11-30' });
    expect(again).toMatchObject({ runId: 2, kind: 'rerun', matching: first.matching });
    expect(await recon.diff('run:1', 'run:2')).toMatchObject({ kind: 'runs', files: [], results: [] });
    await expect(recon.diff('run:1', 'run:9')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    const report = await recon.report({ runId: 1 });
    expect(report.reports?.directory).toContain('run-000001');
    expect((await recon.runs()).rows.map(({ runId }) => runId)).toEqual([2, 1]);
    expect((await recon.files({ status: 'loaded' })).rows).toMatchObject([
      { name: 'settlement-2026-11-18.csv', runId: 1 },
    ]);

    const out = new PassThrough();
    const content = text(out);
    const { written } = await recon.exportPayments(out);
    out.end();
    expect((await content).trimEnd().split('\n')).toHaveLength(written + 1);
  });

  test('lists what is open and decides about it', async () => {
    const { total, rows } = await recon.items();
    expect(rows).toHaveLength(total);
    const [first] = rows;
    const decision = { items: [first?.discrepancyId ?? ''], decision: 'accept', by: 'anna' } as const;
    await expect(recon.decide(decision)).rejects.toMatchObject({ code: 'DECISION_REFUSED' });
    const reason = 'agreed';
    expect(await recon.decide({ ...decision, reason, dryRun: true })).toMatchObject({
      items: 1,
      dryRun: true,
    });
    await recon.decide({ ...decision, reason });
    expect(await recon.items({ status: 'ACCEPTED' })).toMatchObject({ total: 1, rows: [{ reason }] });
    const undo = { items: { status: 'ACCEPTED' }, decision: 'undo' } as const;
    expect((await recon.decide({ ...undo, by: 'bo 4111111111111111' })).author).toBe('bo 411111******1111');
    expect((await recon.items()).total).toBe(total);
    expect(await recon.patterns()).toEqual([]);
  });

  test('is refused a second run while one is active', async () => {
    const both = await Promise.allSettled([recon.run({ files: [file] }), recon.run({ files: [file] })]);
    const refused = both.filter((each) => each.status === 'rejected');
    expect(refused).toMatchObject([{ reason: { code: 'RUN_ACTIVE', exitCode: 3 } }]);
  });

  test('stops a run by a signal, and the next one continues', async () => {
    const stopped = await recon.run({ files: [file], signal: AbortSignal.abort() }).catch((e: unknown) => e);
    expect(stopped).toMatchObject({ error: { code: 'RUN_INTERRUPTED' } });
    expect(await recon.run({ files: [file] })).toMatchObject({ status: 'completed' });
  });
});

test('removes what is old when it is asked to, or after a run', async () => {
  const purging = async (at: string, retention: ReconSettings['retention'] & object) =>
    openRecon({
      settings: {
        dataDirectory: dataDirectory.path,
        databaseUrl: testDatabase.url,
        lookbackDays: 1,
        retention,
      },
      clock: () => Date.parse(at),
    });
  const folders = () =>
    readdirSync(path.join(dataDirectory.path, 'reports')).filter((name) => /^run-/.test(name));
  const old = folders();
  const [newest = ''] = old.slice(-1);
  // The newest report of runs stays, and the newest of re-runs.
  const kept = ['run-000002', newest];
  expect(old.length).toBeGreaterThan(2);
  const first = await purging('2027-11-20T05:30:00Z', { reportsDays: 30 });
  const removed = async (options: PurgeOptions) =>
    (await first.purge(options)).kinds.find(({ kind }) => kind === 'reports')?.removed.count;
  expect([await removed({ dryRun: true }), folders()]).toEqual([old.length - 2, old]);
  await expect(first.purge({ asOf: '2028-01-01' })).rejects.toMatchObject({ code: 'USAGE_INVALID' });
  const stopped = first.purge({ signal: AbortSignal.abort() });
  await expect(stopped).rejects.toMatchObject({ code: 'RUN_INTERRUPTED' });
  const { rows } = await first.runs();
  expect(rows.filter(({ reportsRemovedAt }) => reportsRemovedAt !== null)).toEqual([]);
  expect([await removed({}), folders()]).toEqual([old.length - 2, kept]);
  await first.close();

  const second = await purging('2027-11-21T05:30:00Z', { reportsDays: 30, afterRun: true });
  await second.run({ files: [file], dryRun: true });
  expect(folders()).toEqual(kept);
  const outcome = await second.run({ files: [file] });
  expect(folders()).toEqual(['run-000002', path.basename(outcome.reports?.directory ?? '')]);
  await second.close();
});

test.each<[string, () => Promise<unknown>, string]>([
  ['no source and no file', () => recon.run(), 'CONFIG_INVALID'],
  ['a day that does not exist', () => recon.run({ files: [file], asOf: '2026-02-30' }), 'USAGE_INVALID'],
  ['a range that ends early', () => recon.rerun({ from: '2026-11-02', to: '2026-11-01' }), 'USAGE_INVALID'],
  ['an unknown record', () => recon.explain('nothing:1'), 'RECORD_NOT_FOUND'],
  ['an unknown run', () => recon.report({ runId: 99 }), 'RUN_NOT_FOUND'],
  ['a file that is missing', () => recon.importPayments('missing.csv'), 'FILE_UNREADABLE'],
  ['two ways to configure', () => openRecon({ settings: {}, configFile: 'x.yaml' }), 'USAGE_INVALID'],
])('%s rejects with a code', async (_what, act, code) => {
  await expect(act()).rejects.toMatchObject({ name: 'ReconError', code });
});

test('all problems of the settings are reported together, without a value', async () => {
  const settings = { timezone: 'Moon/Base', lookbackDays: -1, databaseUrll: 'postgres://u:secret@h/d' };
  const refused: unknown = await openRecon({ settings }).catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(String(refused)).toMatch(/timezone: .*\n.*lookbackDays: .*\n.*databaseUrll: /);
  expect(String(refused)).not.toContain('secret');
});

test('a configuration file works as for the command line, with the variables that are given', async () => {
  const configFile = path.join(dataDirectory.path, 'recon.config.yaml');
  writeFileSync(configFile, 'databaseUrl: ${DB}\nsources: []\n');
  const second = await openRecon({ configFile, environment: { DB: testDatabase.url } });
  expect((await second.runs()).total).toBeGreaterThan(0);
  await second.close();
  await expect(second.runs()).rejects.toMatchObject({ code: 'USAGE_INVALID' });
});

test('the typed settings have the names of the configuration file', () => {
  // The compiler checks the names of the lists below; the test compares them with the schema.
  const settings: Record<keyof Required<ReconSettings>, true> = {
    dataDirectory: true,
    databaseUrl: true,
    databaseUrlFile: true,
    timezone: true,
    settlementDueDays: true,
    lookbackDays: true,
    largeFileBytes: true,
    archive: true,
    retention: true,
    intake: true,
    worker: true,
    logLevel: true,
    matching: true,
    reports: true,
    decisions: true,
    schedule: true,
    sources: true,
  };
  // `openRecon` neither serves HTTP nor sends alerts.
  const ofCommandsOnly = new Set(['alerts', 'http', 'metrics', 'paymentCore', 'webhooks']);
  const names = Object.keys(settingsSchema.shape).filter((name) => !ofCommandsOnly.has(name));
  expect(Object.keys(settings).sort()).toEqual(names.sort());
  const sftp: Record<keyof Extract<SourceSetting, { protocol: 'sftp' }>, true> = {
    name: true,
    protocol: true,
    filePattern: true,
    minimumAgeSeconds: true,
    maximumSizeBytes: true,
    unpack: true,
    openpgp: true,
    maximumEntries: true,
    maxRejectedShare: true,
    corrections: true,
    totals: true,
    expected: true,
    timezone: true,
    afterSuccess: true,
    host: true,
    port: true,
    folder: true,
    username: true,
    password: true,
    passwordFile: true,
    connectTimeoutMs: true,
    stallTimeoutMs: true,
    fileTimeoutMs: true,
    attempts: true,
    downloadsAtOnce: true,
    privateKeyFile: true,
    passphrase: true,
    passphraseFile: true,
    hostKeys: true,
    knownHostsFile: true,
    allowSha1HostKeys: true,
  };
  expect(Object.keys(sftp).sort()).toEqual(Object.keys(sourceSchemas.sftp.shape).sort());
});
