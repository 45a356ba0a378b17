import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRecon, type Recon } from '../../src/index.js';
import { databaseForAllTests } from '../support/database.js';
import { folderForAllTests } from '../support/test-folder.js';

/**
 * A program whose calls no compiler checks: plain JavaScript, or options that were read from somewhere. Whatever it
 * passes, the error names the option that is wrong, and nothing is done.
 */
const samples = path.resolve(import.meta.dirname, '../../fixtures/demo');
const file = path.join(samples, 'inbound/settlement-2026-11-18.csv');

const testDatabase = databaseForAllTests();
const dataDirectory = folderForAllTests();
let recon: Recon;
beforeAll(async () => {
  recon = await openRecon({ settings: { dataDirectory: dataDirectory.path, databaseUrl: testDatabase.url } });
  await recon.importPayments(path.join(samples, 'payments.csv'));
  await recon.run({ files: [file], asOf: '2026-11-20' });
});
afterAll(() => recon.close());

/** Calls an operation with arguments that do not compile. */
async function refusalOf(operation: keyof Recon, ...args: unknown[]): Promise<unknown> {
  // The compiler would refuse the arguments; nothing refuses them in a JavaScript program.
  const operations = recon as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
  return (operations[operation]?.(...args) ?? Promise.resolve()).then(
    (result) => ({ resolved: result }),
    (thrown: unknown) => thrown,
  );
}

const by = 'anna';
const reason = 'agreed';

