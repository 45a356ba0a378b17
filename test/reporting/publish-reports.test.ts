import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunScope } from '../../src/db/run-scope.js';
import { countResults } from '../../src/reporting/count-results.js';
import type { UnreportedOutcome } from '../../src/outcome.js';
import { archivePath } from '../support/archive.js';
import { facts, first, second } from './night.js';
import { reportNames } from './reporting-defaults.js';
import { createWorld, folderContent, outcome, runScope, type Fact, type World } from './world.js';
import { runId } from '../../src/values/ids.js';

let world: World;

beforeEach(async () => {
  world = await createWorld();
});

afterEach(() => world.end());

async function storeNights(order: readonly Fact[] = facts): Promise<void> {
  world.archive(first);
  world.archive(second);
  await world.store(order);
}

const run = (id: number): RunScope => ({ kind: 'run', runId: runId(id), asOf: '2026-11-20' });
const range = (from: string, to = from): RunScope => ({ kind: 'range', from, to, asOf: '2026-11-20' });

/** Every report of a golden folder was read through by a person, column by column against design 6. */
function golden(name: string): Record<string, string> {
  return folderContent(path.join(import.meta.dirname, 'golden', name));
}

function tables(directory: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(folderContent(directory)).filter(([name]) => name.endsWith('.csv')),
  );
}

describe('reports byte by byte', () => {
  test.each([
    ['a run with a bit of everything', 'first-run', run(1)],
    ['a run with a row that was known and a reversal of an earlier chargeback', 'second-run', run(2)],
    ['a day of which one file holds a row', 'one-day', range('2026-11-20')],
    ['all days', 'all-days', range('2026-11-01', '2026-11-30')],
  ])('%s', async (_what, name, scope) => {
    await storeNights();
    const { directory } = await world.publish({ scope });
    expect(tables(directory)).toEqual(golden(name));
  });

  test('human-facing files have a byte order mark and CRLF, the machine copy neither', async () => {
    await storeNights();
    const { reconciled, ...reports } = await world.publish();
    const { discrepancies, rejectedRows, chargebacks, openItems, corrections, totals } = reports;
    for (const file of [discrepancies, rejectedRows, chargebacks, openItems, corrections, totals]) {
      expect(readFileSync(file).subarray(0, 3).toString('hex')).toBe('efbbbf');
      expect(readFileSync(file, 'utf8').replaceAll('\r\n', '')).not.toContain('\n');
    }
    const copy = readFileSync(reconciled[0] ?? '');
    expect(copy.subarray(0, 18).toString()).toBe('ReconciliationType');
    expect(copy.includes('\r')).toBe(false);
  });
});

