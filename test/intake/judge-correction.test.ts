import { describe, expect, test } from 'vitest';
import { judgeCorrection, type Judgement } from '../../src/intake/corrections/judge-correction.js';
import { columns } from '../../src/settlement-file/columns.js';
import { cellsInOrder, settlementRow, type Cells } from '../support/settlement-rows.js';

const rowOf = (cells: Cells) => cellsInOrder(settlementRow(cells));

/** What becomes of a rejected row that is given back with other cells. */
function judged(original: Cells, given: Cells, isConfirmed = false): Judgement {
  return judgeCorrection({
    original: rowOf(original),
    cells: rowOf({ ...original, ...given }),
    isConfirmed,
    corrected: null,
  });
}

function storedCell(judgement: Judgement, name: string): string | undefined {
  return judgement.kind === 'valid'
    ? judgement.cells[columns.findIndex((column) => column.name === name)]
    : judgement.kind;
}

describe('a row in which another cell was corrected', () => {
  test.each([
    ['a day as it was given out', '2026-11-12', '2026-11-12'],
    ['the day in German notation', '12.11.2026', '2026-11-12'],
    ['the day in Dutch notation', '12-11-2026', '2026-11-12'],
    ['the day in American notation', '11/12/2026', '2026-11-12'],
    ['the day in British notation', '12/11/2026', '2026-11-12'],
    ['the day in Japanese notation', '2026/11/12', '2026-11-12'],
    ['the day with two digits of its year', '12.11.26', '2026-11-12'],
    ['day and month exchanged by the person', '2026-12-11', '2026-12-11'],
    ['another day', '2026-11-13', '2026-11-13'],
    ['day and month exchanged in German notation', '11.12.2026', 'invalid'],
    ['day and month exchanged in Japanese notation', '2026/12/11', 'invalid'],
    ['a day of another century', '12.11.1926', 'invalid'],
  ])('%s: %s is stored as %s', (_what, given, expected) => {
    const judgement = judged(
      { Currency: 'EURO', SettlementDate: '2026-11-12' },
      { Currency: 'EUR', SettlementDate: given },
    );
    expect(storedCell(judgement, 'SettlementDate')).toBe(expected);
  });
});

test('a row that was rejected for blanks around a cell counts once its Problems are emptied', () => {
  expect(judged({ Currency: 'EUR ' }, { Currency: 'EUR' }).kind).toBe('unchanged');
  expect(storedCell(judged({ Currency: 'EUR ' }, { Currency: 'EUR' }, true), 'Currency')).toBe('EUR');
});
