import { describe, expect, test } from 'vitest';
import type { Decided } from '../../src/items/decide.js';
import type { ListedItem } from '../../src/items/listed-item.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { createInstallation, paymentId, settlementFile, type Installation } from './installation.js';

/** `open-items.csv` filled in and given back (design 4.9). */

const asOf = '2026-11-20';

/** A shop with three items: 90.00, 80.00 and 70.00 EUR settled for payments of 100.00 EUR. */
async function shop(): Promise<Installation> {
  const installation = await createInstallation();
  installation.write('payments.csv', paymentsFileOf([1, 2, 3].map((number) => paymentRow(number))));
  const rows = ['70.00', '80.00', '90.00'].map((Amount, index) => ({
    Amount,
    UniqueID: paymentId(index + 1),
    SettlementTxId: `STL-${index + 1}`,
  }));
  installation.write('settlement.csv', settlementFile(...rows));
  await installation.recon('payments', 'import', 'payments.csv');
  const run = await installation.recon('run', '--file', 'settlement.csv', '--as-of', asOf, '--json');
  expect(run.code).toBe(0);
  return installation;
}

async function items(installation: Installation): Promise<ListedItem[]> {
  return (await installation.json<ListedItem[]>('items', '--as-of', asOf)).document;
}

/** The sheet as it is given out, as rows of cells by column. */
async function sheetOf(installation: Installation): Promise<Sheet> {
  const { stdout } = await installation.recon('items', '--csv', '--as-of', asOf);
  const [head = '', ...lines] = stdout.replace('\uFEFF', '').trimEnd().split('\r\n');
  const names = head.split(';');
  return {
    names,
    rows: lines.map((line) =>
      Object.fromEntries(
        line.split(';').map((cell, index) => [names[index] ?? '', cell.replace(/^"(.*)"$/, '$1')]),
      ),
    ),
  };
}

interface Sheet {
  readonly names: readonly string[];
  readonly rows: Record<string, string>[];
}

/** Writes into the row of a place, as a person would. */
function fill(sheet: Sheet, row: number, cells: Record<string, string>): void {
  Object.assign(sheet.rows[row] ?? {}, cells);
}

const textOf = ({ names, rows }: Sheet, separator = ';', lineEnd = '\r\n') =>
  [names.join(separator), ...rows.map((row) => names.map((name) => `"${row[name] ?? ''}"`).join(separator))]
    .map((line) => line + lineEnd)
    .join('');

async function giveBack(
  installation: Installation,
  text: string,
  { by = 'anna', more = [] }: { by?: string; more?: string[] } = {},
): Promise<{ code: number; stderr: string; decided: Decided | undefined }> {
  installation.write('sheet.csv', text);
  const args = ['decide', '--file', 'sheet.csv', '--by', by, '--as-of', asOf, ...more];
  const { code, stdout } = await installation.recon(...args, '--json');
  const document = JSON.parse(stdout) as Decided & { error?: { code: string; message: string } };
  const { error } = document;
  return {
    code,
    stderr: error === undefined ? '' : `${error.code} ${error.message}`,
    decided: error === undefined ? document : undefined,
  };
}

/** What the command says to a person. */
async function printedFor(installation: Installation, sheet: Sheet): Promise<string> {
  installation.write('sheet.csv', textOf(sheet));
  const { stdout } = await installation.recon(
    ...['decide', '--file', 'sheet.csv', '--by', 'anna', '--as-of', asOf],
  );
  return stdout;
}

