import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sql } from '../../src/db/client.js';
import { findPayment } from '../../src/payment-core/stored-payments/find-payment.js';
import { importPayments } from '../../src/payment-file/import-payments.js';
import { databaseForAllTests } from '../support/database.js';
import { folderForAllTests } from '../support/test-folder.js';
import { exportedText, header, idOf, paymentLine, writePayments } from './payments-file.js';

const testDatabase = databaseForAllTests();
let sql: Sql;
const directory = folderForAllTests();
let file: string;

beforeAll(() => {
  sql = testDatabase.database.sql;
  file = path.join(directory.path, 'payments.csv');
});
beforeEach(() => sql`truncate payments cascade`);

const count = async () => (await sql<{ n: number }[]>`select count(*)::int as n from payments`)[0]?.n;

describe('a valid file', () => {
  test('is stored with every value', async () => {
    writePayments(file, [
      paymentLine(1, {
        ShortId: '1001.0037.0001',
        MerchantInvoiceId: 'inv\\1 "ä"',
        EntityId: 'E'.repeat(32),
        ConnectorTxId1: 'c1',
        ConnectorTxId2: 'c2',
        ConnectorTxId3: 'c3',
        AccountNumberLast4: '0042',
        Amount: '9999999999.99',
        Timestamp: '2026-11-15 23:30:00.5-0130',
        ReferencedPaymentId: idOf(9),
      }).replace('inv\\1 "ä"', '"inv\\1 ""ä"""'),
      paymentLine(2, { ResultCode: '000.200.000', MerchantTransactionId: '', PaymentBrand: '' }),
      paymentLine(3, { ResultCode: '800.100.100' }),
    ]);
    expect(await importPayments(sql, file)).toMatchObject({ read: 3, inserted: 3, updated: 0, unchanged: 0 });
    expect(await findPayment(sql, idOf(1))).toEqual({
      key: expect.any(BigInt) as bigint,
      id: idOf(1),
      shortId: '1001.0037.0001',
      paymentType: 'DB',
      paymentBrand: 'VISA',
      amountMinor: 999999999999n,
      currency: 'EUR',
      resultCode: '000.000.000',
      outcome: 'SUCCESS',
      merchantTransactionId: 'order-1',
      merchantInvoiceId: 'inv\\1 "ä"',
      entityId: 'E'.repeat(32),
      connectorTxId1: 'c1',
      connectorTxId2: 'c2',
      connectorTxId3: 'c3',
      accountNumberLast4: '0042',
      requestedAt: '2026-11-16 01:00:00.5+00',
      referencedPaymentId: idOf(9),
    });
    expect(await findPayment(sql, idOf(2))).toMatchObject({
      outcome: 'PENDING',
      merchantTransactionId: null,
      paymentBrand: null,
    });
    expect(await findPayment(sql, idOf(3))).toMatchObject({ outcome: 'FAILED' });
    expect(await findPayment(sql, idOf(4))).toBeUndefined();
  });

  test('again changes nothing, not even a row version', async () => {
    writePayments(file, [paymentLine(1), paymentLine(2)]);
    await importPayments(sql, file);
    const before = await sql`select key, xmin::text, ctid::text from payments order by id`;
    expect(await importPayments(sql, file)).toMatchObject({ read: 2, inserted: 0, updated: 0, unchanged: 2 });
    expect(await sql`select key, xmin::text, ctid::text from payments order by id`).toEqual(before);
  });

  test('gives a pending payment its result and fills in what was empty', async () => {
    await importPayments(
      sql,
      writePayments(file, [
        paymentLine(1, { ResultCode: '000.200.000', MerchantInvoiceId: 'invoice-1' }),
        paymentLine(2),
      ]),
    );
    const key = (await findPayment(sql, idOf(1)))?.key;
    const later = writePayments(file, [
      paymentLine(1, { MerchantTransactionId: '', ShortId: '1001' }),
      paymentLine(2),
      paymentLine(3),
    ]);
    expect(await importPayments(sql, later)).toMatchObject({
      read: 3,
      inserted: 1,
      updated: 1,
      unchanged: 1,
    });
    expect(await findPayment(sql, idOf(1))).toMatchObject({
      key,
      outcome: 'SUCCESS',
      shortId: '1001',
      // An empty value does not change the stored one.
      merchantTransactionId: 'order-1',
      merchantInvoiceId: 'invoice-1',
    });
  });

  test.each([
    ['a BOM', (text: string) => `\uFEFF${text}`],
    ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['no last line end', (text: string) => text.trimEnd()],
    ['empty lines', (text: string) => text.replace('\n', '\n\n') + '\n\n'],
    ['quotes everywhere', (text: string) => text.replace(/[^;\n]+/g, '"$&"')],
    ['quotes from the last line on', (text: string) => text.replace(/(order-1)(?=[^\n]*\n$)/, '"order-1"')],
  ])('may have %s', async (_what, change) => {
    const plain = readFileSync(writePayments(file, [paymentLine(1), paymentLine(2)]), 'utf8');
    writeFileSync(file, change(plain));
    expect(change(plain)).not.toBe(plain);
    expect(await importPayments(sql, file)).toMatchObject({ read: 2, inserted: 2, updated: 0, unchanged: 0 });
    expect(await exportedText(sql, directory.path)).toBe(plain);
  });

  test('may say the same twice', async () => {
    writePayments(file, [paymentLine(1), paymentLine(1)]);
    expect(await importPayments(sql, file)).toMatchObject({ read: 2, inserted: 1, updated: 0, unchanged: 1 });
  });

  test('may hold no payment', async () => {
    expect(await importPayments(sql, writePayments(file, []))).toMatchObject({
      read: 0,
      inserted: 0,
      updated: 0,
      unchanged: 0,
    });
  });

  test('may be imported twice at once', async () => {
    writePayments(
      file,
      Array.from({ length: 3_000 }, (_, index) => paymentLine(index)),
    );
    const both = await Promise.all([importPayments(sql, file), importPayments(sql, file)]);
    expect(both.map(({ inserted }) => inserted).sort()).toEqual([0, 3_000]);
    expect(await count()).toBe(3_000);
  });
});

