import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { columns } from '../../src/settlement-file/columns.js';
import { paymentId } from '../cli/installation.js';
import { fileOf, rowLine } from '../settlement-file/rows.js';
import { createIntakeScene, settlingRow as row, type IntakeScene } from './intake-scene.js';

/*
 * What becomes of values that are dangerous elsewhere, all the way from the file to the reports: taken exactly as
 * they are or refused, never repaired on the way, and harmless where people open them.
 */

let scene: IntakeScene;

beforeEach(async () => {
  scene = await createIntakeScene();
});

afterEach(async () => {
  await scene.end();
});

interface PaymentCells {
  readonly shortId?: string;
  readonly amount?: string;
  readonly currency?: string;
}

/** Payments as the core knows them, numbered from 1. */
async function storePayments(...payments: readonly PaymentCells[]): Promise<void> {
  const header =
    'PaymentId;ShortId;PaymentType;PaymentBrand;Amount;Currency;ResultCode;MerchantTransactionId;MerchantInvoiceId;EntityId;ConnectorTxId1;ConnectorTxId2;ConnectorTxId3;AccountNumberLast4;Timestamp;ReferencedPaymentId';
  const lines = payments.map(
    ({ shortId = '', amount = '100.00', currency = 'EUR' }, index) =>
      `${paymentId(index + 1)};${shortId};DB;VISA;${amount};${currency};000.000.000;;;8a8294174b7ecb28014b9699220015ca;;;;1111;2026-11-18 10:00:00+0000;`,
  );
  await scene.storePayments([header, ...lines, ''].join('\n'));
}

const takeIn = (...lines: readonly string[]) => scene.night({ name: 'a.csv', content: fileOf(...lines) });

/** Everything that is stored, as text. */
async function storedText(): Promise<string> {
  const { sql } = scene.database.database;
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const texts: string[] = [];
  for (const { name } of tables) {
    for (const { text } of await sql<{ text: string }[]>`select t::text as text from ${sql(name)} t`)
      texts.push(text);
  }
  return texts.join('\n');
}

/**
 * The text reports for people of a run: not the reconciled files, which give a sender's rows back as they came, and not
 * the workbook, which is compressed.
 */
function reportsForPeople({ reports }: RunOutcome): string {
  if (reports === null) throw new Error('the run published nothing');
  return readdirSync(reports.directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.xlsx'))
    .map((entry) => readFileSync(path.join(reports.directory, entry.name), 'utf8'))
    .join('\n');
}

test.each(['M\u00fcller', '\u20ac 5', 'na\u00efve \u201cquotes\u201d'])(
  'F59 %s in Windows-1252 never becomes a replacement character anywhere',
  async (text) => {
    // Node writes Latin-1 only; these are the bytes in which Windows-1252 differs from it.
    const bytes = Buffer.from(text, 'latin1').map((byte, index) =>
      text.charCodeAt(index) > 0xff ? 0x80 : byte,
    );
    const [before = '', after = ''] = fileOf(row(1, { AccountHolder: '#' })).split('#');
    const outcome = await scene.night({
      name: 'a.csv',
      content: Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]),
    });
    expect(outcome.files[0]).toMatchObject({ status: 'rejected', error: { code: 'FILE_ENCODING' } });
    expect(await storedText()).not.toContain('\ufffd');
    expect(reportsForPeople(outcome)).not.toContain('\ufffd');
  },
);

describe('F65 what contradicts the payment is a discrepancy', () => {
  test.each([
    ['a sign against the type', { Cashflow: 'NEG' }, ['CASHFLOW_MISMATCH POS NEG']],
    ['another currency', { Currency: 'USD', SettlementCurrency: 'USD' }, ['CURRENCY_MISMATCH EUR USD']],
    ['nothing', { Amount: '0.00', SettlementAmount: '0.00' }, ['AMOUNT_MISMATCH 100.00 0.00']],
  ])('%s', async (_what, changes, expected) => {
    await storePayments({});
    const outcome = await takeIn(row(1, changes));
    expect(outcome.files[0]).toMatchObject({ status: 'loaded', rows: { accepted: 1, rejected: 0 } });
    const found = await scene.database.database.sql<{ reported: string }[]>`
      select concat_ws(' ', code, expected, actual) as reported from discrepancies where file_id is not null order by 1`;
    expect(found.map(({ reported }) => reported)).toEqual(expected);
  });
});

