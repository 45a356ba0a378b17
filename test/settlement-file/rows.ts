import fc from 'fast-check';
import { columns, headerLine } from '../../src/settlement-file/columns.js';
import { readRows, type RawRow } from '../../src/settlement-file/read-rows.js';
import { cellsInOrder, paymentId, settlementRow, type Cells } from '../support/settlement-rows.js';

/** What the rows of these tests have besides the ordinary cells: references and a fee. */
const referenced: Cells = {
  SettlementTxId: 'STL-000001',
  UniqueID: paymentId(1),
  SettlementAmount: '99.75',
  SettlementFee: '0.25',
};

/** The cells of a valid row with some of them changed. */
export const rowCells = (changes: Cells = {}): string[] =>
  cellsInOrder(settlementRow({ ...referenced, ...changes }));

/** The same as a line without line ending, nothing quoted. */
export const rowLine = (changes: Cells = {}): string => rowCells(changes).join(';');

/** A file of the header and these lines, each ended by LF. */
export function fileOf(...lines: readonly string[]): string {
  return [headerLine, ...lines].map((line) => `${line}\n`).join('');
}

/**
 * Cuts bytes into chunks of a size. As when a file is read, the bytes of a chunk are written over once the next one is
 * asked for.
 */
// An async generator is what the reader takes.
// eslint-disable-next-line @typescript-eslint/require-await
export async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer, void, undefined> {
  const room = Buffer.alloc(Math.min(size, bytes.length));
  for (let at = 0; at < bytes.length; at += size) {
    const length = bytes.copy(room, 0, at, at + size);
    yield room.subarray(0, length);
    room.fill('!');
  }
}

/** A row whose bytes stay valid when the next block is read. */
export function keptRow(row: RawRow): RawRow {
  const bytes = Buffer.from(row.bytes.subarray(row.start, row.end));
  return { ...row, bytes, start: 0, end: bytes.length };
}

/** All rows of a file, and the failure that ended the reading, if one did. */
export async function readAll(
  content: string | Buffer,
  chunkSize = 64 * 1024,
): Promise<{ rows: RawRow[]; failure?: unknown }> {
  const rows: RawRow[] = [];
  try {
    for await (const block of readRows(inChunks(Buffer.from(content), chunkSize))) {
      rows.push(...block.rows.map(keptRow));
    }
  } catch (failure) {
    return { rows, failure };
  }
  return { rows };
}

/** Cells near the limits of the columns, a few of each kind. */
export const awkwardCells: readonly string[] = [
  ...[
    '',
    ' ',
    '"',
    '""',
    ';',
    '\n',
    '\r\n',
    '\r',
    '\u0000',
    '\t',
    '\u00a0',
    '\u200b',
    '\ufeff',
    'ä',
    'Ж',
    '漢',
    '🙂',
    '\u0301',
    'ͯ',
  ],
  ...[
    '0.00',
    '1.00',
    '9999999999.99',
    '12345678901.00',
    '1,00',
    '1.0',
    '.50',
    '-1.00',
    '+1.00',
    '1e3',
    '1.000',
  ],
  ...[
    'EUR',
    'eur',
    'XXX',
    'HRK',
    'XCG',
    'AAA',
    '2026-02-29',
    '2024-02-29',
    '1900-02-29',
    '2026-13-01',
    '2026-04-31',
    '1899-12-31',
  ],
  ...[
    '2026-11-18 24:00:00',
    '2026-11-18 23:59:59.123456789',
    '2026-11-18 10:00:05 +0100',
    '2026-11-18T10:00:05',
  ],
  ...[
    '4200000000000000',
    '4111 1111 1111 1111',
    'a'.repeat(31),
    'a'.repeat(32),
    'a'.repeat(33),
    `${'b'.repeat(32)},${'c'.repeat(32)}`,
  ],
  ...[
    'MATCHED',
    'matched',
    'FEE',
    'CHARGEBACK REVERSAL',
    'PAYMENT_FACILITATOR',
    '000.100.1',
    '1',
    '..',
    'VISA1',
    'é'.repeat(16),
  ],
];

/** Cells near the limits of the columns, and random text. */
export const anyCell: fc.Arbitrary<string> = fc
  .oneof(
    fc.constantFrom(...awkwardCells),
    fc.string({ maxLength: 12, unit: 'binary' }),
    fc.string({ maxLength: 140, unit: 'grapheme' }),
    fc.stringMatching(/^[0-9A-Za-z.: +-]{0,40}$/),
  )
  // A lone surrogate cannot come out of a file that is UTF-8.
  .filter((cell) => Buffer.from(cell).toString() === cell);

/** A valid row with a few cells replaced. */
export const mutatedCells: fc.Arbitrary<string[]> = fc
  .array(fc.tuple(fc.nat({ max: columns.length - 1 }), anyCell), { maxLength: 3 })
  .map((changes) => {
    const cells = rowCells();
    for (const [position, cell] of changes) cells[position] = cell;
    return cells;
  });
