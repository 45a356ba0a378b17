import { existsSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import type { Purged } from '../../src/retention/purge.js';
import type { RunOutcome } from '../../src/outcome.js';
import { archivePath } from '../support/archive.js';
import { sha256Of } from '../support/fetch-world.js';
import { createInstallation, paymentsFile, settlementFile } from './installation.js';
import { recon } from './recon.js';

/** What `recon purge` and `recon retire` remove on a machine whose clock differs from that of the database server. */

const day = 86_400_000;
const matched = settlementFile(1, 2);

afterEach(() => {
  vi.useRealTimers();
});

/** An installation with a file of today; `differing` calls a command on a machine whose clock is off by days. */
async function install(retention: string) {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', `lookbackDays: 1\nretention: { ${retention} }\n`);
  await installation.recon('payments', 'import', installation.write('payments.csv', paymentsFile(1, 2)));
  const { document } = await installation.json<RunOutcome>(
    'run',
    '--file',
    installation.write('a.csv', matched),
  );
  expect(document.error).toBeNull();
  const { directory: cwd, environment, dataDirectory } = installation;
  const differing = async (days: number, ...args: string[]) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * day });
    const ended = await recon([...args, '--json'], { cwd, environment, isClockWrong: true });
    vi.useRealTimers();
    return { ...ended, document: JSON.parse(ended.stdout) as unknown };
  };
  const isArchived = () => existsSync(archivePath(dataDirectory, sha256Of(matched)));
  return { installation, differing, isArchived };
}

const dayOf = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10);

test.each([
  ['is right', 0, 0],
  ['is ahead', 400, 0],
  ['is behind', -400, -400],
])('a purge on a machine whose clock %s counts ages to the earlier day', async (_clock, days, countedTo) => {
  const { differing, isArchived } = await install('archiveDays: 100');
  const { document, stderr } = await differing(days, 'purge');
  const { asOf, kinds } = document as Purged;
  expect([asOf, kinds.find(({ kind }) => kind === 'archive')?.removed.count, isArchived()], stderr).toEqual([
    dayOf(countedTo),
    0,
    true,
  ]);
});

test('a clock that is ahead makes no later day possible', async () => {
  const { differing, isArchived } = await install('archiveDays: 100');
  const asOf = await differing(400, 'purge', '--as-of', dayOf(300));
  expect([asOf.code, asOf.document]).toMatchObject([2, { error: { code: 'USAGE_INVALID' } }]);
  const retired = await differing(400, 'retire', '--before', dayOf(300));
  expect([retired.code, retired.document]).toMatchObject([2, { error: { code: 'USAGE_INVALID' } }]);
  expect(isArchived()).toBe(true);
});

test('a run on a machine whose clock is ahead removes nothing early with retention.afterRun', async () => {
  const { installation, differing, isArchived } = await install('archiveDays: 100, afterRun: true');
  const other = installation.write('b.csv', settlementFile(2));
  const run = await differing(400, 'run', '--file', other);
  expect([run.code, isArchived()], run.stderr).toEqual([0, true]);
});
