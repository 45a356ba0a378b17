import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sql } from '../../src/db/client.js';
import { bulkFromBytes, importPayments } from '../../src/payment-file/import-payments.js';
import { databaseForAllTests } from '../support/database.js';
import { folderForAllTests } from '../support/test-folder.js';
import { exportedText, idOf, paymentLine, writePayments } from './payments-file.js';

const testDatabase = databaseForAllTests();
let sql: Sql;
const directory = folderForAllTests();
let file: string;

beforeAll(() => {
  sql = testDatabase.database.sql;
  file = path.join(directory.path, 'payments.csv');
});
beforeEach(() => sql`truncate payments cascade`);

/** Writes a file that is stored in bulk: the indexes of an empty table are built once it is full. */
const large = (rows: number, last = '') => {
  writePayments(file, [
    ...Array.from({ length: rows }, (_, index) =>
      paymentLine(index, {
        ShortId: `${index}`.slice(0, 14),
        MerchantTransactionId: `order-${index}`.padEnd(255, '-'),
        MerchantInvoiceId: `invoice-${index}`.padEnd(255, '-'),
        EntityId: idOf(index % 50),
        ConnectorTxId1: `${index}`.padStart(128, 'c'),
        ConnectorTxId2: `${index}`.padStart(128, 'd'),
        AccountNumberLast4: '1234',
      }),
    ),
    ...(last === '' ? [] : [last]),
  ]);
  // A smaller one is merged.
  expect(statSync(file).size).toBeGreaterThan(bulkFromBytes);
};
const rows = 20_000;
const indexes = () => sql`select indexdef from pg_indexes where tablename = 'payments' order by indexname`;

describe('a large file', () => {
  test('is stored in an empty table, whose indexes are the same afterwards', async () => {
    const before = await indexes();
    large(rows);
    expect(await importPayments(sql, file)).toMatchObject({
      read: rows,
      inserted: rows,
      updated: 0,
      unchanged: 0,
    });
    expect(await indexes()).toEqual(before);
    const [event] = await sql<{ details: string }[]>`
      select details from audit_events where action = 'payments.imported' order by number desc limit 1`;
    expect(JSON.parse(event?.details ?? '')).toMatchObject({ read: rows, inserted: rows });
    expect(await importPayments(sql, file)).toMatchObject({
      read: rows,
      inserted: 0,
      updated: 0,
      unchanged: rows,
    });
    expect(await exportedText(sql, directory.path)).toBe(readFileSync(file, 'utf8'));
  });

  test.each([
    ['an invalid line at its end', paymentLine(5, { Amount: 'x' }), `line ${rows + 2}, Amount`],
    [
      'a contradiction at its end',
      paymentLine(5, { Amount: '5.00' }),
      `line ${rows + 2}, PaymentId: is already on line 7`,
    ],
  ])('with %s stores nothing', async (_what, line, expected) => {
    const before = await indexes();
    large(rows, line);
    await expect(importPayments(sql, file)).rejects.toThrow(expected);
    expect(await sql`select from payments limit 1`).toHaveLength(0);
    expect(await indexes()).toEqual(before);
  });

  test('that says one thing twice is stored', async () => {
    large(rows);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, `${text}${text.split('\n')[1] ?? ''}\n`);
    expect(await importPayments(sql, file)).toMatchObject({
      read: rows + 1,
      inserted: rows,
      updated: 0,
      unchanged: 1,
    });
  });

  test('is stored while somebody reads the payments', async () => {
    const before = await indexes();
    large(rows);
    const reader = await sql.reserve();
    await reader`begin`;
    await reader`select from payments limit 1`;
    expect(await importPayments(sql, file)).toMatchObject({ inserted: rows });
    await reader`commit`;
    reader.release();
    expect(await indexes()).toEqual(before);
  });
});
