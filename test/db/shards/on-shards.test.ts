import { expect, test } from 'vitest';
import type { Tx } from '../../../src/db/client.js';
import { inNumberedBatches } from '../../../src/db/shards/in-numbered-batches.js';
import { statementText } from '../../../src/db/shards/on-shards.js';
import { inOwnTransaction } from '../../../src/db/transaction.js';
import { databaseForAllTests } from '../../support/database.js';

/** What is sent to the shards, on one server: the text of a statement, and many rows in parts. */
const testDatabase = databaseForAllTests();

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => inOwnTransaction(testDatabase.database.sql, work);

test('a statement as text says the same as with parameters, whatever is in them', async () => {
  const values = [
    `it's`,
    'back\\slash',
    `both \\' and $1`,
    '',
    'ümlaut',
    null,
    'ten',
    '$11',
    'nine',
    'ten',
  ] as const;
  const [sent, written] = await inTransaction(async (tx) => {
    const list = values.map((value) => tx`(${value}::text)`);
    const rest = list.slice(1).reduce((all, each) => tx`${all}, ${each}`, tx`${list[0] ?? tx``}`);
    const statement = tx`select v, ${true}::boolean as yes, ${12}::integer as number, ${7n}::bigint as large,
      ${'eleven'}::text as last from (values ${rest}) t (v)`;
    return [[...(await statement)], [...(await tx.unsafe(await statementText(tx, statement)))]];
  });
  expect(written).toEqual(sent);
  expect(written.map((row) => String(row['v']))).toEqual(values.map(String));
});

test.each([
  [0, []],
  [1, [1]],
  [20_000, [20_000]],
  [20_001, [20_000, 1]],
  [45_000, [20_000, 20_000, 5000]],
])('%i rows are worked on in parts, each row once', async (count, parts) => {
  const [sizes, seen] = await inTransaction(async (tx) => {
    await tx`create temp table numbered on commit drop as select number from generate_series(1, ${count}::integer) number`;
    const sizes: number[] = [];
    const seen: number[] = [];
    await inNumberedBatches(tx, 'numbered', async (batch) => {
      const rows = await tx<{ number: number }[]>`select number from numbered where ${batch}`;
      sizes.push(rows.length);
      seen.push(...rows.map(({ number }) => number));
    });
    return [sizes, seen];
  });
  expect(sizes).toEqual(parts);
  expect(new Set(seen).size).toBe(count);
});