describe('wrong options are named', () => {
  test.each<[keyof Recon, unknown[], string]>([
    ['run', [null], 'run: the options must be an object'],
    ['run', [{ files: file }], 'run: files must be a list of texts'],
    ['run', [{ files: [5] }], 'run: files[0] must be a text'],
    ['run', [{ file }], 'run: there is no option file (did you mean files?)'],
    ['run', [{ files: [file], signal: {} }], 'run: signal must be an AbortSignal'],
    ['run', [{ files: [file], dryRun: 'yes' }], 'run: dryRun must be true or false'],
    [
      'run',
      [{ files: [file], asOf: null }],
      'run: asOf must be a day from 1900 to 2099, written as 2026-11-19',
    ],
    ['rerun', [], 'rerun: the options must be an object'],
    ['rerun', [{ from: '2026-11-18' }], 'rerun: to is missing'],
    ['report', [{ runId: 'x' }], 'report: runId must be a whole number from 1'],
    ['report', [{ runId: 1.5 }], 'report: runId must be a whole number from 1'],
    ['report', [{ runId: 3e9 }], 'report: runId must be a whole number from 1 to 2147483647'],
    [
      'files',
      [{ runId: Number.MAX_SAFE_INTEGER }],
      'files: runId must be a whole number from 1 to 2147483647',
    ],
    ['discrepancies', [{ limit: 3e9 }], 'discrepancies: limit must be a whole number from 0 to 2147483647'],
    ['report', [{ from: '2026-11-18' }], 'report: to is missing'],
    ['report', [{ asOf: '2026-11-18' }], 'report: asOf needs from and to'],
    ['report', [{ runId: 1, asOf: '2026-11-18' }], 'report: asOf needs from and to'],
    ['report', [{ from: '2026-11-18', to: '2026-11-18', asOf: 'today' }], 'report: asOf must be a day'],
    ['report', [{ from: undefined, to: undefined, runId: 1, days: 2 }], 'report: there is no option days'],
    [
      'report',
      [{ runId: 1, from: '2026-11-18', to: '2026-11-18' }],
      'report: runId and from exclude each other',
    ],
    ['purge', [{ dryrun: true }], 'purge: there is no option dryrun (did you mean dryRun?)'],
    ['explain', [], 'explain: record is missing'],
    ['explain', [5], 'explain: record must be a text'],
    ['diff', ['run:1'], 'diff: after is missing'],
    ['importPayments', [], 'importPayments: file is missing'],
    ['exportPayments', ['payments.csv'], 'exportPayments: out must be a stream that can be written'],
    ['withdrawFile', [file], 'withdrawFile: the options must be an object'],
    ['withdrawFile', [file, { by: 5, reason }], 'withdrawFile: by must be a text'],
    ['restoreFile', [file, { by, reason: ' ' }], 'restoreFile: reason must not be empty'],
    ['runs', [{ limit: -1 }], 'runs: limit must be a whole number from 0'],
    [
      'runs',
      [{ status: 'done' }],
      'runs: status must be running, completed, failed, interrupted or abandoned',
    ],
    ['files', [{ limit: Number.NaN }], 'files: limit must be a whole number from 0'],
    ['discrepancies', [{ severity: 'fatal' }], 'discrepancies: severity must be error, warning or info'],
    ['discrepancies', [{ code: 'NOT_MATCHD' }], '(did you mean NOT_MATCHED?)'],
    ['items', [{ currency: 978 }], 'items: currency must be a text'],
    ['items', [{ text: 'a\0b' }], 'items: text must not contain a NUL character'],
    ['patterns', [{ asOf: 'today' }], 'patterns: asOf must be a day from 1900 to 2099'],
    ['decide', [], 'decide: the options must be an object'],
    ['decide', [{ items: ['x'], decision: 'agree', by }], 'decide: decision must be accept, '],
    ['decide', [{ items: ['x'], decision: 'accept', reason }], 'decide: by is missing'],
    ['decide', [{ items: ['x'], decision: 'accept', reason, by: '' }], 'decide: by must not be empty'],
    ['decideSheet', [file], 'decideSheet: the options must be an object'],
  ])('%s(%j): %s', async (operation, args, sentence) => {
    const refusal = await refusalOf(operation, ...args);
    expect(refusal).toMatchObject({ name: 'ReconError', code: 'USAGE_INVALID' });
    expect(String(refusal)).toContain(sentence);
    expect(String(refusal)).toContain('Nothing was done.');
  });

  test('all of them together', async () => {
    expect(String(await refusalOf('decide', { items: ['x'], decision: 'agree', reasons: 'x' }))).toMatch(
      /decide: decision must be .*; by is missing; there is no option reasons \(did you mean reason\?\)\. Nothing was done\.$/,
    );
  });

  test('of openRecon too, before a database is opened', async () => {
    const opening = openRecon as (options: unknown) => Promise<Recon>;
    for (const [options, sentence] of [
      [null, 'openRecon: the options must be an object'],
      [{ dataDirectory: dataDirectory.path }, 'openRecon: there is no option dataDirectory'],
      [{ settings: null }, 'openRecon: settings must be an object'],
      [{ configFile: 5 }, 'openRecon: configFile must be a text'],
      [{ settings: {}, cwd: 5 }, 'openRecon: cwd must be a text'],
      [{ settings: {}, log: 5 }, 'openRecon: log must be a function'],
      [{ settings: {}, clock: 5 }, 'openRecon: clock must be a function'],
    ] as const) {
      const refusal = await opening(options).catch((thrown: unknown) => thrown);
      expect(refusal).toMatchObject({ name: 'ReconError', code: 'USAGE_INVALID' });
      expect(String(refusal)).toContain(sentence);
    }
  });
});

