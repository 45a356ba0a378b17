import { mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { itemFields, itemOfText } from '../../../src/findings/item-texts.js';
import { nullMark, valueMark } from '../../../src/values/row-texts.js';
import { beginWorkbook, itemsForThread } from '../../../src/reporting/workbook/begin-workbook.js';
import { StagedFolder } from '../../../src/reporting/folder/report-folder.js';
import { WorkbookThread } from '../../../src/reporting/workbook/workbook-thread.js';
import { folderForAllTests } from '../../support/test-folder.js';

const reports = folderForAllTests();

const severities = ['error', 'warning', 'error', 'info'];

/** As the server sends it. */
function textOf(number: number): string {
  const given: Readonly<Record<string, string>> = {
    ...{ discrepancyId: `${number}`.padStart(32, '0'), severity: severities[number % 4] ?? '' },
    ...{ code: `CODE_${number % 7}`, status: 'OPEN', lapsed: 'false', pending: 'false', ageDays: '3' },
    ...{ amountMinor: `${number * 101}`, atRiskMinor: `${-number}`, currency: 'EUR', since: '2026-11-19' },
    ...{ message: `No <payment> "${number}" 😀 €\n was found.`, basis: 'b0n0', firstSeenRun: '1' },
  };
  return itemFields.map((name) => `${valueMark}${given[name] ?? nullMark}`).join('');
}

const textsOf = (count: number) => Array.from({ length: count }, (_, index) => textOf(index));

async function* inBatches(texts: readonly string[], size: number) {
  await Promise.resolve();
  for (let at = 0; at < texts.length; at += size) yield texts.slice(at, at + size);
}

interface Case {
  readonly texts: readonly string[];
  /** How many are expected, which decides who writes. */
  readonly expected: number;
  readonly batchSize?: number;
  readonly rowLimit?: number;
}

/** Publishes a workbook, and says whether a thread was started. */
async function publish({ texts, expected, batchSize = 50, rowLimit = 1_048_576 }: Case) {
  const folder = await StagedFolder.create(reports.path, 'run-000001');
  let started = 0;
  const threadStarted = () => {
    started += 1;
  };
  const workbook = beginWorkbook(folder, { rowLimit, expected, threadStarted });
  const passed: unknown[] = [];
  for await (const items of workbook.taking(inBatches(texts, batchSize))) passed.push(...items);
  await workbook.finish();
  await workbook.close();
  await folder.seal({});
  await folder.publish();
  const published = path.join(reports.path, 'run-000001');
  const bytes = readFileSync(path.join(published, 'open-items.xlsx'));
  return { bytes, started, passed, names: readdirSync(published), files: folder.files };
}

/** What this process has open below the folder of reports. */
const openFiles = () =>
  readdirSync('/proc/self/fd').flatMap((number) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${number}`);
      return file.startsWith(reports.path) ? [file] : [];
    } catch {
      // Closed meanwhile.
      return [];
    }
  });

const place = (folder: string) => ({
  name: 'open-items.xlsx',
  path: path.join(folder, 'open-items.xlsx'),
  fileMode: 0o600,
});

const startThread = (folder: string) =>
  new WorkbookThread({ place: place(folder), rowLimit: 1_048_576 }, () => undefined);

describe('open-items.xlsx by another thread', () => {
  test.each([
    { count: 0 },
    { count: 1 },
    { count: 49 },
    { count: 50 },
    { count: 51 },
    { count: 1000 },
    { count: 1000, batchSize: 7 },
    { count: 120, rowLimit: 21 },
  ])('has the same bytes: $count items, limits $batchSize $rowLimit', async ({ count, ...limits }) => {
    const texts = textsOf(count);
    const here = await publish({ texts, expected: itemsForThread - 1, ...limits });
    const there = await publish({ texts, expected: itemsForThread, ...limits });
    expect([here.started, there.started]).toEqual([0, 1]);
    expect(there.bytes.equals(here.bytes)).toBe(true);
    expect(there.files).toEqual(here.files);
    expect(there.names).toEqual(here.names);
    expect(there.passed).toEqual(texts.map(itemOfText));
  });

  test('fails with the code that this thread would fail with, and keeps failing', async () => {
    const missing = path.join(reports.path, 'missing');
    const thread = startThread(missing);
    const sent = async () => {
      for (let batch = 0; batch < 100; batch += 1) await thread.write([textOf(batch)]);
    };
    const failure = {
      code: 'DISK_FAILED',
      message: expect.stringContaining('No report was published') as string,
    };
    await expect(sent()).rejects.toMatchObject(failure);
    await expect(thread.write([textOf(1)]).then(() => thread.finish())).rejects.toMatchObject(failure);
    await thread.close();
  });

  test('reports a defect as a defect', async () => {
    const folder = mkdtempSync(path.join(reports.path, 'defect-'));
    const thread = startThread(folder);
    await thread.write(['no JSON']);
    await expect(thread.finish()).rejects.toThrow(SyntaxError);
    await thread.close();
  });

  test('that is ended in the middle leaves no open file, and nothing waits for it', async () => {
    const folder = mkdtempSync(path.join(reports.path, 'ended-'));
    const thread = startThread(folder);
    for (let batch = 0; batch < 20; batch += 1) await thread.write(textsOf(50));
    expect(openFiles()).not.toEqual([]);
    const finishing = thread.finish();
    finishing.catch(() => undefined);
    await thread.close();
    expect(openFiles()).toEqual([]);
    await expect(finishing).rejects.toThrow('has ended');
    expect(readdirSync(folder).filter((name) => name !== 'open-items.xlsx')).toEqual([]);
  });
});
