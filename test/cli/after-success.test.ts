import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { zipOf } from '../support/zip.js';
import { inboxConfig, namesIn, statusesOf } from './inbox.js';
import { createInstallation, settlementFile } from './installation.js';

test('files that could not be moved are named in the notices of the run, which is no failure, until they are moved', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', inboxConfig('afterSuccess: { action: move, folder: taken }'));
  for (const number of [1, 2, 3]) installation.write(`inbox/${number}.csv`, settlementFile(number));

  const left = await installation.json<RunOutcome>('run');
  expect([left.code, statusesOf(left.document)]).toEqual([
    0,
    [1, 2, 3].map((number) => `${number}.csv loaded`),
  ]);
  expect(left.document.notices?.filter((notice) => notice.includes('afterSuccess'))).toEqual([
    expect.stringMatching(
      /^afterSuccess of source bank was not done: .*could not move 1\.csv to .*taken: it does not exist.* The same holds for 2 other files\. The files are stored, and the next run tries again\.$/,
    ),
  ]);
  // They are known now, and still there.
  const summary = await installation.recon('run');
  expect(summary.stdout).toContain('afterSuccess of source bank was not done');

  mkdirSync(path.join(installation.directory, 'taken'));
  const moved = await installation.json<RunOutcome>('run');
  expect(JSON.stringify(moved.document.notices ?? [])).not.toContain('afterSuccess');
  expect(namesIn(installation)).toEqual([]);
});

test('a file that was rejected stays at its source, also when later runs know it', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', inboxConfig('afterSuccess: { action: delete }'));
  installation.write('inbox/bad.csv', 'not a settlement file');
  installation.write('inbox/good.csv', settlementFile(1));
  installation.write('inbox/mixed.zip', zipOf({ 'a.csv': settlementFile(2), 'b.csv': 'neither' }));
  const first = await installation.json<RunOutcome>('run');
  expect(statusesOf(first.document)).toEqual([
    'bad.csv rejected FILE_HEADER',
    'good.csv loaded',
    'a.csv loaded',
    'b.csv rejected FILE_HEADER',
  ]);
  expect(namesIn(installation)).toEqual(['bad.csv', 'mixed.zip']);
  // The same bytes, known by their name and under another one.
  installation.write('inbox/worse.csv', 'not a settlement file');
  await installation.recon('run');
  await installation.recon('run');
  expect(namesIn(installation)).toEqual(['bad.csv', 'mixed.zip', 'worse.csv']);
  await installation.recon('rerun', '--from', '2026-11-01', '--to', '2026-11-30', '--fetch');
  expect(namesIn(installation)).toEqual(['bad.csv', 'mixed.zip', 'worse.csv']);
});