test('payments are exported into the response of an HTTP server', async () => {
  const server = createServer((_request, response) => {
    void recon.exportPayments(response).finally(() => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address with it.
  const { port } = server.address() as AddressInfo;
  const text = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  server.close();
  expect(text.split('\n').length).toBeGreaterThan(100);
});

describe('a stream that fails while payments are exported', () => {
  const failing = (error: Error) =>
    new Writable({ highWaterMark: 1, write: (_piece, _encoding, done) => done(error) });
  const exported = (out: Writable) => recon.exportPayments(out).catch((thrown: unknown) => thrown);

  test('is reported as what it is, and does not end a program that does not listen for its errors', async () => {
    const reset = Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET', syscall: 'write' });
    expect(await exported(failing(reset))).toMatchObject({
      code: 'USAGE_INVALID',
      message: 'The stream failed before all payments were written to it (ECONNRESET).',
      cause: reset,
    });
    const full = Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
    expect(await exported(failing(full))).toMatchObject({ code: 'DISK_FULL', exitCode: 6 });
    expect(
      await exported(createWriteStream(path.join(dataDirectory.path, 'none', 'payments.csv'))),
    ).toMatchObject({
      code: 'DISK_FAILED',
    });
  });

  test('ends the export, also if it is closed or not destroyed with its error', async () => {
    const closed = new PassThrough();
    closed.destroy();
    const ended = new PassThrough();
    ended.end();
    const kept = new Writable({
      highWaterMark: 1,
      autoDestroy: false,
      write: (_piece, _encoding, done) => setImmediate(done, new Error('lost')),
    });
    for (const out of [closed, ended, kept]) {
      expect(await exported(out)).toMatchObject({ code: 'USAGE_INVALID' });
      expect(out.listenerCount('error')).toBe(0);
    }
  });
});

test('a log that throws ends no run', async () => {
  const log = () => {
    throw new Error('the log is full');
  };
  const silenced = await openRecon({
    settings: { dataDirectory: dataDirectory.path, databaseUrl: testDatabase.url },
    log,
  });
  const outcome = await silenced.run({ files: [file], asOf: '2026-11-20' });
  await silenced.close();
  expect(outcome).toMatchObject({ status: 'completed' });
});

test('what decides about items never widens to all items by mistake', async () => {
  const open = (await recon.items()).total;
  expect(open).toBeGreaterThan(1);
  const decision = { decision: 'accept', by, reason };
  // The last three are filters that restrict nothing, such as that of an account that was not found.
  const wrong = ['abc', null, undefined, 5, { discrepancyId: 'abc' }, [5]];
  for (const items of [...wrong, {}, { account: undefined }, { lapsed: false }]) {
    expect(await refusalOf('decide', { items, ...decision })).toMatchObject({ code: 'USAGE_INVALID' });
  }
  expect(await recon.items()).toMatchObject({ total: open });
});

test('a decision without what its kind needs names the option of the library', async () => {
  const [row] = (await recon.items({ limit: 1 })).rows;
  for (const [decision, option] of [
    ['accept', 'reason'],
    ['wait', 'until'],
    ['link', 'linkTo'],
    ['assign', 'assignee'],
    ['note', 'note'],
  ]) {
    const refusal = await refusalOf('decide', { items: [row?.discrepancyId], decision, by });
    expect(refusal).toMatchObject({ code: 'DECISION_REFUSED' });
    expect(String(refusal)).toContain(`the option ${option}`);
  }
});

test('a wrong option opens no run', async () => {
  const { total } = await recon.runs();
  await refusalOf('rerun', { from: '2026-11-18' });
  await refusalOf('run', { files: [file], asOf: 5 });
  expect(await recon.runs()).toMatchObject({ total });
});

test('options that are undefined are options that are left out', async () => {
  const outcome = await refusalOf('run', { files: [file], asOf: undefined, signal: undefined, dryRun: true });
  expect(outcome).toMatchObject({ resolved: { status: 'completed' } });
  expect(await refusalOf('runs', { status: undefined })).toHaveProperty('resolved');
});

test('the total of a list is that of the whole list, whatever its limit', async () => {
  for (const list of ['runs', 'files', 'discrepancies', 'items'] as const) {
    const { total } = await recon[list]();
    expect(total, list).toBeGreaterThan(0);
    expect(await recon[list]({ limit: 0 }), list).toEqual({ total, rows: [] });
    expect((await recon[list]({ limit: 1 })).total, list).toBe(total);
  }
});