describe('F69 a card number', () => {
  const pan = '4200000000000000';
  const free = columns.filter(({ type }) => type.kind === 'text' && type.free).map(({ name }) => name);

  test.each(free)('in %s is stored and reported masked', async (name) => {
    const outcome = await takeIn(row(1, { [name]: `ab ${pan}` }));
    expect(outcome.files[0]).toMatchObject({ status: 'loaded', rows: { accepted: 1 } });
    const stored = await storedText();
    expect(stored).not.toContain(pan);
    expect(stored).toContain('420000******0000');
    expect(reportsForPeople(outcome)).not.toContain(pan);
  });

  test('in any column of a refused row is nowhere but in the archive', async () => {
    const refused = columns.map(({ name }) => rowLine({ Currency: 'none', [name]: pan }));
    const outcome = await takeIn(...refused, row(2));
    expect(outcome.files[0]).toMatchObject({ status: 'loaded', rows: { rejected: columns.length } });
    const stored = await storedText();
    expect(stored).not.toContain(pan);
    expect(stored).toContain('420000******0000');
    expect(reportsForPeople(outcome)).not.toContain(pan);
  });
});

describe('F70 text that is code elsewhere', () => {
  const dangerous = [
    "Robert'); drop table settlement_records;--",
    '<script>alert(1)</script>',
    '${jndi:ldap://x/y}',
    '=HYPERLINK("http://x")',
    '+1+1',
    '-2+3',
    '@SUM(1+1)',
    '\\N',
    '\\.',
    '%s%n%d',
    '{{7*7}}',
    '../../../etc/passwd',
    'NULL',
  ];

  test('is stored as it came and harmless in the reports', async () => {
    const lines = dangerous.map((text, index) => {
      const quoted = `"${text.replaceAll('"', '""')}"`;
      return row(index + 1, { SettlementTxId: quoted, Descriptor: quoted, AccountHolder: quoted });
    });
    const outcome = await takeIn(...lines);
    expect(outcome.files[0]).toMatchObject({
      status: 'loaded',
      rows: { accepted: dangerous.length, rejected: 0 },
    });
    const stored = await scene.database.database.sql`
      select settlement_tx_id, descriptor, account_holder from settlement_records order by line`;
    expect(stored).toEqual(
      dangerous.map((text) => ({ settlement_tx_id: text, descriptor: text, account_holder: text })),
    );
    // No cell begins, quoted or not, with what a spreadsheet takes for a formula; amounts may be negative.
    const report = readFileSync(outcome.reports?.discrepancies ?? '', 'utf8');
    expect(report).toContain('HYPERLINK');
    expect(report).not.toMatch(/(?:^|;|\n)"?(?:[=+@]|-(?!\d+\.\d\d[;"]))/);
  });
});

describe('F72 references are compared exactly', () => {
  test.each([
    ['the same', 'AB-007', 'MATCHED'],
    ['a blank after it', 'AB-007 ', 'NOT_MATCHED'],
    ['a blank before it', ' AB-007', 'NOT_MATCHED'],
    ['a Cyrillic letter', '\u0410B-007', 'NOT_MATCHED'],
    ['full-width digits', 'AB-\uff10\uff10\uff17', 'NOT_MATCHED'],
    ['a leading zero less', 'AB-07', 'NOT_MATCHED'],
    ['lower case', 'ab-007', 'NOT_MATCHED'],
    ['another dash', 'AB\u2010007', 'NOT_MATCHED'],
  ])('%s: %j is %s', async (_what, shortId, status) => {
    await storePayments({ shortId: 'AB-007' });
    const { matching } = await takeIn(
      row(1, { UniqueID: '', ShortId: shortId, AccountNumberLast4: '', TxRequestTime: '' }),
    );
    expect(matching).toMatchObject({ [status]: 1 });
  });

  test('leading zeros and composed letters are kept as they came', async () => {
    const texts = ['0007', '\u00e9', 'e\u0301'];
    await takeIn(...texts.map((text) => row(1, { SettlementTxId: text })));
    const stored = await scene.database.database
      .sql`select settlement_tx_id from settlement_records order by line`;
    expect(stored.map((record) => String(record['settlement_tx_id']))).toEqual(texts);
  });
});