describe('a sheet that is given back', () => {
  test('unchanged decides nothing, with every separator and line end of a spreadsheet', async () => {
    const installation = await shop();
    const [first] = await items(installation);
    await installation.recon(
      'decide',
      first?.discrepancyId ?? '',
      '--wait',
      '2026-12-05',
      '--note',
      '=1+1',
      '--by',
      'bo',
      '--as-of',
      asOf,
    );
    const { stdout } = await installation.recon('items', '--csv', '--as-of', asOf);
    const sheet = await sheetOf(installation);
    const separated = [',', '\t', '|'].map((separator) => textOf(sheet, separator, '\n'));
    for (const text of [stdout, textOf(sheet), ...separated]) {
      expect(await giveBack(installation, text)).toMatchObject({
        code: 0,
        decided: { items: 0, remarks: [] },
      });
    }
  });

  test('without a decision, or a second time, says that no row has one, not that a filter fits nothing', async () => {
    const installation = await shop();
    const sheet = await sheetOf(installation);
    const nothing = '0 items; by anna.\nNo row of the sheet has a new decision.\n';
    expect(await printedFor(installation, sheet)).toBe(nothing);
    fill(sheet, 0, { Decision: 'accept', Reason: 'agreed' });
    expect(await printedFor(installation, sheet)).toMatch(/^1 item, /);
    expect(await printedFor(installation, sheet)).toBe(nothing);
  });

  test('keeps texts that a spreadsheet took for numbers and days', async () => {
    const installation = await shop();
    const [first] = await items(installation);
    const id = first?.discrepancyId ?? '';
    const about = ['--by', 'bo', '--as-of', asOf];
    await installation.recon('decide', id, '--assign', '0012', ...about);
    const texts = ['--reason', '007', '--note', '2026-11-19'];
    await installation.recon('decide', id, '--wait', '2026-12-05', ...texts, ...about);
    const sheet = await sheetOf(installation);
    const saved = { Until: '05.12.2026', Assignee: '12', Reason: '7', Note: '19.11.2026' };
    fill(sheet, 0, saved);
    expect(await giveBack(installation, textOf(sheet))).toMatchObject({
      decided: { items: 0, remarks: [] },
    });
    fill(sheet, 0, { ...saved, Until: '2026-12-07' });
    expect((await giveBack(installation, textOf(sheet))).decided?.decisions).toMatchObject([
      { kind: 'wait' },
    ]);
    expect(await items(installation)).toMatchObject([
      { reason: '007', note: '2026-11-19', assignee: '0012', until: '2026-12-07' },
      {},
      {},
    ]);
    fill(sheet, 0, { ...saved, Reason: '8' });
    const refused = await giveBack(installation, textOf(sheet));
    expect(refused.stderr).toContain('was decided in the meantime');
  });

  test('stores every decision that was written into it, with its author and line', async () => {
    const installation = await shop();
    const sheet = await sheetOf(installation);
    fill(sheet, 0, { Decision: 'accept', Reason: 'agreed', Assignee: 'bo' });
    fill(sheet, 1, { Decision: 'wait', Until: '2026-12-01', Note: 'asked' });
    const dry = await giveBack(installation, textOf(sheet), { more: ['--dry-run'] });
    expect(dry.decided).toMatchObject({ dryRun: true, items: 2, decisions: [{}, {}, {}] });
    expect((await items(installation)).map(({ status }) => status)).toEqual(['OPEN', 'OPEN', 'OPEN']);
    const { decided } = await giveBack(installation, textOf(sheet));
    expect(decided?.decisions.map(({ kind }) => kind)).toEqual(['accept', 'assign', 'wait']);
    expect((await items(installation)).map(({ status, note }) => [status, note])).toEqual([
      ['WAITING', 'asked'],
      ['OPEN', null],
    ]);
    const { sql } = installation.database.database;
    const stored = await sql`select origin, origin_name, origin_line, author from decisions order by number`;
    expect(stored.map((row) => ({ ...row }))).toEqual([
      { origin: 'sheet', origin_name: 'sheet.csv', origin_line: 2, author: 'anna' },
      { origin: 'sheet', origin_name: 'sheet.csv', origin_line: 2, author: 'anna' },
      { origin: 'sheet', origin_name: 'sheet.csv', origin_line: 3, author: 'anna' },
    ]);
  });

  test('a second time changes nothing, also with more rows decided', async () => {
    const installation = await shop();
    const sheet = await sheetOf(installation);
    fill(sheet, 0, { Decision: 'accept', Reason: 'agreed' });
    await giveBack(installation, textOf(sheet));
    expect((await giveBack(installation, textOf(sheet))).decided).toMatchObject({ items: 0 });
    fill(sheet, 1, { Decision: 'assign', Assignee: 'bo' });
    expect((await giveBack(installation, textOf(sheet))).decided).toMatchObject({ items: 1 });
    expect((await giveBack(installation, textOf(sheet))).decided).toMatchObject({ items: 0 });
  });

  test('a second time changes nothing, however a payment or a card number was written', async () => {
    const installation = await createInstallation();
    const due = paymentRow(9, { Timestamp: '2026-11-12 10:00:00+0000' });
    installation.write('payments.csv', paymentsFileOf([paymentRow(1), due]));
    const unknown = { UniqueID: paymentId(8), SettlementTxId: 'STL-8' };
    const part = { UniqueID: paymentId(1), SettlementTxId: 'STL-1', Amount: '90.00' };
    installation.write('settlement.csv', settlementFile(unknown, part));
    await installation.recon('payments', 'import', 'payments.csv');
    await installation.recon('run', '--file', 'settlement.csv', '--as-of', asOf);
    const found = await items(installation);
    const itemOf = (wanted: string) => found.find(({ code }) => code === wanted);
    const [record, payment] = [itemOf('NOT_MATCHED'), itemOf('AMOUNT_MISMATCH')];
    const decided = [
      [record?.discrepancyId, record?.basis, 'link', record?.suggestedLink, ''],
      [payment?.discrepancyId, payment?.basis, 'accept', '', 'card 4111111111111111'],
    ];
    const text = ['DiscrepancyId;Basis;Decision;LinkTo;Reason', ...decided.map((row) => row.join(';'))].join(
      '\n',
    );
    const once = await giveBack(installation, text);
    expect({ said: once.stderr, items: once.decided?.items }).toEqual({ said: '', items: 2 });
    const again = await giveBack(installation, text);
    expect({ said: again.stderr, items: again.decided?.items }).toEqual({ said: '', items: 0 });
  });

  test('names a row of which only a part was stored before', async () => {
    const installation = await shop();
    const sheet = await sheetOf(installation);
    fill(sheet, 0, { Decision: 'accept', Reason: 'agreed' });
    await giveBack(installation, textOf(sheet));
    for (const cells of [{ Note: 'by phone' }, { Note: '', Assignee: 'bo' }]) {
      fill(sheet, 0, cells);
      const { stderr } = await giveBack(installation, textOf(sheet));
      expect(stderr).toContain('line 2:');
      expect(stderr).toContain('was decided in the meantime: accept by anna');
    }
  });

  test('with a note or a name beside a decision that stands does not make the decision again', async () => {
    const installation = await shop();
    installation.write(
      'recon.config.yaml',
      'decisions: { fourEyesAbove: { EUR: 25.00 } }\nlogLevel: silent\n',
    );
    const [pending, lapsed, waiting] = (await items(installation)).map(({ discrepancyId }) => discrepancyId);
    const by = ['--by', 'anna', '--as-of', asOf];
    const accept = ['--accept', '--reason', 'ok', ...by];
    await installation.recon('decide', pending ?? '', lapsed ?? '', ...accept);
    await installation.recon('decide', waiting ?? '', '--wait', '2026-12-05', ...by);
    await installation.database.database
      .sql`update payments set amount_minor = 9900 where id = ${paymentId(2)}`;
    await installation.recon('rerun', '--from', '2026-11-19', '--to', '2026-11-19', '--as-of', asOf);
    const sheet = await sheetOf(installation);
    expect(sheet.rows.map((row) => [row['Decision'], row['Lapsed']])).toEqual([
      ['accept (pending)', ''],
      ['accept', 'yes'],
      ['wait', ''],
    ]);
    fill(sheet, 0, { Note: 'asked' });
    fill(sheet, 1, { Note: 'asked', Assignee: 'bo' });
    fill(sheet, 2, { Assignee: 'bo' });
    const { decided } = await giveBack(installation, textOf(sheet), { by: 'bo' });
    expect(decided?.decisions.map(({ kind }) => kind)).toEqual(['note', 'note', 'assign', 'assign']);
    expect(await items(installation)).toMatchObject([
      { pending: true, decidedBy: 'anna', note: 'asked' },
      { lapsed: true, decidedBy: 'anna', note: 'asked', assignee: 'bo' },
      { status: 'WAITING', decidedBy: 'anna', assignee: 'bo' },
    ]);
    fill(sheet, 1, { Note: '', Assignee: '', Lapsed: '' });
    expect((await giveBack(installation, textOf(sheet), { by: 'bo' })).stderr).toContain('line 3:');
  });

  test('keeps its rows where a line ends in another way than the first one', async () => {
    const installation = await shop();
    const sheet = await sheetOf(installation);
    for (const row of [0, 1, 2]) fill(sheet, row, { Decision: 'assign', Assignee: 'bo' });
    const [names = '', first = '', ...others] = textOf(sheet).split('\r\n');
    const text = `${names}\r\n${first}\n${others.join('\r\n')}`;
    expect((await giveBack(installation, text)).decided).toMatchObject({ items: 3 });
    fill(sheet, 2, { Assignee: 'eve' });
    expect((await giveBack(installation, textOf(sheet, ';', '\r'))).stderr).toContain('line 4:');
  });

  test('names a row that somebody else decided in between, and stores nothing', async () => {
    const installation = await shop();
    const sheet = await sheetOf(installation);
    fill(sheet, 0, { Decision: 'accept', Reason: 'agreed' });
    fill(sheet, 1, { Decision: 'accept', Reason: 'agreed' });
    const id = sheet.rows[1]?.['DiscrepancyId'] ?? '';
    await installation.recon('decide', id, '--wait', '2026-12-24', '--by', 'bo', '--as-of', asOf);
    const { code, stderr } = await giveBack(installation, textOf(sheet));
    expect(code).toBe(2);
    expect(stderr).toBe(
      `DECISION_CONFLICT Nothing of sheet.csv was stored: line 3: ${id} was decided in the meantime: wait by bo on 2026-11-20.`,
    );
    expect(await items(installation)).toHaveLength(3);
  });

  test('names a row whose facts changed', async () => {
    const installation = await shop();
    const sheet = await sheetOf(installation);
    fill(sheet, 2, { Decision: 'accept', Reason: 'agreed' });
    await installation.database.database
      .sql`update payments set amount_minor = 12000 where id = ${paymentId(3)}`;
    await installation.recon('rerun', '--from', '2026-11-19', '--to', '2026-11-19', '--as-of', asOf);
    const { stderr } = await giveBack(installation, textOf(sheet));
    expect(stderr).toContain('DECISION_CONFLICT Nothing of sheet.csv was stored: line 4:');
    expect(stderr).toContain('its facts are not those of the sheet any more');
  });

  test('does not accept a lapsed item again unless its cell Lapsed was emptied', async () => {
    const installation = await shop();
    const id = (await items(installation))[0]?.discrepancyId ?? '';
    await installation.recon('decide', id, '--accept', '--reason', 'ok', '--by', 'anna', '--as-of', asOf);
    await installation.database.database
      .sql`update payments set amount_minor = 20000 where id = ${paymentId(1)}`;
    await installation.recon('rerun', '--from', '2026-11-19', '--to', '2026-11-19', '--as-of', asOf);
    const sheet = await sheetOf(installation);
    const at = sheet.rows.findIndex((row) => row['DiscrepancyId'] === id);
    expect(sheet.rows[at]).toMatchObject({ Lapsed: 'yes', Decision: 'accept', Status: 'OPEN' });
    expect((await giveBack(installation, textOf(sheet))).decided).toMatchObject({ items: 0 });
    const names = sheet.names.filter((name) => name !== 'Lapsed');
    expect((await giveBack(installation, textOf({ ...sheet, names }))).decided).toMatchObject({ items: 0 });
    fill(sheet, at, { Lapsed: '' });
    expect((await giveBack(installation, textOf(sheet))).decided).toMatchObject({ items: 1 });
    expect((await items(installation)).map(({ discrepancyId }) => discrepancyId)).not.toContain(id);
  });

  test.each([
    ['an unknown word', { Decision: 'ok' }, 'line 2: Decision is "ok"; it can be accept, wait'],
    ['no reason', { Decision: 'accept' }, 'line 2: accept needs a reason: the column Reason.'],
    ['a day of a country', { Decision: 'wait', Until: '01.12.2026' }, 'a date in a national format'],
    ['a payment that is not stored', { Decision: 'link', LinkTo: 'x' }, 'line 2: no payment x is stored'],
    [
      'an order number instead of a payment',
      { Decision: 'link', LinkTo: 'order-000001' },
      `line 2: no payment order-000001 is stored. It is the order number or ShortId of ${paymentId(1)}: write the id.`,
    ],
    ['an unlink that can be made', { Decision: 'unlink' }, ''],
    [
      'an id that a spreadsheet shortened',
      { Decision: 'note', Note: 'x', DiscrepancyId: '1.23E+31' },
      'a spreadsheet changed it',
    ],
    ['a changed Basis', { Decision: 'note', Note: 'x', Basis: '5' }, 'Basis is "5"'],
  ])('with %s is judged as a whole', async (_what, cells: Record<string, string>, sentence) => {
    const installation = await shop();
    const sheet = await sheetOf(installation);
    fill(sheet, 0, cells);
    fill(sheet, 1, { Decision: 'assign', Assignee: 'bo' });
    const { code, stderr } = await giveBack(installation, textOf(sheet));
    expect(code).toBe(sentence === '' ? 0 : 2);
    expect(stderr).toContain(sentence);
    expect((await items(installation)).some(({ assignee }) => assignee === 'bo')).toBe(sentence === '');
  });

  test('that does not exist is a file that cannot be read, not a failure of the disk', async () => {
    const installation = await createInstallation();
    const missing = await installation.recon('decide', '--file', 'missing.csv');
    expect(missing).toMatchObject({ code: 4, stderr: expect.stringContaining('FILE_UNREADABLE') as string });
    const folder = await installation.recon('decide', '--file', '.');
    expect(folder).toMatchObject({ code: 4, stderr: expect.stringContaining('is a folder') as string });
    expect((await installation.recon('decide', '--help')).stdout).toMatch(
      /\n {2}4 +the sheet could not be read/,
    );
  });

  test('says what it leaves out: a note without a decision', async () => {
    const installation = await shop();
    const sheet = await sheetOf(installation);
    fill(sheet, 0, { Note: 'who knows' });
    const { decided } = await giveBack(installation, textOf(sheet));
    expect(decided).toMatchObject({
      items: 0,
      remarks: ['line 2: Note changed, but Decision is empty: nothing was stored for it. Write note.'],
    });
  });

  test('says that a decision was emptied, and how to take it back', async () => {
    const installation = await shop();
    const [first] = await items(installation);
    const wait = ['--wait', '2026-12-05', '--note', 'asked', '--by', 'bo', '--as-of', asOf];
    await installation.recon('decide', first?.discrepancyId ?? '', ...wait);
    const sheet = await sheetOf(installation);
    const row = sheet.rows.findIndex(({ Decision }) => Decision === 'wait');
    fill(sheet, row, { Decision: '', Until: '', Note: '' });
    const { decided } = await giveBack(installation, textOf(sheet));
    expect(decided).toMatchObject({
      items: 0,
      remarks: [
        `line ${row + 2}: Decision was emptied: nothing was stored for it. To take the decision back, write undo.`,
      ],
    });
  });

  test('without some of its columns changes nothing that they held', async () => {
    const installation = await shop();
    const [first] = await items(installation);
    const id = first?.discrepancyId ?? '';
    const by = ['--by', 'bo', '--as-of', asOf];
    await installation.recon('decide', id, '--assign', 'eve', '--note', 'asked', ...by);
    await installation.recon('decide', id, '--wait', '2026-12-05', ...by);
    const sheet = await sheetOf(installation);
    const row = sheet.rows.findIndex(({ DiscrepancyId }) => DiscrepancyId === id);
    fill(sheet, row, { Decision: 'accept', Reason: 'agreed' });
    const names = sheet.names.filter((name) => !['Assignee', 'Note', 'Until', 'Lapsed'].includes(name));
    const { decided } = await giveBack(installation, textOf({ ...sheet, names }));
    expect(decided?.decisions.map(({ kind }) => kind)).toEqual(['accept']);
  });

  test.each([
    ['Reason', { Decision: 'accept', Reason: '#N/A' }, 'Reason is "#N/A", which is the error of a formula'],
    ['a note', { Decision: 'note', Note: 'Err:509' }, 'Note is "Err:509", which is the error of a formula'],
    ['Assignee', { Decision: 'assign', Assignee: '#VALUE!' }, 'Assignee is "#VALUE!", which is the error'],
    ['Note', { Decision: 'note', Note: '1.23457E+17' }, 'which is a number that a spreadsheet shortened'],
    ['Until', { Decision: 'wait', Until: 'next week' }, 'Until is "next week", which is not a day'],
    [
      'Until of a German spreadsheet',
      { Decision: 'wait', Until: '24.12.2026' },
      'write yyyy-MM-dd. If the spreadsheet changes what you write, save the sheet as .xlsx.',
    ],
    [
      'Decision',
      { Decision: 'accept (pending)' },
      'the accept waits for a second person, who writes approve',
    ],
  ])('with an unusable %s is refused, and says where', async (_column, cells, sentence) => {
    const installation = await shop();
    const sheet = await sheetOf(installation);
    fill(sheet, 1, cells);
    const { code, stderr } = await giveBack(installation, textOf(sheet));
    expect(code).toBe(2);
    expect(stderr).toContain(`line 3: `);
    expect(stderr).toContain(sentence);
  });

  test('with a column of the same name twice is refused', async () => {
    const installation = await shop();
    const sheet = await sheetOf(installation);
    fill(sheet, 0, { Decision: 'accept', Reason: 'agreed' });
    const { code, stderr } = await giveBack(
      installation,
      textOf({ ...sheet, names: [...sheet.names, 'Reason'] }),
    );
    expect(code).toBe(2);
    expect(stderr).toContain('line 1: the column Reason is there twice; rename your own.');
  });

  test.each([
    [
      'another file',
      'a;b\n1;2\n',
      'none of its first 20 lines has the column DiscrepancyId or OriginalSha256',
    ],
    ['a workbook', 'PK\u0003\u0004[Content_Types].xml', 'the workbook is damaged'],
    ['an open quote', 'DiscrepancyId;Decision;Basis\n"a;b;c\n', 'a quote is opened and never closed'],
  ])('that is %s is refused', async (_what, text, sentence) => {
    const installation = await createInstallation();
    const { code, stderr } = await giveBack(installation, text);
    expect(code).toBe(2);
    expect(stderr).toContain('SHEET_INVALID');
    expect(stderr).toContain(sentence);
  });
});