describe('summary and manifest', () => {
  const reported: UnreportedOutcome = {
    ...outcome,
    sources: [{ name: 'acquirer', status: 'read', error: null }],
    files: [
      {
        source: 'acquirer',
        name: 'broken.csv',
        sha256: null,
        status: 'rejected',
        error: { code: 'FILE_HEADER', message: 'no' },
        rows: { total: 0, accepted: 0, rejected: 0, alreadyKnown: 0 },
        note: 'A note.',
        packedIn: 'broken.csv.gz',
      },
    ],
    expected: [
      {
        source: 'acquirer',
        date: '2026-11-20',
        status: 'missing',
        due: '2026-11-21T06:00:00.000Z',
        files: [],
        problems: [],
        filePattern: 'settlement-*.csv',
      },
    ],
  };

  test('the summary is the outcome with relative names and control totals', async () => {
    await storeNights();
    const { summary } = await world.publish({ outcome: reported, scope: run(2) });
    const { reports, controlTotals, totals, ...rest } = JSON.parse(readFileSync(summary, 'utf8')) as Record<
      string,
      unknown
    >;
    expect(rest).toEqual({
      ...reported,
      discrepancies: {
        total: 2,
        byCode: { CHARGEBACK_EXCEEDS_PAYMENT: 1, MISSING_SETTLEMENT: 1 },
        amounts: [
          { code: 'CHARGEBACK_EXCEEDS_PAYMENT', currency: 'EUR', count: 1, amount: '50.00' },
          { code: 'MISSING_SETTLEMENT', currency: 'EUR', count: 1, amount: '100.00' },
        ],
      },
    });
    expect(reports).toEqual({ ...reportNames, reconciled: ['reconciled/settlement-2026-11-20.csv'] });
    const group = (reconciliationType: string, numbers: object) => ({
      source: 'bank',
      file: 'settlement-2026-11-20.csv',
      sha256: expect.any(String) as string,
      merchantAccountId: 'account0000000000000000000000000',
      settlementCurrency: 'EUR',
      reconciliationType,
      count: 1,
      failed: { count: 0, pos: '0.00', neg: '0.00' },
      ...numbers,
    });
    expect(totals).toMatchObject({
      byCurrency: [{ currency: 'EUR', records: 1, reversals: '100.00', net: '100.00' }],
      bySettlementDate: [{ settlementDate: '2026-11-20', net: '100.00' }],
    });
    expect(controlTotals).toEqual([
      group('CHARGEBACK REVERSAL', { alreadyKnown: 0, pos: '100.00', neg: '0.00', net: '100.00' }),
      group('SETTLED', { alreadyKnown: 1, pos: '90.00', neg: '0.00', net: '90.00' }),
    ]);
  });

  test('an outcome that comes back from the database in another order gives the same bytes', async () => {
    await storeNights();
    const first = readFileSync((await world.publish({ outcome: reported })).summary, 'utf8');
    const reversed = (value: unknown): unknown =>
      Array.isArray(value) || value === null || typeof value !== 'object'
        ? value
        : Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, inner]) => [key, reversed(inner)]),
          );
    const again = {
      ...(reversed(reported) as typeof reported),
      files: reported.files.map((file) => reversed(file) as typeof file),
    };
    expect(readFileSync((await world.publish({ outcome: again })).summary, 'utf8')).toBe(first);
    expect(first.endsWith('}\n')).toBe(true);
  });

  test('the manifest lists every file with its rows, bytes and hash', async () => {
    await storeNights();
    const { directory, manifest } = await world.publish();
    const { files } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      files: { name: string; rows: number | null; bytes: number; sha256: string }[];
    };
    expect(files.map(({ name, rows }) => [name, rows])).toEqual([
      ['chargebacks.csv', 1],
      ['corrections.csv', 1],
      ['discrepancies.csv', 6],
      ['open-items.csv', 6],
      ['open-items.xlsx', 6],
      ['page.html', null],
      ['reconciled/settlement-2026-11-19.csv', 5],
      ['rejected-rows.csv', 3],
      ['summary.json', null],
      ['totals.csv', 6],
    ]);
    for (const file of files) {
      const bytes = readFileSync(path.join(directory, file.name));
      expect(bytes.length).toBe(file.bytes);
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256);
    }
  });

  test('F106 nothing to report gives headers and a manifest of zeros', async () => {
    const { directory, reconciled } = await world.publish();
    expect(reconciled).toEqual([]);
    const content = folderContent(directory);
    expect(Object.keys(content)).toEqual([
      'chargebacks.csv',
      'corrections.csv',
      'discrepancies.csv',
      'manifest.json',
      'open-items.csv',
      'open-items.xlsx',
      'page.html',
      'rejected-rows.csv',
      'summary.json',
      'totals.csv',
    ]);
    for (const name of [
      'chargebacks.csv',
      'corrections.csv',
      'discrepancies.csv',
      'open-items.csv',
      'rejected-rows.csv',
      'totals.csv',
    ]) {
      expect(content[name]?.split('\r\n').slice(1)).toEqual(['']);
    }
    const { files } = JSON.parse(content['manifest.json'] ?? '') as { files: { rows: number | null }[] };
    expect(files.map((file) => file.rows)).toEqual([0, 0, 0, 0, 0, null, 0, null, 0]);
  });
});