describe('a file with an invalid line stores nothing and says', () => {
  const refused = async () => {
    const failure = await importPayments(sql, file).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ name: 'ReconError', code: 'PAYMENTS_FILE_INVALID' });
    expect(await count()).toBe(0);
    return (failure as Error).message;
  };

  test.each([
    [{ PaymentId: '123' }, 'line 3, PaymentId: must be 32 letters or digits, not "123"'],
    [{ PaymentId: '' }, 'line 3, PaymentId: is required'],
    [{ PaymentType: 'CB' }, 'line 3, PaymentType: must be one of PA, DB, CD, CP, RV, RF, not "CB"'],
    [{ Amount: '12' }, 'line 3, Amount: must be 1 to 10 digits, a dot and 2 digits, not "12"'],
    [{ Amount: '-1.00' }, 'line 3, Amount'],
    [{ Amount: '12345678901.00' }, 'line 3, Amount'],
    [{ Amount: '1e1.00' }, 'line 3, Amount'],
    [
      { Currency: 'eur' },
      'line 3, Currency: must be an ISO 4217 code in capitals, for example EUR, not "eur"',
    ],
    [
      { Currency: 'EUX' },
      'line 3, Currency: must be an ISO 4217 code in capitals, for example EUR, not "EUX"',
    ],
    [{ ResultCode: '' }, 'line 3, ResultCode: is required'],
    [{ ResultCode: 'ok' }, 'line 3, ResultCode'],
    [{ Timestamp: '2026-02-29 10:00:00+0000' }, 'line 3, Timestamp: must be a time such as'],
    [{ Timestamp: '2026-02-28 24:00:00+0000' }, 'line 3, Timestamp'],
    [{ Timestamp: '2026-02-28 10:00:00' }, 'line 3, Timestamp'],
    [{ AccountNumberLast4: '12345' }, 'line 3, AccountNumberLast4'],
    [{ ReferencedPaymentId: 'x' }, 'line 3, ReferencedPaymentId'],
    [{ MerchantTransactionId: 'a\tb' }, 'line 3, MerchantTransactionId'],
    [{ MerchantTransactionId: 'x'.repeat(256) }, 'line 3, MerchantTransactionId'],
    [{ ShortId: 'a\u200bb' }, 'line 3, ShortId: must be at most 14 characters without control or invisible'],
    [
      { MerchantTransactionId: '\tab' },
      'It holds a tab (U+0009) as character 1. It looks like a space at its beginning or end: remove it.',
    ],
    [{ ConnectorTxId1: '1.23E+19' }, 'It looks like a number that a spreadsheet shortened'],
    [{ MerchantInvoiceId: '#NAME?' }, 'It looks like an error value of a spreadsheet'],
    [{ AccountNumberLast4: '615' }, 'It looks like lost leading zeros: write 0615.'],
    [{ ShortId: '4200000000000000' }, 'not "420000******0000"'],
    [{ ShortId: `${'x'.repeat(25)} 4200000000000000` }, `not "${'x'.repeat(25)} 420000******00…"`],
  ])('%o', async (cells, expected) => {
    writePayments(file, [paymentLine(1), paymentLine(2, cells), paymentLine(3)]);
    expect(await refused()).toContain(expected);
  });

  test.each([
    ['an empty file', '', 'the header line is missing'],
    ['another header', 'a;b\n', 'the header must name PaymentId in column 1, not "a"'],
    [
      'lines that end with CR alone',
      `${header}\r${paymentLine(1)}\r`,
      'A line ends with LF or CRLF, not with CR alone.',
    ],
    ['a line of a spreadsheet', `sep=;\n${header}\n`, 'A spreadsheet wrote this line for itself'],
    ['a name in other letters', `${header.replace('ShortId', 'Shortid')}\n`, 'The names are case-sensitive.'],
    [
      'a name with a space',
      `${header.replace('ShortId', ' ShortId')}\n`,
      'A space or an invisible character',
    ],
    [
      'a settlement file',
      'ReconciliationType;PaymentType;Cashflow\n',
      'not "ReconciliationType". This looks like a settlement file: `recon run --file` takes it.',
    ],
    [
      'a report',
      '\ufeff"DiscrepancyId";"Code"\r\n',
      'not "DiscrepancyId". This looks like a report of recon: `recon decide --file` takes open-items.csv.',
    ],
    ['a longer header', `${header};More\n`, 'has 17 columns instead of 16'],
    [
      'empty columns at the end of the header',
      `${header};;\n`,
      'has 18 columns instead of 16. A spreadsheet left empty columns at the end: delete them.',
    ],
    [
      'quoted names between commas',
      `"${header.replaceAll(';', '","')}"\n`,
      'The names are separated by commas; is the delimiter wrong? It must be a semicolon.',
    ],
    [
      'quoted names between tabs',
      `\ufeff"${header.replaceAll(';', '"\t"')}"\r\n`,
      'The names are separated by tabs; is the delimiter wrong? It must be a semicolon.',
    ],
    ['one column', `${header}\nabc\n`, 'line 2: has 1 column instead of 16'],
    ['too few columns', `${header}\na;b\n`, 'line 2: has 2 columns instead of 16'],
    ['too many columns', `${header}\n${paymentLine(1)};\n`, 'line 2: has 17 columns instead of 16'],
    ['an open quote', `${header}\n${paymentLine(1)}\n"${paymentLine(2)}\n`, 'line 3: opens a quote'],
    [
      'a quote inside a cell',
      // The builder would quote the cell.
      `${header}\n${paymentLine(1, { MerchantTransactionId: 'a-b' }).replace('a-b', 'a"b')}\n`,
      'line 2: opens a quote',
    ],
  ])('%s', async (_what, text, expected) => {
    writeFileSync(file, text);
    expect(await refused()).toContain(expected);
  });

  test('bytes that are not UTF-8', async () => {
    writeFileSync(
      file,
      Buffer.concat([Buffer.from(`${header}\n`), Buffer.from(paymentLine(1, { ShortId: 'ä' }), 'latin1')]),
    );
    expect(await refused()).toContain('not UTF-8');
  });

  test('every invalid line is counted and the first ones are reported, also after a quoted line break', async () => {
    const lines = Array.from({ length: 100 }, (_, index) =>
      paymentLine(index, index % 2 === 0 ? { Amount: 'x', Currency: '' } : {}),
    );
    writePayments(file, [
      `"${paymentLine(1).split(';')[0] ?? ''}\n";${paymentLine(1).split(';').slice(1).join(';')}`,
      ...lines,
    ]);
    const message = await refused();
    expect(message).toContain('51 lines are invalid (of 101 with payments); nothing was stored.');
    expect(message).toContain('line 2, PaymentId');
    expect(message).toContain('line 4, Amount');
    expect(message.split('\n')).toHaveLength(22);
  });

  test('the same id with other values, with both lines', async () => {
    writePayments(file, [paymentLine(1), paymentLine(2), paymentLine(1, { Amount: '11.00' })]);
    expect(await refused()).toContain('line 4, PaymentId: is already on line 2, with other values');
  });

  test('a file that does not exist or is a folder', async () => {
    for (const [name, why] of [
      [path.join(directory.path, 'nothing.csv'), 'it does not exist (ENOENT)'],
      [directory.path, 'it is not a regular file'],
    ] as const) {
      await expect(importPayments(sql, name)).rejects.toMatchObject({
        code: 'FILE_UNREADABLE',
        message: `${name} cannot be read: ${why}. Nothing was stored.`,
      });
    }
  });
});

