import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import ExcelJS from 'exceljs';
import { describe, expect, test } from 'vitest';
import { ReconError } from '../../src/errors.js';
import type { ArchiveLimits } from '../../src/spreadsheet/archive-limits.js';
import type { TableShape } from '../../src/spreadsheet/filled-in-table.js';
import { plainText, readTable } from '../../src/spreadsheet/read-table.js';
import { readWorkbook, type WorkbookRow } from '../../src/spreadsheet/read-workbook.js';
import { smallPart, writeZip, type ZipPart } from '../../src/spreadsheet/zip-archive.js';
import { folderForThisTest } from '../support/test-folder.js';
import { workbookOf } from './memory-workbook.js';

function inFolder(name: string, bytes: Buffer): string {
  const folder = folderForThisTest();
  writeFileSync(path.join(folder, name), bytes);
  return path.join(folder, name);
}

/** A workbook as another program writes it: texts in one table. */
async function savedBy(fill: (book: ExcelJS.Workbook) => void): Promise<Buffer> {
  const book = new ExcelJS.Workbook();
  fill(book);
  return Buffer.from(await book.xlsx.writeBuffer({ useSharedStrings: true }));
}

async function zipOf(...parts: ZipPart[]): Promise<Buffer> {
  const written: Buffer[] = [];
  await writeZip({ write: (bytes) => Promise.resolve(void written.push(bytes)) }, parts);
  return Buffer.concat(written);
}

