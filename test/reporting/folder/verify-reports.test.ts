import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { StagedFolder, recoverReports } from '../../../src/reporting/folder/report-folder.js';
import { verifyReports } from '../../../src/reporting/folder/verify-reports.js';
import { folderForEachTest } from '../../support/test-folder.js';

const parent = folderForEachTest();
let reports: string;
let folder: string;

beforeEach(async () => {
  reports = path.join(parent.path, 'reports');
  await recoverReports(reports);
  const staged = await StagedFolder.create(reports, 'run-000001');
  for (const name of ['discrepancies.csv', 'reconciled/a.csv']) {
    const file = await staged.create(name);
    await file.write(`content of ${name}`);
    await staged.finish(file, 1);
  }
  await staged.seal({});
  await staged.publish();
  folder = path.join(reports, 'run-000001');
});

const change = (name: string, edit: (text: string) => string) =>
  writeFileSync(path.join(folder, name), edit(readFileSync(path.join(folder, name), 'utf8')));

describe('F107 reports are proven untouched', () => {
  test('as they were published', async () => {
    expect(await verifyReports(reports)).toEqual([{ folder: 'run-000001', ok: true, problems: [] }]);
  });

  test.each<[string, () => void, string[]]>([
    [
      'one byte changed',
      () => change('discrepancies.csv', (text) => text.replace('c', 'C')),
      ['discrepancies.csv was changed: its SHA-256 is different.'],
    ],
    [
      'one byte more',
      () => change('reconciled/a.csv', (text) => `${text} `),
      ['reconciled/a.csv has 28 bytes; the manifest says 27.'],
    ],
    ['a file removed', () => rmSync(path.join(folder, 'reconciled/a.csv')), ['reconciled/a.csv is missing.']],
    [
      'a file replaced by a link to the same bytes',
      () => {
        renameSync(path.join(folder, 'discrepancies.csv'), path.join(reports, 'elsewhere'));
        symlinkSync(path.join(reports, 'elsewhere'), path.join(folder, 'discrepancies.csv'));
      },
      ['discrepancies.csv is missing.'],
    ],
    [
      'a file added',
      () => writeFileSync(path.join(folder, 'reconciled', 'b.csv'), ''),
      ['reconciled/b.csv does not belong to the report.'],
    ],
    [
      'the manifest edited',
      () => change('manifest.json', (text) => text.replace('"rows": 1', '"rows": 2')),
      ['manifest.json is damaged.'],
    ],
    ['the manifest removed', () => rmSync(path.join(folder, 'manifest.json')), ['manifest.json is missing.']],
  ])('%s is reported', async (_what, tamper, problems) => {
    tamper();
    expect(await verifyReports(reports)).toEqual([{ folder: 'run-000001', ok: false, problems }]);
  });

  test('folders are reported in order, and those being written are skipped', async () => {
    mkdirSync(path.join(reports, '.run-000002.0000.tmp'));
    mkdirSync(path.join(reports, 'range-2026'));
    expect((await verifyReports(reports)).map((verdict) => verdict.folder)).toEqual([
      'range-2026',
      'run-000001',
    ]);
  });

  test('no reports are no problem', async () => {
    expect(await verifyReports(path.join(reports, 'nowhere'))).toEqual([]);
  });
});
