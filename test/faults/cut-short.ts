import { expect } from 'vitest';
import { RecordEncoder } from '../../src/intake/encode-records.js';
import { ReconError } from '../../src/errors.js';
import { headerLine } from '../../src/settlement-file/columns.js';
import { cellsOf, readRows } from '../../src/settlement-file/read-rows.js';
import { inChunks, rowLine } from '../settlement-file/rows.js';
import { fileId } from '../../src/values/ids.js';

/** 200 rows, some of them with quotes, line feeds and letters of several bytes, so that a cut may fall into each. */
const lines = Array.from({ length: 200 }, (_, index) =>
  rowLine({
    SettlementTxId: `STL-${index}`,
    AccountHolder: index % 5 === 0 ? '"Jürgen; ""J""\r\nMüßig"' : 'Jürgen Müßig',
    MerchantAccountName: index % 7 === 0 ? '漢🙂' : 'Example Shop',
  }),
);
export const wholeFile = Buffer.from([headerLine, ...lines].map((line) => `${line}\n`).join(''));

/** How many rows are whole when the file ends here; undefined when it ends within a row. */
const rowsWholeAt = new Map<number, number>();
let end = Buffer.byteLength(headerLine);
for (const [index, line] of ['', ...lines].entries()) {
  end += Buffer.byteLength(line);
  // With its line ending or without.
  rowsWholeAt.set(end, index).set(end + 1, index);
  end += 1;
}

/** What became of a file that was cut: reported as refused or with a refused row, or silently fewer rows. */
export type CutOutcome = 'file refused' | 'row refused' | 'fewer rows';

/**
 * The first bytes of the file through reader, check and encoding. Whatever is accepted must be a row of the file,
 * in order and whole; and a cut within a row must be reported.
 */
export async function judgeCut(offset: number): Promise<CutOutcome> {
  const encoder = new RecordEncoder(fileId(1));
  const accepted: string[] = [];
  let refused = 0;
  let outcome: CutOutcome | undefined;
  try {
    for await (const { rows } of readRows(inChunks(wholeFile.subarray(0, offset), 64 * 1024))) {
      for (const row of rows) {
        if ('amountMinor' in encoder.add(row)) accepted.push(cellsOf(row)[9] ?? '');
        else refused += 1;
        if (encoder.isFull) encoder.take();
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof ReconError)) throw thrown;
    outcome = 'file refused';
  }
  outcome ??= refused > 0 ? 'row refused' : 'fewer rows';
  expect(accepted, `cut at ${offset}`).toEqual(accepted.map((_, index) => `STL-${index}`));
  const whole = rowsWholeAt.get(offset);
  if (whole === undefined) expect(outcome, `cut at ${offset}`).not.toBe('fewer rows');
  else
    expect({ outcome, rows: accepted.length }, `cut at ${offset}`).toEqual({
      outcome: 'fewer rows',
      rows: whole,
    });
  return outcome;
}