const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
const relations = (...all: string[]) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.join('')}</Relationships>`;

/** The parts that are the same in every workbook. */
const beginning = [
  smallPart(
    '[Content_Types].xml',
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
  ),
  smallPart('_rels/.rels', relations(relation('rId1', 'officeDocument', 'xl/workbook.xml'))),
];

/** A workbook with one sheet that is made of these pieces. */
async function sheetWith(pieces: readonly string[]): Promise<Buffer> {
  const workbook =
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ' +
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>' +
    '<sheet name="mine" sheetId="1" r:id="rId1"/></sheets></workbook>';
  return zipOf(
    ...beginning,
    smallPart('xl/workbook.xml', workbook),
    smallPart(
      'xl/_rels/workbook.xml.rels',
      relations(relation('rId1', 'worksheet', 'worksheets/sheet1.xml')),
    ),
    smallPart('xl/worksheets/sheet1.xml', `<worksheet><sheetData>${pieces.join('')}</sheetData></worksheet>`),
  );
}

async function rowsOf(bytes: Buffer, limits?: ArchiveLimits): Promise<WorkbookRow[]> {
  const rows: WorkbookRow[] = [];
  for await (const row of readWorkbook(bytes, 'w.xlsx', limits)) rows.push(row);
  return rows;
}

const ours = () =>
  workbookOf((writer) =>
    writer
      .addSheet('error', [
        { name: 'Id', width: 9, type: 'text' },
        { name: 'Day', width: 9, type: 'date' },
      ])
      .write([['0012', { date: '2026-11-19' }]]),
  );

describe('a workbook', () => {
  test('of ours is read as it was written', async () => {
    expect(await rowsOf(await ours())).toEqual([
      { sheet: 'error', row: 1, cells: ['Id', 'Day'], converted: [false, false] },
      { sheet: 'error', row: 2, cells: ['0012', '2026-11-19'], converted: [false, true] },
    ]);
  });

  test.each<[string, ExcelJS.CellValue, string | undefined, string]>([
    ['a text', ' a ', undefined, ' a '],
    ['formatted parts of a text', { richText: [{ text: 'a' }, { text: ' b' }] }, undefined, 'a b'],
    ['a day', new Date('2026-11-19'), undefined, '2026-11-19'],
    ['a day in the format of a country', new Date('2026-11-19'), 'dd.mm.yy', '2026-11-19'],
    ['a moment', new Date('2026-11-19T08:05:00Z'), 'dd.mm.yy hh:mm', '2026-11-19 08:05:00'],
    ['a day without the format of one', 46_345, 'General', '46345'],
    ['a number', 12.5, undefined, '12.5'],
    ['a number that lost its digits', 1.2345e31, undefined, '1.2345E+31'],
    ['a number of fifteen digits', 123_456_789_012_345, undefined, '123456789012345'],
    ['a number of sixteen digits', 1_234_567_890_123_456, undefined, '1.234567890123456E+15'],
    ['the result of a formula', { formula: 'A1&"x"', result: 'ax' }, undefined, 'ax'],
    ['a formula that nobody calculated', { formula: 'A1&"x"' }, undefined, '#UNCALCULATED!'],
    ['a formula with an empty result', { formula: 'A1&""', result: '' }, undefined, ''],
    ['an error', { error: '#N/A' }, undefined, '#N/A'],
    ['yes or no', true, undefined, 'TRUE'],
    ['nothing', null, undefined, ''],
  ])('has %s as the text that a CSV file would have', async (_what, value, format, expected) => {
    const bytes = await savedBy((book) => {
      const sheet = book.addWorksheet('mine');
      sheet.getCell('B1').value = value;
      if (format !== undefined) sheet.getCell('B1').numFmt = format;
      sheet.getCell('C1').value = 'end';
    });
    expect((await rowsOf(bytes))[0]?.cells).toEqual(['', expected, 'end']);
  });

  test('shows which cells are merged with the row above, unless they are empty', async () => {
    const bytes = await savedBy((book) => {
      const sheet = book.addWorksheet('mine');
      for (const row of [1, 2, 3, 4]) sheet.getCell(row, 4).value = `end ${row}`;
      sheet.mergeCells('A1:C1');
      sheet.getCell('B2').value = 'down';
      sheet.mergeCells('B2:C3');
      sheet.mergeCells('A2:A4');
    });
    expect((await rowsOf(bytes)).slice(1).map(({ cells }) => cells)).toEqual([
      ['', 'down', '', 'end 2'],
      ['', '#MERGED!', '', 'end 3'],
      ['', '', '', 'end 4'],
    ]);
  });

  test('may have a sheet that is only a chart', async () => {
    const workbook =
      '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ' +
      'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>' +
      '<sheet name="Chart" sheetId="1" r:id="rId1"/><sheet name="mine" sheetId="2" r:id="rId2"/></sheets></workbook>';
    const bytes = await zipOf(
      ...beginning,
      smallPart('xl/workbook.xml', workbook),
      smallPart(
        'xl/_rels/workbook.xml.rels',
        relations(
          relation('rId1', 'chartsheet', '/xl/chartsheets/sheet1.xml'),
          relation('rId2', 'worksheet', 'worksheets/sheet1.xml'),
        ),
      ),
      smallPart('xl/chartsheets/sheet1.xml', '<chartsheet/>'),
      smallPart(
        'xl/worksheets/sheet1.xml',
        '<worksheet><sheetData><row r="1"><c r="A1"><v>12</v></c><c r="B1"><f>A1</f></c></row></sheetData></worksheet>',
      ),
    );
    expect(await rowsOf(bytes)).toEqual([
      { sheet: 'mine', row: 1, cells: ['12', '#UNCALCULATED!'], converted: [true, false] },
    ]);
  });

  test('shows every formula without a result, wherever the pieces of the sheet end', async () => {
    const count = 20_000;
    const row = (n: number) =>
      `<row r="${n}"><c r="A${n}"><f>B${n}</f></c><c r="B${n}"><v>${n}</v></c></row>`;
    const all = await rowsOf(await sheetWith(Array.from({ length: count }, (_, index) => row(index + 1))));
    expect(all).toHaveLength(count);
    expect(all.filter(({ cells }) => cells[0] !== '#UNCALCULATED!')).toEqual([]);
  });

  test.each([
    ['cells that are never closed', '<c r="A1">'],
    ['cells that never begin', '<c r="A1" '],
    ['one cell again and again', '<c r="A1"><f>1</f></c>'],
  ])('made of %s is read to its end', async (_what, piece) => {
    // Quadratic time would be minutes.
    const bytes = await sheetWith([
      '<row r="1"><c r="B1"><f>1</f></c>',
      ...Array<string>(100_000).fill(piece),
      '</row>',
    ]);
    const rows = await rowsOf(bytes).catch((thrown: unknown) => thrown);
    expect(rows).toSatisfy((found) => Array.isArray(found) || found instanceof ReconError);
  });

  test('with a cell of results whose beginning never ends is read to its end', async () => {
    // Quadratic time would be minutes.
    const bytes = await sheetWith([
      '<row r="1"><c r="B1"><f>1</f>',
      ...Array<string>(200_000).fill('<v '),
      '</c></row>',
    ]);
    const rows = await rowsOf(bytes).catch((thrown: unknown) => thrown);
    expect(rows).toSatisfy((found) => Array.isArray(found) || found instanceof ReconError);
  });

  test('names no cell that no spreadsheet has', async () => {
    const bytes = await sheetWith([
      '<row r="1"><!-- <c r="ZZZZZZZ1"><f>1</f></c> --><c r="A1"><v>1</v></c></row>',
    ]);
    expect((await rowsOf(bytes))[0]?.cells).toEqual(['1']);
  });

  test('of a program that counts days from 1904 has the same days', async () => {
    const bytes = await savedBy((book) => {
      book.properties.date1904 = true;
      book.addWorksheet('mine').getCell('A1').value = new Date('2026-11-19');
    });
    expect((await rowsOf(bytes))[0]?.cells).toEqual(['2026-11-19']);
  });
});

describe('a table', () => {
  const shape: TableShape = { marks: ['Id'], toFill: ['Decision'], ownCell: /^own\d$/ };

  test('has the rows of every sheet with its columns that somebody filled in, and of no other sheet', async () => {
    const bytes = await savedBy((book) => {
      book.addWorksheet('Totals').addRows([
        ['Code', 'Items'],
        ['X', 1],
      ]);
      book.addWorksheet('one').addRows([
        ['Id', 'Decision'],
        ['a', 'wait'],
        ['b', null],
        ['c', ' '],
      ]);
      book.addWorksheet('two').addRows([['Decision', 'More', 'Id'], [], ['note', 1, 'd']]);
    });
    const { header, rows } = await readTable(inFolder('w.xlsx', bytes), shape);
    expect(header).toEqual(['Id', 'Decision', 'More']);
    expect(rows).toEqual([
      { sheet: 'one', line: 2, cells: ['a', 'wait'] },
      { sheet: 'two', line: 3, cells: ['d', 'note', '1'], converted: [false, false, true] },
    ]);
  });

  test('knows which columns a sheet does not have', async () => {
    const bytes = await savedBy((book) => {
      book.addWorksheet('one').addRows([
        ['Id', 'Reason', 'Decision'],
        ['a', null, 'wait'],
      ]);
      book.addWorksheet('two').addRows([
        ['Decision', 'Id'],
        ['note', 'b'],
      ]);
    });
    const { headers, rows } = await readTable(inFolder('w.xlsx', bytes), shape);
    expect(headers.map(({ columns }) => columns)).toEqual([
      ['Id', 'Reason', 'Decision'],
      ['Decision', 'Id'],
    ]);
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['a', '', 'wait'],
      ['b', undefined, 'note'],
    ]);
  });

  test('may have a title and empty rows above its header', async () => {
    const bytes = await savedBy((book) =>
      book.addWorksheet('one').addRows([['Week 47'], [], ['Id', 'Decision'], ['a', 'wait']]),
    );
    const { rows } = await readTable(inFolder('w.xlsx', bytes), shape);
    expect(rows).toEqual([{ sheet: 'one', line: 4, cells: ['a', 'wait'] }]);
    const csv = inFolder('t.csv', Buffer.from('sep=,\nWeek 47,\n,\nId,Decision\na,wait\n'));
    expect((await readTable(csv, shape)).rows).toEqual([{ sheet: null, line: 5, cells: ['a', 'wait'] }]);
  });

  test('has the names of its columns in one of its first twenty rows', async () => {
    const csv = (above: number) =>
      inFolder('t.csv', Buffer.from(`${'Week 47;\n'.repeat(above)} Id ;Decision \na;wait\n`));
    const { header, rows } = await readTable(csv(19), shape);
    expect([header, rows]).toEqual([['Id', 'Decision'], [{ sheet: null, line: 21, cells: ['a', 'wait'] }]]);
    await expect(readTable(csv(20), shape)).rejects.toThrow('none of its first 20 lines has the column Id;');
  });

  test('in CSV may begin with a byte order mark before a quoted name', async () => {
    const csv = inFolder('t.csv', Buffer.from('\uFEFF"Id";"Decision"\n"a";"wait"\n'));
    expect((await readTable(csv, shape)).rows).toEqual([{ sheet: null, line: 2, cells: ['a', 'wait'] }]);
  });

  test('keeps rows that are to be kept although nothing is filled in', async () => {
    const csv = inFolder('t.csv', Buffer.from('Id;Decision;Problems\na;;\nb;;wrong\nc;; wrong \n'));
    const kept = { column: 'Problems', cell: /^wrong$/ };
    const { rows } = await readTable(csv, { ...shape, kept });
    expect(rows.map(({ line }) => line)).toEqual([3, 4]);
  });

  test('is not read from a folder', async () => {
    const folder = path.dirname(inFolder('t.csv', Buffer.from('')));
    await expect(readTable(folder, shape)).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      message: `The sheet ${folder} is a folder. Nothing was stored.`,
    });
  });

  test('is refused when a sheet has rows of ours and no names of columns', async () => {
    const bytes = await savedBy((book) => {
      book.addWorksheet('one').addRows([['Id'], ['a']]);
      book.addWorksheet('two').addRows([
        ['ID', 'Decision'],
        ['own1', 'wait'],
      ]);
    });
    await expect(readTable(inFolder('w.xlsx', bytes), shape)).rejects.toThrow(
      'sheet two: it has rows of a sheet that recon wrote, but none of its first 20 rows has the column Id',
    );
  });

  test('may be in UTF-16, which a spreadsheet calls Unicode text', async () => {
    const text = '\uFEFFId\tDecision\r\na\twäit\r\n';
    const little = Buffer.from(text, 'utf16le');
    for (const bytes of [little, Buffer.from(little).swap16()]) {
      expect((await readTable(inFolder('t.txt', bytes), shape)).rows).toEqual([
        { sheet: null, line: 2, cells: ['a', 'wäit'] },
      ]);
    }
    await expect(readTable(inFolder('t.txt', little.subarray(0, 31)), shape)).rejects.toThrow(
      'it is damaged UTF-16LE: save it as .xlsx, or as "CSV UTF-8".',
    );
  });

  test.each([
    [
      'an OpenDocument spreadsheet',
      'PK\u0003\u0004    mimetypeapplication/vnd.oasis.opendocument.spreadsheet',
      'an OpenDocument spreadsheet (.ods)',
    ],
    ['a web page', '<!DOCTYPE html><table>', 'a web page (HTML)'],
    ['flat XML', '<?xml version="1.0"?><office:document/>', 'an XML document'],
  ])('that was saved as %s is refused with the format to save', async (_what, text, sentence) => {
    await expect(readTable(inFolder('t', Buffer.from(text)), shape)).rejects.toThrow(
      `it is ${sentence}: save it as .xlsx, or as "CSV UTF-8".`,
    );
  });

  test('in Windows-1252 is refused with its line and the format to save', async () => {
    const bytes = Buffer.from('Id;Decision\na;w\xe4it\n', 'latin1');
    await expect(readTable(inFolder('t.csv', bytes), shape)).rejects.toThrow(
      `line 2: it is not UTF-8; in Windows-1252 it would be 'ä': save it as .xlsx, or as "CSV UTF-8".`,
    );
  });

  test('longer than what is read at once is read to its end, with every character', async () => {
    // The three bytes of each character are cut at every place, and lines with quotes too.
    const lines = Array.from({ length: 90_000 }, (_, n) => `${n};"€ ""${'€'.repeat(n % 17)}"`);
    const csv = inFolder('t.csv', Buffer.from(`Id;Decision\r\n${lines.join('\r\n')}\r\n`));
    expect(statSync(csv).size).toBeGreaterThan(3_000_000);
    const { rows, sha256 } = await readTable(csv, shape);
    expect(rows).toHaveLength(lines.length);
    expect(
      rows.every(({ cells: [id, decision] }, n) => id === `${n}` && decision === `€ "${'€'.repeat(n % 17)}`),
    ).toBe(true);
    expect(sha256).toBe(createHash('sha256').update(readFileSync(csv)).digest('hex'));
  });

  test.each([
    ['a byte that is not UTF-8', Buffer.from([0xe4, 0x0a]), "in Windows-1252 it would be 'ä': "],
    [
      'a character that is not complete at its end',
      Buffer.from('€').subarray(0, 2),
      "in Windows-1252 it would be 'â': ",
    ],
  ])('long and with %s far from its beginning is refused with its line', async (_what, bytes, looks) => {
    const above = `Id;Decision\n${'a;€\n'.repeat(100_000)}`;
    const csv = inFolder('t.csv', Buffer.concat([Buffer.from(above), bytes]));
    await expect(readTable(csv, shape)).rejects.toThrow(
      `line 100002: it is not UTF-8; ${looks}save it as .xlsx, or as "CSV UTF-8".`,
    );
  });

  test('with a quote that is never closed is refused', async () => {
    const csv = inFolder('t.csv', Buffer.from(`Id;Decision\na;"wait\n${'b;\n'.repeat(100_000)}`));
    await expect(readTable(csv, shape)).rejects.toThrow(
      'Nothing of t.csv was stored: line 2: a quote is opened and never closed.',
    );
  });

  test('with a quote in the wrong place, or without the names of its columns, is refused with the reason', async () => {
    const csv = inFolder('t.csv', Buffer.from('Id;Decision\n"a\nb";note\nb;wa"it\n'));
    await expect(readTable(csv, shape)).rejects.toThrow(
      'line 4: a quote is in the wrong place: inside a cell that is not quoted, or before',
    );
    await expect(
      readTable(inFolder('t.csv', Buffer.from('Number;Decision\na;wait\n')), shape),
    ).rejects.toThrow(
      'none of its first 20 lines has the column Id; the names of the columns must be as they were given out.',
    );
  });

  test('in CSV leaves out the rows that nobody filled in, too', async () => {
    const csv = inFolder('t.csv', Buffer.from('Id;Decision\na;"wa\nit"\nb;\n\nc;note\n'));
    expect((await readTable(csv, shape)).rows).toEqual([
      { sheet: null, line: 2, cells: ['a', 'wa\nit'] },
      { sheet: null, line: 6, cells: ['c', 'note'] },
    ]);
    expect((await readTable(csv, { ...shape, toFill: [] })).rows).toHaveLength(3);
  });

  test('needs a sheet with its columns', async () => {
    const bytes = await savedBy((book) => book.addWorksheet('Totals').addRow(['Code']));
    await expect(readTable(inFolder('w.xlsx', bytes), shape)).rejects.toThrow(
      'Nothing of w.xlsx was stored: no sheet has the column Id in its first rows.',
    );
  });
});