describe('same input, same bytes', () => {
  test('F108 the order of insertion and a rewritten table change nothing', async () => {
    await storeNights();
    const expected = folderContent((await world.publish()).directory);
    for (const seed of [1, 2, 3]) {
      const other = await createWorld();
      try {
        other.archive(first);
        other.archive(second);
        await other.store(shuffled(facts, seed));
        for (const table of ['settlement_records', 'discrepancies', 'record_matches', 'payments']) {
          await other.sql.unsafe(`vacuum full ${table}`);
        }
        expect(folderContent((await other.publish()).directory)).toEqual(expected);
      } finally {
        await other.end();
      }
    }
  });

  test('reports written again are the same and replace the old ones', async () => {
    await storeNights();
    const expected = folderContent((await world.publish()).directory);
    writeFileSync(path.join(world.reports, 'run-000001', 'stray.txt'), 'x');
    expect(folderContent((await world.publish()).directory)).toEqual(expected);
    expect(readdirSync(world.reports)).toEqual(['run-000001']);
  });
});

describe('the reconciled file is proven', () => {
  const reason = async (changes: Parameters<World['publish']>[0] = {}) => {
    const thrown: unknown = await world.publish(changes).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(existsSync(path.join(world.reports, 'run-000001'))).toBe(false);
    expect(readdirSync(world.reports)).toEqual([]);
    return thrown;
  };

  test.each([
    ['a byte changed', (bytes: Buffer) => bytes.fill('9', bytes.length - 60, bytes.length - 59)],
    ['a row lost', (bytes: Buffer) => bytes.subarray(0, bytes.lastIndexOf('CHARGEBACK;'))],
    ['a cell lost', (bytes: Buffer) => Buffer.from(bytes.toString().replace(';POS;', ';'))],
    ['a quote too many', (bytes: Buffer) => Buffer.from(bytes.toString().replace('CIM', '"CIM'))],
    ['no longer text', (bytes: Buffer) => bytes.fill(0xff, 900, 910)],
    ['nothing left', () => Buffer.alloc(0)],
  ])('F88 a damaged archive (%s) is named and nothing is published', async (_what, damage) => {
    await storeNights();
    const sha256 = world.archive(first);
    const file = archivePath(world.directory, sha256);
    writeFileSync(file, damage(readFileSync(file)));
    expect(await reason()).toMatchObject({
      code: 'DISK_FAILED',
      message: expect.stringContaining('settlement-2026-11-19.csv') as string,
    });
  });

  test('a missing archive is named', async () => {
    await world.store(facts);
    expect(await reason()).toMatchObject({
      code: 'DISK_FAILED',
      message: expect.stringMatching(
        /^Could not read the archived bytes of settlement-2026-11-19\.csv .*does not exist \(ENOENT/,
      ) as string,
    });
  });

  test.each([
    ['a stored amount is another', 'update settlement_records set amount_minor = 1 where line = 4'],
    [
      'a stored settlement amount is another',
      'update settlement_records set settlement_amount_minor = 1 where line = 4',
    ],
    ['a stored currency is another', `update settlement_records set currency = 'USD' where line = 4`],
    ['a stored row is lost', 'delete from settlement_records where line = 4'],
    [
      'a stored row is of another line',
      'update settlement_records set line = 3 where file_id = 1 and line = 4',
    ],
    [
      'a stored row lies behind the end',
      'update settlement_records set line = 70000 where file_id = 1 and line = 4',
    ],
    ['the file says another count', 'update settlement_files set rows_accepted = 4 where id = 1'],
  ])('%s: nothing is published', async (_what, statement) => {
    await storeNights();
    await world.transact((tx) => tx.unsafe(statement));
    expect(await reason()).toMatchObject({ code: 'CONTROL_TOTALS_DISAGREE' });
  });

  test('an interrupted publication leaves nothing', async () => {
    await storeNights();
    const controller = new AbortController();
    controller.abort();
    expect(await reason({ signal: controller.signal })).toMatchObject({ code: 'RUN_INTERRUPTED' });
  });

  test('an interruption while open items are written ends it, and is the reason that is given', async () => {
    await storeNights();
    const controller = new AbortController();
    let batches = 0;
    const openItems = async function* () {
      for (; batches < 100; batches += 1) {
        await sleep(1);
        if (batches === 3) controller.abort();
        yield [];
      }
    };
    expect(await reason({ signal: controller.signal, openItems })).toMatchObject({ code: 'RUN_INTERRUPTED' });
    expect(batches).toBe(3);
  });
});

test('a file is zipped over several windows of lines', async () => {
  const tall = `a${'\n'.repeat(40_000)}b`;
  const cells = ['x', tall, 'y', tall, 'z'].map((Descriptor, index) => ({
    Descriptor,
    SettlementTxId: `t${index}`,
  }));
  const name = 'tall.csv';
  await world.load({ id: 1, name, lines: cells.map((one) => ({ kind: 'record', cells: one })) });
  await world.transact(
    (tx) => tx`insert into record_matches (file_id, line, status, run_id)
      select file_id, line, 'NOT_MATCHED', 1 from settlement_records`,
  );
  const { reconciled } = await world.publish();
  const rows = readFileSync(reconciled[0] ?? '', 'utf8')
    .split('\n')
    .slice(1, -1);
  expect(rows.length).toBe(80_005);
  expect(rows.filter((row) => row.endsWith(';NOT_MATCHED;;')).length).toBe(5);
});

test('a reversal whose chargeback does not count is not counted as reversed', async () => {
  await storeNights();
  const reversed = async () =>
    (await world.transact((tx) => countResults(tx, range('2026-11-20')))).chargebacks.reversed;
  expect(await reversed()).toBe(1);
  // As the withdrawal of the file with the chargeback leaves it; the reversal keeps its id and waits.
  await world.transact((tx) => tx`update chargeback_links set active = false where kind = 'CHARGEBACK'`);
  expect(await reversed()).toBe(0);
});

test('counts describe the state of the scope', async () => {
  await storeNights();
  const counts = async (scope: RunScope) => {
    const { discrepancies } = await world.publishReports({ scope });
    return { ...(await world.transact((tx) => countResults(tx, scope))), discrepancies };
  };
  expect(await counts(runScope)).toMatchObject({
    matching: { MATCHED: 2, MULTIPLE_MATCHES: 1, NOT_MATCHED: 1, NOT_APPLICABLE: 1 },
    chargebacks: { assigned: 1, reversed: 0 },
    discrepancies: {
      total: 6,
      byCode: {
        AMOUNT_MISMATCH: 1,
        CHARGEBACK_EXCEEDS_PAYMENT: 1,
        FX_MISMATCH: 1,
        MISSING_SETTLEMENT: 1,
        MULTIPLE_MATCHES: 1,
        NOT_MATCHED: 1,
      },
      amounts: [
        { code: 'AMOUNT_MISMATCH', currency: 'EUR', count: 1, amount: '10.00' },
        { code: 'CHARGEBACK_EXCEEDS_PAYMENT', currency: 'EUR', count: 1, amount: '50.00' },
        { code: 'FX_MISMATCH', currency: 'EUR', count: 1, amount: '90.00' },
        { code: 'MISSING_SETTLEMENT', currency: 'EUR', count: 1, amount: '100.00' },
        { code: 'MULTIPLE_MATCHES', currency: 'EUR', count: 1, amount: '100.00' },
        { code: 'NOT_MATCHED', currency: 'EUR', count: 1, amount: '100.00' },
      ],
    },
  });
  expect(await counts(range('2026-11-20'))).toMatchObject({
    matching: { MATCHED: 1, MULTIPLE_MATCHES: 0, NOT_MATCHED: 0, NOT_APPLICABLE: 0 },
    chargebacks: { assigned: 0, reversed: 1 },
    discrepancies: {
      total: 1,
      byCode: { CHARGEBACK_EXCEEDS_PAYMENT: 1 },
      amounts: [{ code: 'CHARGEBACK_EXCEEDS_PAYMENT', currency: 'EUR', count: 1, amount: '50.00' }],
    },
  });
});

/** A fixed shuffle by seed. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const weight = (index: number) => createHash('sha256').update(`${seed}:${index}`).digest('hex');
  return items
    .map((item, index) => ({ item, weight: weight(index) }))
    .sort((a, b) => (a.weight < b.weight ? -1 : 1))
    .map(({ item }) => item);
}
