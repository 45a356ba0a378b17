import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRecon, type Listing, type Recon } from '../../src/index.js';
import { databaseForAllTests } from '../support/database.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { folderForAllTests } from '../support/test-folder.js';

const samples = path.resolve(import.meta.dirname, '../../fixtures/demo');

const testDatabase = databaseForAllTests();
const dataDirectory = folderForAllTests();
let recon: Recon;
const open = () =>
  openRecon({
    settings: { dataDirectory: dataDirectory.path, databaseUrl: testDatabase.url },
    clock: () => Date.parse('2026-11-20T05:30:00Z'),
  });
beforeAll(async () => {
  recon = await open();
  await recon.importPayments(path.join(samples, 'payments.csv'));
  // More findings than the database sends at a time.
  await recon.importPayments(unsettledPayments(500_000, 2500));
  await recon.run({ files: [17, 18, 19].map(dayFile) });
});
afterAll(() => recon.close());

const dayFile = (day: number) => path.join(samples, `inbound/settlement-2026-11-${day}.csv`);

/** A file of payments that nobody settled. */
function unsettledPayments(first: number, count: number): string {
  const file = path.join(dataDirectory.path, 'payments.csv');
  const rows = Array.from({ length: count }, (_, index) =>
    paymentRow(first + index, { Amount: `${index}.50`, Timestamp: '2026-11-12 10:00:00+0000' }),
  );
  writeFileSync(file, paymentsFileOf(rows));
  return file;
}

/** Transactions of recon's connections that have not ended. */
async function transactions(): Promise<number> {
  const [row] = await testDatabase.database.sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'recon library' and xact_start is not null`;
  return row?.count ?? 0;
}

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const taken: Row[] = [];
  for await (const row of rows) taken.push(row);
  return taken;
}

type Filter = { limit?: number; code?: 'MISSING_SETTLEMENT' } | undefined;
type Named = { discrepancyId: string };

describe.each([
  {
    name: 'eachDiscrepancy',
    each: (filter: Filter): AsyncIterable<Named> => recon.eachDiscrepancy(filter),
    whole: (filter: Filter): Promise<Listing<Named>> => recon.discrepancies(filter),
  },
  {
    name: 'eachItem',
    each: (filter: Filter): AsyncIterable<Named> => recon.eachItem(filter),
    whole: (filter: Filter): Promise<Listing<Named>> => recon.items(filter),
  },
])('$name', ({ each, whole }) => {
  test.each<[string, Filter, number]>([
    ['every row', undefined, 2511],
    ['the rows of a filter', { code: 'MISSING_SETTLEMENT' }, 2501],
    ['the first rows', { limit: 1001 }, 1001],
    ['no row', { limit: 0 }, 0],
  ])('reads %s, in the order of the list', async (_what, filter, count) => {
    const { rows } = await whole(filter);
    expect(rows).toHaveLength(count);
    expect(await all(each(filter))).toEqual(rows);
  });

  test('reads the list again in the next loop', async () => {
    const rows = each({ limit: 3 });
    expect(await all(rows)).toEqual(await all(rows));
  });

  test('ends the reading when the loop is left', async () => {
    for (let round = 0; round < 20; round += 1) {
      for await (const row of each(undefined)) {
        expect(row.discrepancyId).not.toBe('');
        break;
      }
    }
    expect(await transactions()).toBe(0);
  });

  test('throws what the loop throws', async () => {
    const failing = async () => {
      for await (const { discrepancyId } of each(undefined)) throw new Error(`no room for ${discrepancyId}`);
    };
    await expect(failing()).rejects.toThrow('no room for');
    expect(await transactions()).toBe(0);
  });

  test('refuses wrong options', async () => {
    await expect(all(each({ limit: -1 }))).rejects.toMatchObject({ code: 'USAGE_INVALID' });
  });
});

test('a loop sees the list as it was when it began', async () => {
  const before = await all(recon.eachDiscrepancy());
  const seen: string[] = [];
  for await (const { discrepancyId } of recon.eachDiscrepancy()) {
    if (seen.length === 0) {
      await recon.importPayments(unsettledPayments(600_000, 10));
      await recon.run({ files: [dayFile(19)] });
    }
    seen.push(discrepancyId);
  }
  expect(seen).toEqual(before.map(({ discrepancyId }) => discrepancyId));
  expect((await recon.discrepancies()).rows).not.toEqual(before);
});

test('a connection that is lost ends the loop with an error', async () => {
  const reading = async () => {
    for await (const { message } of recon.eachDiscrepancy()) {
      expect(message).not.toBe('');
      await testDatabase.database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'recon library' and xact_start is not null`;
    }
  };
  await expect(reading()).rejects.toMatchObject({ code: 'DATABASE_FAILED' });
});

test('many loops at once cause no warning in the program', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  await Promise.all(Array.from({ length: 12 }, () => all(recon.eachItem({ limit: 1 }))));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

test('close ends a loop that nobody continues', async () => {
  const other = await open();
  const rows = other.eachItem()[Symbol.asyncIterator]();
  await rows.next();
  await other.close();
  await expect(all({ [Symbol.asyncIterator]: () => rows })).rejects.toMatchObject({ code: 'USAGE_INVALID' });
  expect(await transactions()).toBe(0);
});