describe('a file that cannot be read as a workbook is refused with a reason', () => {
  const damaged = /the workbook is damaged/;

  test('cut off anywhere, or with other bytes in it', async () => {
    const whole = await ours();
    for (let length = 40; length < whole.length; length += 37) {
      await expect(rowsOf(whole.subarray(0, length)), `cut to ${length}`).rejects.toThrow(damaged);
    }
    let refused = 0;
    for (let at = 4; at < whole.length; at += 61) {
      const changed = Buffer.from(whole);
      changed.fill(0x41, at, at + 8);
      await rowsOf(changed).catch((thrown: unknown) => {
        expect(thrown).toMatchObject({ code: 'SHEET_INVALID' });
        refused += 1;
      });
    }
    expect(refused).toBeGreaterThan(10);
  });

  test('a bomb: more than the limits, or more than the archive says', async () => {
    const limits = { parts: 20, bytes: 100_000, bytesBesideSheets: 50_000 };
    const zeros = 'x'.repeat(60_000);
    const tooMuch = /unpacks to more than recon reads/;
    const types = smallPart('[Content_Types].xml', '<Types/>');
    await expect(
      rowsOf(await zipOf(types, smallPart('xl/sharedStrings.xml', zeros)), limits),
    ).rejects.toThrow(tooMuch);
    const sheets = [1, 2].map((each) => smallPart(`xl/worksheets/sheet${each}.xml`, zeros));
    await expect(rowsOf(await zipOf(types, ...sheets), limits)).rejects.toThrow(tooMuch);
    const many = Array.from({ length: 21 }, (_, each) => smallPart(`x${each}`, 'x'));
    await expect(rowsOf(await zipOf(types, ...many), limits)).rejects.toThrow(tooMuch);
    // Ten megabytes that are said to be one byte, or none.
    const content = Buffer.alloc(10_000_000, ' ');
    const bytes = deflateRawSync(content);
    for (const size of [1, 0]) {
      const lie = { name: '[Content_Types].xml', crc: crc32(content), size, compressedSize: bytes.length };
      await expect(rowsOf(await zipOf({ ...lie, bytes: [bytes] }), limits)).rejects.toThrow(damaged);
    }
  });

  test('one that says that a part with content has no size, which would be unpacked without a limit', async () => {
    const whole = await ours();
    const directory = whole.indexOf('PK\u0001\u0002', 0, 'latin1');
    whole.writeUInt32LE(0, directory + 24);
    await expect(rowsOf(whole)).rejects.toThrow(damaged);
  });

  test('an archive of something else, a binary and an old workbook, one with a password', async () => {
    const other = await zipOf(smallPart('[Content_Types].xml', '<Types/>'), smallPart('a.txt', 'a'));
    await expect(rowsOf(other)).rejects.toThrow(damaged);
    const binary = await zipOf(
      smallPart('[Content_Types].xml', '<Types/>'),
      smallPart('xl/workbook.bin', 'a'),
    );
    await expect(rowsOf(binary)).rejects.toThrow('it is a binary workbook (.xlsb); save it as .xlsx.');
    const protectedParts = await ours();
    const directory = protectedParts.indexOf('PK\u0001\u0002', 0, 'latin1');
    protectedParts.writeUInt16LE(1, directory + 8);
    await expect(rowsOf(protectedParts)).rejects.toThrow('the workbook has a password; save it without one.');
    const old = Buffer.from('d0cf11e0a1b11ae1', 'hex');
    await expect(
      readTable(inFolder('w.xls', old), { marks: ['Id'], toFill: [], ownCell: /^own$/ }),
    ).rejects.toThrow(
      'it is an old Excel workbook (.xls) or has a password: save it as .xlsx without a password.',
    );
  });
});

test.each([
  [' a\r\nb ', 'a\nb'],
  ["'=1+1", '=1+1'],
  ["' -1", ' -1'],
  ["'\uFF1D1", '\uFF1D1'],
  ["'s-Hertogenbosch", "'s-Hertogenbosch"],
])('the text of the cell %j is %j', (cell, text) => {
  expect(plainText(cell)).toBe(text);
});
