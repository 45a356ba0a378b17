import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sql } from '../../src/db/client.js';
import { bulkFromBytes, importPayments } from '../../src/payment-file/import-payments.js';
import { paymentChangeList } from '../../src/listings/list-payment-changes.js';
import { collect } from '../../src/listings/listing.js';
import { databaseForAllTests } from '../support/database.js';
import { folderForAllTests } from '../support/test-folder.js';
import { idOf, paymentLine, writePayments } from './payments-file.js';

const testDatabase = databaseForAllTests();
let sql: Sql;
const directory = folderForAllTests();
let file: string;

beforeAll(() => {
  sql = testDatabase.database.sql;
  file = path.join(directory.path, 'payments.csv');
});
beforeEach(() => sql`truncate payments, payment_changes cascade`);

/** Every value of a payment, so that every one of them can change. */
const full = {
  ShortId: '1001.0037.0001',
  PaymentType: 'DB',
  PaymentBrand: 'VISA',
  Amount: '150.51',
  Currency: 'EUR',
  ResultCode: '000.000.000',
  MerchantTransactionId: 'order-1',
  MerchantInvoiceId: 'invoice-1',
  EntityId: 'e'.repeat(32),
  ConnectorTxId1: 'c1',
  ConnectorTxId2: 'c2',
  ConnectorTxId3: 'c3',
  AccountNumberLast4: '0615',
  Timestamp: '2026-11-15 10:30:00+0000',
  ReferencedPaymentId: idOf(9),
};
const stored = async (...lines: string[]) => importPayments(sql, writePayments(file, lines));
const content = () => sql`select * from payments order by id`;
const history = async () => (await collect(sql, paymentChangeList({ paymentId: null }), null)).rows;

type Cells = Readonly<Record<string, string>>;

/** Stored cells, the cells of a later file, and what becomes of it. */
const rule: [what: string, before: Cells, after: Cells, kind: string | null][] = [
  ['an amount', {}, { Amount: '999.99' }, 'CONTRADICTION'],
  ['a currency', {}, { Currency: 'USD' }, 'CONTRADICTION'],
  ['a type', {}, { PaymentType: 'PA' }, 'CONTRADICTION'],
  ['an entity', {}, { EntityId: 'f'.repeat(32) }, 'CONTRADICTION'],
  ['a reference', {}, { ReferencedPaymentId: idOf(8) }, 'CONTRADICTION'],
  ['a timestamp', {}, { Timestamp: '2026-11-15 10:30:01+0000' }, 'CONTRADICTION'],
  ['a brand', {}, { PaymentBrand: 'AMEX' }, 'CONTRADICTION'],
  ['the last four digits', {}, { AccountNumberLast4: '1615' }, 'CONTRADICTION'],
  ['a short id', {}, { ShortId: '1001.0037.0002' }, 'CONTRADICTION'],
  ['a connector id', {}, { ConnectorTxId2: 'c1' }, 'CONTRADICTION'],
  ['a merchant transaction id', {}, { MerchantTransactionId: 'order-2' }, 'CONTRADICTION'],
  ['a merchant invoice id', {}, { MerchantInvoiceId: 'INVOICE-1' }, 'CONTRADICTION'],
  ['a success that failed', {}, { ResultCode: '800.100.100' }, 'CONTRADICTION'],
  ['a failure that succeeded', { ResultCode: '800.100.100' }, {}, 'CONTRADICTION'],
  ['a success that is pending', {}, { ResultCode: '000.200.000' }, 'CONTRADICTION'],
  [
    'pending for another reason',
    { ResultCode: '000.200.000' },
    { ResultCode: '000.200.100' },
    'CONTRADICTION',
  ],
  ['pending that succeeded', { ResultCode: '000.200.000' }, {}, 'RESULT'],
  ['pending that failed', { ResultCode: '000.200.000' }, { ResultCode: '800.100.100' }, 'RESULT'],
  ...Object.keys(full)
    .filter((name) => !['PaymentType', 'Amount', 'Currency', 'ResultCode', 'Timestamp'].includes(name))
    .map((name): [string, Cells, Cells, string] => [`${name} that was empty`, { [name]: '' }, {}, 'FILLED']),
  ['ShortId that is empty now', {}, { ShortId: '' }, null],
  ['the same moment in another zone', {}, { Timestamp: '2026-11-15 11:30:00.000+0100' }, null],
  ['nothing', {}, {}, null],
];