describe('an export returns what was imported', () => {
  const letters = (length: number) =>
    fc.string({
      unit: fc.constantFrom(...Array.from('0123456789abcdefXYZ')),
      minLength: length,
      maxLength: length,
    });
  const free = (longest: number) =>
    fc.option(
      fc.string({
        unit: fc.constantFrom(...Array.from('aä€😀 ;"\\,=\'N')),
        minLength: 1,
        maxLength: longest,
      }),
      {
        nil: '',
      },
    );
  const two = (least: number, most: number) =>
    fc.integer({ min: least, max: most }).map((n) => `${n}`.padStart(2, '0'));
  const payment = fc.record({
    id: letters(32),
    shortId: free(7),
    type: fc.constantFrom('PA', 'DB', 'CD', 'CP', 'RV', 'RF'),
    brand: fc.constantFrom('', 'VISA', 'A_1'),
    amount: fc.tuple(fc.integer({ min: 0, max: 9_999_999 }), two(0, 99)).map((parts) => parts.join('.')),
    currency: fc.constantFrom('EUR', 'JPY'),
    result: fc.constantFrom('000.000.000', '000.200.100', '1.'),
    transaction: free(100),
    invoice: free(100),
    entity: fc.option(letters(32), { nil: '' }),
    connectors: fc.tuple(free(60), free(60), free(60)),
    last4: fc.constantFrom('', '0000', 'A2'),
    moment: fc
      .tuple(
        fc.integer({ min: 1970, max: 2099 }),
        two(1, 12),
        two(1, 28),
        two(0, 23),
        two(0, 59),
        two(0, 59),
        fc.constantFrom('', '.5', '.000001', '.123456'),
      )
      .map(
        ([year, month, day, hour, minute, second, fraction]) =>
          `${year}-${month}-${day} ${hour}:${minute}:${second}${fraction}+0000`,
      ),
    referenced: fc.option(letters(32), { nil: '' }),
  });
  // As the database writes CSV: quotes only where they are needed.
  const cell = (value: string) => (/[;"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

  test('byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(payment, { selector: ({ id }) => id, maxLength: 30 }),
        async (payments) => {
          const lines = payments
            .sort((a, b) => (a.id < b.id ? -1 : 1))
            .map((p) =>
              [
                p.id,
                p.shortId,
                p.type,
                p.brand,
                p.amount,
                p.currency,
                p.result,
                p.transaction,
                p.invoice,
                p.entity,
                ...p.connectors,
                p.last4,
                p.moment,
                p.referenced,
              ]
                .map(cell)
                .join(';'),
            );
          const text = readFileSync(writePayments(file, lines), 'utf8');
          await sql`truncate payments cascade`;
          expect(await importPayments(sql, file)).toMatchObject({ inserted: lines.length });
          expect(await exportedText(sql, directory.path)).toBe(text);
          expect(await importPayments(sql, file)).toMatchObject({ unchanged: lines.length });
        },
      ),
      { numRuns: 60 },
    );
  });
});
