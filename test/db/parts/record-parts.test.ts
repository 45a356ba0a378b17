import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fencedTransactions, type Transact } from '../../../src/db/fence.js';
import { addPart, nextFileId } from '../../../src/db/parts/record-parts.js';
import { databaseForAllTests } from '../../support/database.js';
import { fileId, runId } from '../../../src/values/ids.js';

const testDatabase = databaseForAllTests();
let transact: Transact;
const fence = { runId: runId(1), token: 7n };

beforeAll(async () => {
  await testDatabase.database.sql`update run_fence set token = ${fence.token}, run_id = ${fence.runId}`;
  ({ transact } = fencedTransactions(testDatabase.database, fence));
});

/** The state in which migration 0004 leaves an empty database, in October. */
beforeEach(async () => {
  const { sql } = testDatabase.database;
  const parts = await sql<{ name: string }[]>`select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'settlement_records'::regclass`;
  for (const { name } of parts) if (!name.endsWith('_1')) await sql`drop table ${sql(name)}`;
  await sql`delete from record_parts where first_file_id > 1`;
  await sql`update record_parts set month = '2026-10-01'`;
  await transact((tx) => tx`truncate settlement_files`);
});

async function register(id: number): Promise<void> {
  await transact(
    (tx) => tx`
      insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id)
      values (${id}, ${`sha-${id}`}, 's', 'n', 1, 'received', now(), 1)`,
  );
}

describe('ids of files', () => {
  test.each<[story: string, files: string[], ids: number[], parts: string[]]>([
    ['the small files of a month share a part', ['10', '10', '10'], [1, 2, 3], ['1-10001']],
    ['a large one has its own', ['10', '10 large'], [1, 10_001], ['1-10001', '10001-10002 own']],
    [
      'small ones after it share the next',
      ['10', '10 large', '10', '10'],
      [1, 10_001, 10_002, 10_003],
      ['1-10001', '10001-10002 own', '10002-20002'],
    ],
    [
      'large ones follow each other',
      ['10 large', '10 large'],
      [10_001, 10_002],
      ['1-10001', '10001-10002 own', '10002-10003 own'],
    ],
    ['a month begins a part', ['10', '11', '11'], [1, 10_001, 10_002], ['1-10001', '10001-20001']],
    ['a clock that went back begins a part too', ['10', '9'], [1, 10_001], ['1-10001', '10001-20001']],
  ])('%s', async (_, files, ids, parts) => {
    const given: number[] = [];
    for (const file of files) {
      const [month = '', size] = file.split(' ');
      const coming = {
        month: `2026-${month.padStart(2, '0')}-01`,
        timesLarge: size === 'large' ? Infinity : 0,
      };
      const id = await transact((tx) => nextFileId(tx, coming));
      await register(id);
      given.push(id);
    }
    expect(given).toEqual(ids);
    const stored = await testDatabase.database.sql`select
      first_file_id || '-' || end_file_id || case when own_file then ' own' else '' end as part
      from record_parts order by first_file_id`;
    expect(stored.map((row) => String(row['part']))).toEqual(parts);
  });

  test('a part that is full is followed by another', async () => {
    await register(10_000);
    expect(await transact((tx) => nextFileId(tx, { month: '2026-10-01', timesLarge: 0 }))).toBe(10_001);
  });
});

test.each<[parts: number, timesLarge: number, share: string]>([
  [32, 0.99, 'shares a part'],
  [32, 1, 'has its own'],
  [33, 1, 'shares a part'],
  [64, 2, 'has its own'],
  [65, 2, 'shares a part'],
  [399, Infinity, 'has its own'],
  [400, Infinity, 'shares a part'],
])(
  'the more parts there are, the larger a file must be: with %s parts, one of %s times the size %s',
  async (parts, timesLarge, share) => {
    const { sql } = testDatabase.database;
    await sql`insert into record_parts (first_file_id, end_file_id, own_file, month)
    select 10000 + i, 10001 + i, true, '2026-10-01' from generate_series(1, ${parts}::int - 1) i`;
    const id = await transact((tx) => nextFileId(tx, { month: '2026-10-01', timesLarge }));
    const [part] = await sql<
      { own_file: boolean }[]
    >`select own_file from record_parts where first_file_id = ${id}`;
    expect(part?.own_file === true ? 'has its own' : 'shares a part').toBe(share);
  },
);

describe('tables of parts', () => {
  const own = { firstFileId: fileId(10_001), endFileId: fileId(10_002), ownFile: true };

  test('a shared part has its table immediately, the part of a large file when it is filled', async () => {
    const month = '2026-10-01';
    const large = await transact((tx) => nextFileId(tx, { month, timesLarge: Infinity }));
    const small = await transact((tx) => nextFileId(tx, { month, timesLarge: 0 }));
    const tables = testDatabase.database.sql`
      select to_regclass('settlement_records_' || id) is not null as there from unnest(${[large, small]}::int[]) id`;
    expect(await tables).toEqual([{ there: false }, { there: true }]);
  });

  test('a part has the indexes of the others, and the fence guards it', async () => {
    await transact((tx) => addPart(tx, own));
    const { sql } = testDatabase.database;
    const indexes = async (part: string) =>
      (
        await sql`select regexp_replace(pg_get_indexdef(indexrelid), '.* USING', '') || indisunique as index
          from pg_index where indrelid = ${part}::regclass order by 1`
      ).map((row) => String(row['index']));
    expect(await indexes('settlement_records_10001')).toEqual(await indexes('settlement_records_1'));
    for (const part of ['settlement_records_1', 'settlement_records_10001', 'settlement_records']) {
      await expect(sql`delete from ${sql(part)}`).rejects.toMatchObject({ code: 'RF001' });
    }
  });

  test('a failure while a part is filled leaves no table', async () => {
    const filling = transact((tx) => addPart(tx, own, () => Promise.reject(new Error('no more'))));
    await expect(filling).rejects.toThrow('no more');
    expect(
      await testDatabase.database.sql`select to_regclass('settlement_records_10001') is null as gone`,
    ).toEqual([{ gone: true }]);
  });
});