describe('of a payment that is stored, another value', () => {
  test.each(rule)('%s', async (_what, before, after, kind) => {
    await stored(paymentLine(1, { ...full, ...before }), paymentLine(2));
    const was = await content();
    const line = paymentLine(1, { ...full, ...after });
    const later = [paymentLine(2), line, paymentLine(3)];
    if (kind === 'CONTRADICTION') {
      await expect(stored(...later)).rejects.toMatchObject({ code: 'PAYMENTS_CONTRADICTION', exitCode: 2 });
      expect(await content()).toEqual(was);
      expect(await history()).toEqual([]);
      return;
    }
    const result = await stored(...later);
    expect(result).toMatchObject({ read: 3, inserted: 1, updated: kind === null ? 0 : 1 });
    expect((await history()).map((change) => change.kind)).toEqual(kind === null ? [] : [kind]);
    expect(await stored(...later)).toMatchObject({ inserted: 0, updated: 0, unchanged: 3 });
    expect(await history()).toHaveLength(kind === null ? 0 : 1);
  });
});

test('every contradiction is named with line, payment, column, stored and given value', async () => {
  await stored(...Array.from({ length: 15 }, (_, index) => paymentLine(index, full)));
  const later = Array.from({ length: 15 }, (_, index) =>
    paymentLine(index, { ...full, Amount: '999.99', PaymentBrand: 'AMEX', ResultCode: full.ResultCode }),
  );
  const failure = await stored(...later).catch((thrown: unknown) => thrown);
  const lines = (failure as Error).message.split('\n');
  expect(lines[0]).toBe('payments.csv: 30 values differ from the stored payments; nothing was stored.');
  expect(lines[1]).toBe(`  line 2, payment ${idOf(0)}, PaymentBrand: stored VISA, given AMEX`);
  expect(lines[2]).toBe(`  line 2, payment ${idOf(0)}, Amount: stored 150.51, given 999.99`);
  expect(lines).toHaveLength(22);
  expect(lines.at(-1)).toBe('  … and 10 more');
});

test('a value that is filled in is not named among the contradictions', async () => {
  await stored(paymentLine(1, { ...full, ShortId: '' }));
  await expect(stored(paymentLine(1, { ...full, Amount: '999.99' }))).rejects.toThrow(
    new RegExp(`^[^\\n]*1 value differs[^\\n]*\\n  line 2, payment ${idOf(1)}, Amount: [^\\n]*$`),
  );
});

test('card numbers are masked in what an import says, and in the name of its file', async () => {
  const withNumber = (number: string) => paymentLine(1, { ...full, MerchantTransactionId: number });
  await stored(withNumber('4200000000000000'));
  const named = path.join(directory.path, 'payments-4111111111111111.csv');
  writePayments(named, [withNumber('4111 1111 1111 1111')]);
  const { changes } = await importPayments(sql, named, { allowChanges: true });
  expect(changes.listed).toMatchObject([{ stored: '420000******0000', given: '411111******1111' }]);
  expect(await history()).toMatchObject([{ file: 'payments-411111******1111.csv' }]);
});

