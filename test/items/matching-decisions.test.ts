import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sql } from '../../src/db/client.js';
import { matchingDecisions, recordsWithMatchingDecisions } from '../../src/findings/matching-decisions.js';
import { databaseForAllTests } from '../support/database.js';

const testDatabase = databaseForAllTests();
let sql: Sql;
/** Each test has its own record, because decisions are permanent. */
let line = 0;

beforeAll(() => {
  sql = testDatabase.database.sql;
});
beforeEach(() => {
  line += 1;
});

async function decide(
  kind: string,
  { payment = null as number | null, undoes = null as bigint | null } = {},
) {
  const [row] = await sql<{ number: bigint }[]>`
    insert into decisions (item, file_id, line, kind, payment_key, refers_to, basis, author, decided_on, decided_at,
      origin)
    values ('item', 1, ${line}, ${kind}, ${payment}, ${undoes}, 'b', 'anna', '2026-11-22', now(), 'command')
    returning number`;
  return row?.number ?? 0n;
}

async function inEffect() {
  const rows = await sql<{ kind: string; payment_key: bigint | null }[]>`
    select kind, payment_key from (${matchingDecisions(sql)}) d where line = ${line} order by number`;
  return rows.map((row) => `${row.kind} ${row.payment_key ?? ''}`.trim());
}

describe('decisions that change matching', () => {
  test('the latest link of a record is in effect', async () => {
    await decide('link', { payment: 1 });
    await decide('link', { payment: 2 });
    expect(await inEffect()).toEqual(['link 2']);
  });

  test('a link that is taken back gives way to the one before', async () => {
    await decide('link', { payment: 1 });
    await decide('undo', { undoes: await decide('link', { payment: 2 }) });
    expect(await inEffect()).toEqual(['link 1']);
  });

  test('a record is kept from every payment it was unlinked from', async () => {
    await decide('unlink', { payment: 1 });
    await decide('unlink', { payment: 2 });
    expect(await inEffect()).toEqual(['unlink 1', 'unlink 2']);
  });

  test('a link decides alone, and its unlink brings back the payments that were excluded before', async () => {
    await decide('unlink', { payment: 1 });
    await decide('link', { payment: 2 });
    expect(await inEffect()).toEqual(['link 2']);
    await decide('unlink', { payment: 2 });
    expect(await inEffect()).toEqual(['unlink 1', 'unlink 2']);
  });

  test('a payment that was linked again is not excluded by its earlier unlink', async () => {
    await decide('unlink', { payment: 1 });
    await decide('link', { payment: 1 });
    await decide('unlink', { payment: 2 });
    expect(await inEffect()).toEqual(['unlink 2']);
  });

  test('the latest of supersede and keep-both is in effect, beside a link', async () => {
    await decide('supersede');
    await decide('link', { payment: 3 });
    await decide('keep-both');
    expect(await inEffect()).toEqual(['link 3', 'keep-both']);
  });

  test('accept, wait and note change no matching', async () => {
    for (const kind of ['accept', 'wait', 'note', 'assign']) await decide(kind);
    expect(await inEffect()).toEqual([]);
  });

  test('a record is matched again also after its decision was taken back', async () => {
    await decide('undo', { undoes: await decide('link', { payment: 1 }) });
    expect(await inEffect()).toEqual([]);
    const rows = await sql`select line from (${recordsWithMatchingDecisions(sql)}) d where line = ${line}`;
    expect(rows).toHaveLength(1);
  });
});

describe('the database', () => {
  test.each(['update decisions set author = null', 'delete from decisions', 'truncate decisions'])(
    'refuses %s',
    async (statement) => {
      await expect(sql.unsafe(statement)).rejects.toMatchObject({ code: 'RF002' });
    },
  );

  test('refuses to take a decision back twice', async () => {
    const number = await decide('accept');
    await decide('undo', { undoes: number });
    await expect(decide('undo', { undoes: number })).rejects.toMatchObject({ code: '23505' });
  });
});
