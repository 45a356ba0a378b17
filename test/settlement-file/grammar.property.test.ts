import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReconError } from '../../src/errors.js';
import { headerLine, maximumRecordBytes } from '../../src/settlement-file/columns.js';
import { fingerprintOf, fingerprintOfBytes } from '../../src/settlement-file/fingerprint.js';
import { cellsOf } from '../../src/settlement-file/read-rows.js';
import { replaceOutcomeCells, writeCells } from '../../src/settlement-file/write-row.js';
import { anyCell, readAll, rowCells } from './rows.js';

/** The rows that csv-parse reads from a whole file, each with any number of cells. */
function parseWhole(content: string): string[][] | 'refused' {
  try {
    const rows = parse(Buffer.from(content), {
      delimiter: ';',
      record_delimiter: ['\r\n', '\n'],
      bom: true,
      max_record_size: maximumRecordBytes,
      // Only in this test: the number of cells is checked by the validation, row by row.
      relax_column_count: true,
    });
    const isBlank = (cells: string[]) => cells.length === 1 && cells[0] === '';
    while (rows.length > 0 && isBlank(rows.at(-1) ?? [])) rows.pop();
    return rows.slice(1);
  } catch {
    return 'refused';
  }
}

const piece = fc.constantFrom(
  ...['"', '""', ';', '\n', '\r\n', '\r', 'a', 'ä', '\u0000', ' ', '";"', 'x;y', '"a";"b"', '\n"'],
);
const anyBody = fc
  .array(fc.oneof({ weight: 4, arbitrary: piece }, anyCell), { maxLength: 30 })
  .map((parts) => parts.join(''));
const chunkSize = fc.integer({ min: 1, max: 40 });

test('the reader and csv-parse agree on every file, wherever its chunks are cut', async () => {
  let accepted = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(anyBody, chunkSize, async (body, size) => {
      const content = `${headerLine}\n${body}`;
      const expected = parseWhole(content);
      const { rows, failure } = await readAll(content, size);
      if (expected === 'refused') {
        refused += 1;
        expect(failure).toBeInstanceOf(ReconError);
        return;
      }
      accepted += 1;
      expect(failure).toBeUndefined();
      // A quoted empty line at the end is a row here; csv-parse's rows do not distinguish it from a blank one.
      const found = rows.map((row) => [...cellsOf(row)]);
      while (found.length > expected.length && found.at(-1)?.join() === '') found.pop();
      expect(found).toEqual(expected);
    }),
    { numRuns: 3000 },
  );
  expect([accepted, refused].every((count) => count > 200)).toBe(true);
});

/** Any text that a cell may be parsed to: a lone CR only inside quotes, where writing puts it. */
const writableCells = fc.array(anyCell, { minLength: 2, maxLength: 36 });

test('what is written is read back the same', async () => {
  await fc.assert(
    fc.asyncProperty(writableCells, async (cells) => {
      const { rows, failure } = await readAll(`${headerLine}\n${writeCells(cells)}\n`);
      expect(failure).toBeUndefined();
      expect(rows.map((row) => [...cellsOf(row)])).toEqual([cells]);
    }),
    { numRuns: 1000 },
  );
});

const cells36 = fc.array(anyCell, { minLength: 36, maxLength: 36 });

function quoted(cells: readonly string[]): string {
  return cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';');
}

test('the fingerprint depends on the first 33 cells, not on how they are quoted nor on the last three', async () => {
  await fc.assert(
    fc.asyncProperty(cells36, fc.tuple(anyCell, anyCell, anyCell), async (cells, claims) => {
      const other = [...cells.slice(0, 33), ...claims];
      const { rows } = await readAll(`${headerLine}\n${quoted(cells)}\n${writeCells(other)}\n`);
      const [first, second] = rows.map((row) => fingerprintOf(cellsOf(row)));
      expect(first).toBe(second);
      expect(first).toMatch(/^[0-9a-f]{32}$/);
    }),
    { numRuns: 500 },
  );
});

test('different cells have different fingerprints', () => {
  fc.assert(
    fc.property(cells36, fc.nat({ max: 32 }), anyCell, (cells, position, cell) => {
      fc.pre(cells[position] !== cell);
      expect(fingerprintOf(cells.with(position, cell))).not.toBe(fingerprintOf(cells));
    }),
  );
});

test('the fingerprint of a quote-free line is that of its bytes before the 33rd delimiter', () => {
  const cells = rowCells({ AccountHolder: 'Jürgen' });
  const line = cells.join(';');
  const bytes = Buffer.from(line.slice(0, line.length - cells.slice(33).join(';').length - 1));
  expect(fingerprintOf(cells)).toBe(fingerprintOfBytes(bytes));
  // This value must never change: stored records are found by it.
  expect(fingerprintOf(cells)).toBe(fingerprintOfBytes(Buffer.from(cells.slice(0, 33).join(';'))));
});

test('the reconciled row keeps its first 33 cells byte for byte and has our last three', async () => {
  const outcome = {
    txRequestTimeIfEmpty: '2026-11-20 01:00:00 +0000',
    matchingStatus: 'MATCHED',
    matchedTransactions: 'p',
    chargebackId: 'c',
  };
  await fc.assert(
    fc.asyncProperty(cells36, fc.boolean(), async (cells, isQuoted) => {
      const write = isQuoted ? quoted : writeCells;
      const { rows } = await readAll(`${headerLine}\r\n${write(cells)}\r\n`);
      const [row] = rows;
      if (row === undefined) throw new Error('no row');
      const time = cells[18] === '' ? outcome.txRequestTimeIfEmpty : write([cells[18] ?? '']);
      const record = [write(cells.slice(0, 18)), time, write(cells.slice(19, 33))].join(';');
      expect(replaceOutcomeCells(row, outcome)).toBe(`${record};MATCHED;p;c\n`);
    }),
    { numRuns: 500 },
  );
});