test('--allow-changes stores them and keeps every old value with its file', async () => {
  await stored(paymentLine(1, { ...full, ShortId: '' }), paymentLine(2));
  writePayments(file, [
    paymentLine(2),
    paymentLine(1, { ...full, Amount: '999.99', Timestamp: '2026-11-16 00:00:00.5+0000' }),
  ]);
  const result = await importPayments(sql, file, { allowChanges: true });
  expect(result).toMatchObject({
    ...{ inserted: 0, updated: 1, unchanged: 1, refused: false },
    changes: { payments: 1, values: { FILLED: 1, RESULT: 0, CONTRADICTION: 2 } },
  });
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  const common = { paymentId: idOf(1), file: 'payments.csv', sha256, line: 3 };
  expect((await history()).map(({ changedAt: _changedAt, ...rest }) => rest).reverse()).toEqual([
    { ...common, column: 'ShortId', kind: 'FILLED', oldValue: null, newValue: '1001.0037.0001' },
    { ...common, column: 'Amount', kind: 'CONTRADICTION', oldValue: '150.51', newValue: '999.99' },
    {
      ...common,
      ...{ column: 'Timestamp', kind: 'CONTRADICTION' },
      ...{ oldValue: '2026-11-15 10:30:00+0000', newValue: '2026-11-16 00:00:00.5+0000' },
    },
  ]);
  expect(await importPayments(sql, file)).toMatchObject({ updated: 0, unchanged: 2 });
  expect((await collect(sql, paymentChangeList({ paymentId: idOf(2) }), 5)).total).toBe(0);
  expect(await collect(sql, paymentChangeList({ paymentId: idOf(1) }), 1)).toMatchObject({
    total: 3,
    rows: [{ column: 'Timestamp' }],
  });
});

test('a dry run lists what would change and stores nothing', async () => {
  await stored(paymentLine(1, full));
  const was = await content();
  writePayments(file, [paymentLine(1, { ...full, Currency: 'USD' }), paymentLine(2)]);
  expect(await importPayments(sql, file, { dryRun: true })).toEqual({
    ...{ read: 2, emptyRows: 0, inserted: 1, updated: 1, unchanged: 0, dryRun: true, refused: true },
    changes: {
      payments: 1,
      values: { FILLED: 0, RESULT: 0, CONTRADICTION: 1 },
      listed: [
        {
          line: 2,
          paymentId: idOf(1),
          column: 'Currency',
          kind: 'CONTRADICTION',
          stored: 'EUR',
          given: 'USD',
        },
      ],
    },
  });
  expect(await content()).toEqual(was);
  expect(await history()).toEqual([]);
  expect(await importPayments(sql, file, { dryRun: true, allowChanges: true })).toMatchObject({
    refused: false,
  });
  expect(await content()).toEqual(was);
});

test('a dry run of a large file into an empty database stores nothing either', async () => {
  writePayments(
    file,
    Array.from({ length: 20_000 }, (_, index) =>
      paymentLine(index, {
        ...{ MerchantTransactionId: 'x'.repeat(255), MerchantInvoiceId: 'y'.repeat(255) },
        ...{ ConnectorTxId1: '1'.padStart(128, 'c'), ConnectorTxId2: '2'.padStart(128, 'c') },
      }),
    ),
  );
  expect(statSync(file).size).toBeGreaterThan(bulkFromBytes);
  expect(await importPayments(sql, file, { dryRun: true })).toMatchObject({ inserted: 20_000 });
  expect(await content()).toEqual([]);
});

test('a value that is in the file twice is one change', async () => {
  await stored(paymentLine(1, { ...full, ResultCode: '000.200.000' }));
  const again = paymentLine(1, full);
  expect(await stored(again, again)).toMatchObject({ read: 2, updated: 1, unchanged: 1 });
  expect(await history()).toHaveLength(1);
});

test('two files at once that contradict each other: one is stored, the other refused', async () => {
  const many = (amount: string) =>
    Array.from({ length: 2_000 }, (_, index) => paymentLine(index, { Amount: amount }));
  const other = path.join(directory.path, 'other.csv');
  const both = await Promise.allSettled([
    importPayments(sql, writePayments(file, many('1.00'))),
    importPayments(sql, writePayments(other, many('2.00'))),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const [amounts] = await sql<
    { count: number }[]
  >`select count(distinct amount_minor)::int as count from payments`;
  expect(amounts?.count).toBe(1);
});
