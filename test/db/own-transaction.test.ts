import { expect, test } from 'vitest';
import { inOwnTransaction } from '../../src/db/transaction.js';
import { databaseForEachTest, type DatabaseOfTests } from '../support/database.js';

const testDatabase = databaseForEachTest();

const typesOf = ({ database: { sql } }: DatabaseOfTests) => [
  Object.keys(sql.options.parsers),
  Object.keys(sql.options.serializers),
];

test('the connection of a transaction leaves nothing in the client that it was opened like', async () => {
  const { sql } = testDatabase.database;
  await inOwnTransaction(sql, (tx) => tx`select 1`);
  const before = typesOf(testDatabase);
  // Each table has an array type, which a new connection learns. A large file gets a separate table.
  await sql`create table new_since (id integer)`;
  const [found] = await inOwnTransaction(
    sql,
    (tx) => tx<{ ids: number[]; rows: string }[]>`
      select ${[1, 2]}::integer[] as ids, array_agg(n)::text as rows from new_since n`,
  );
  expect(found).toEqual({ ids: [1, 2], rows: null });
  expect(typesOf(testDatabase)).toEqual(before);
});
