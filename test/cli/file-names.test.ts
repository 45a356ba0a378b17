import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { inboxConfig, namesIn, statusesOf } from './inbox.js';
import { createInstallation, databaseContent, filesBelow, settlementFile } from './installation.js';

const card = '4200000000000000';

test('F35 F43 a second file of the longest name that a disk allows is reported, and moved, under a shorter one', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', inboxConfig('afterSuccess: { action: move, folder: done }'));
  const name = `${'x'.repeat(251)}.csv`;
  const reported: string[][] = [];
  mkdirSync(path.join(installation.directory, 'done'));
  for (const number of [1, 2]) {
    installation.write(`inbox/${name}`, settlementFile(number));
    const { code, document } = await installation.json<RunOutcome>('run');
    expect({ code, statuses: statusesOf(document) }).toEqual({ code: 0, statuses: [`${name} loaded`] });
    reported.push((document.reports?.reconciled ?? []).map((file) => path.basename(file)));
  }
  const shorter = expect.stringMatching(/^x{242}-[0-9a-f]{8}\.csv$/) as string;
  expect(reported).toEqual([[name], [shorter]]);
  expect(namesIn(installation, 'done')).toEqual([shorter, name]);
});

test('F69 a card number in the name of a file is truncated in everything that is stored, printed and reported; a moment is not', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', inboxConfig());
  installation.write(`inbox/a-${card}.csv`, settlementFile(1));
  // The checksum of this moment holds.
  installation.write('inbox/b-20261119063018.csv', settlementFile(2));

  const first = await installation.json<RunOutcome>('run');
  expect(statusesOf(first.document)).toEqual([
    'a-420000******0000.csv loaded',
    'b-20261119063018.csv loaded',
  ]);
  const again = await installation.json<RunOutcome>('run');
  expect(statusesOf(again.document)).toEqual([
    'a-420000******0000.csv duplicate',
    'b-20261119063018.csv duplicate',
  ]);
  // A person may give the name as the sender gave it.
  const explained = await installation.recon('explain', `a-${card}.csv:2`);
  expect([explained.code, explained.stderr]).toEqual([0, '']);
  const withdrawn = await installation.recon('files', 'withdraw', `a-${card}.csv`, '--reason', 'a test');
  expect(withdrawn.code).toBe(0);

  const listed = await installation.recon('files', '--json');
  const everything = [
    ...[first, again, explained, withdrawn, listed].flatMap(({ stdout, stderr }) => [stdout, stderr]),
    JSON.stringify(await databaseContent(installation)),
    ...Object.keys(filesBelow(installation.dataDirectory)).flatMap((name) => [
      name,
      readFileSync(path.join(installation.dataDirectory, name), 'latin1'),
    ]),
  ].join('\n');
  expect(everything).not.toContain(card);
  expect(everything).toContain('b-20261119063018.csv');
  expect(namesIn(installation)).toContain(`a-${card}.csv`);
});
