import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  judgeCorrection,
  type CorrectionJudgement,
} from '../../../src/intake/corrections/judge-correction.js';
import { freeTextCell } from '../../../src/reporting/tables/csv-cells.js';
import { columns } from '../../../src/settlement-file/columns.js';
import { plainText } from '../../../src/spreadsheet/read-table.js';
import { cellsInOrder, settlementRow, type Cells } from '../../support/settlement-rows.js';

const rowOf = (cells: Cells) => cellsInOrder(settlementRow(cells));

/** What becomes of a rejected row that is given back with other cells. */
function judged(original: Cells, given: Cells, isConfirmed = false): CorrectionJudgement {
  return judgeCorrection({
    original: rowOf(original),
    cells: rowOf({ ...original, ...given }),
    isConfirmed,
    corrected: null,
  });
}

function storedCell(judgement: CorrectionJudgement, name: string): string | undefined {
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

describe('a reference in a row in which another cell was corrected', () => {
  test.each([
    ['without its zeros', 'SettlementTxId', '0012345', '12345', null],
    ['as a number of a CSV file', 'ConnectorTxId1', '12345678901234567890', '1.23456789012346E+019', null],
    ['as a number of a workbook', 'ConnectorTxId1', '12345678901234567890', '12345678901234567000', null],
    ['with fifteen of its digits', 'ConnectorTxId1', '12345678901234567890', '12345678901234500000', null],
    ['as a short number', 'ShortId', '99995678901234', '1E+14', null],
    ['of an id of digits', 'UniqueID', '00000000000000000000000000000012', '12', null],
    ['with a decimal less', 'ReasonCode', '10.10', '10.1', null],
    ['with a comma', 'ReasonCode', '10.10', '10,1', null],
    ['with an exponent written out', 'SettlementTxId', '1E10', '10000000000', null],
    ['of a bank', 'BankCode', '00370050', '370050', null],
    ['that the person changed', 'ConnectorTxId1', '12345678901234567890', '12345678901234567891', 'given'],
    ['that the person shortened', 'SettlementTxId', '12345', '1234', 'given'],
    ['that was too long', 'ShortId', '000000000012345', '12345', 'given'],
  ])('%s: %s %s, given back as %s', (_what, column, before, given, expected) => {
    const judgement = judged({ Currency: 'EURO', [column]: before }, { Currency: 'EUR', [column]: given });
    expect(storedCell(judgement, column)).toBe(expected === 'given' ? given : before);
  });
});

test.each([
  ['Amount', '12.5', 'write 12.50. The cell has "12.5".'],
  ['SettlementDate', '19.11.2026', 'write yyyy-MM-dd. The cell has "19.11.2026".'],
])('%s %s is refused with what to do in a spreadsheet', (column, given, advice) => {
  const judgement = judged({ [column]: 'x' }, { [column]: given });
  expect(judgement.kind === 'invalid' ? judgement.problems.join(' ') : '').toContain(
    `${advice} If the spreadsheet changes what you write, format the cell as text first.`,
  );
});

test('a row that was rejected for blanks around a cell counts once its Problems are emptied', () => {
  expect(judged({ Currency: 'EUR ' }, { Currency: 'EUR' }).kind).toBe('unchanged');
  expect(storedCell(judged({ Currency: 'EUR ' }, { Currency: 'EUR' }, true), 'Currency')).toBe('EUR');
});

describe('a text as the sheet showed it', () => {
  const shown = (text: string) => plainText(freeTextCell(text) ?? '');

  test.each([
    ['that begins with a line break', '\nSecond line'],
    ['with the line break of Windows', 'First line\r\nSecond line'],
    ['with a formula behind a line break', '\n=1+1'],
    ['that is longer than a cell', 'x'.repeat(40_000)],
    ['that is longer than a cell and begins like a formula', `=${'😀'.repeat(20_000)}`],
  ])('%s is unchanged, and stays as it was beside a correction', (_what, text) => {
    const original = { Currency: 'EURO', AccountHolder: text };
    expect(judged(original, { AccountHolder: shown(text) }).kind).toBe('unchanged');
    const beside = judged(original, { AccountHolder: shown(text), Currency: 'EUR' });
    expect(beside).toEqual(judged(original, { Currency: 'EUR' }));
  });

  test('is unchanged, whatever it is', () => {
    const unit = fc.constantFrom(...'=+-@;,|"\'\t\r\n a1.＝−😀'.split(''));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
        const original = { Currency: 'EURO', AccountHolder: text };
        expect(judged(original, { AccountHolder: shown(text) }).kind).toBe('unchanged');
      }),
    );
  });

  test('is changed if a person shortened it', () => {
    const long = 'x'.repeat(200);
    expect(judged({ AccountHolder: long }, { AccountHolder: `${long.slice(0, 100)}…` }).kind).toBe('valid');
  });
});

describe('a wrong cell that nobody touched', () => {
  const sound = { SettlementAmount: '100.00' };
  const ofSheet = (column: string, before: string, given: string, more: Cells = {}, isConfirmed = false) => {
    const original = { ...sound, [column]: before };
    return judgeCorrection({
      original: rowOf(original),
      cells: rowOf({ ...original, [column]: given, ...more }),
      converted: columns.map(({ name }) => name === column),
      isConfirmed,
      corrected: null,
    });
  };

  test.each([
    ['Amount', '12,50', '12,5'],
    ['Amount', '12,50', '12.5'],
    ['Amount', '1.250,00', '1250'],
    ['Amount', '1.250,00', '1250,00'],
    ['Amount', '1250,00', '1.250,00'],
    ['Amount', '12,50 EUR', '12,50 €'],
    ['Amount', '-12,50', '-12,5'],
    ['Amount', '+12.50', '12.5'],
    // An American spreadsheet ignores the comma.
    ['Amount', '12,50', '1250'],
    ['SettlementDate', '2026/11/19', '19.11.2026'],
    ['SettlementDate', '19.11.2026', '11/19/2026'],
    ['SettlementDate', '03/04/2026', '04.03.2026'],
    ['TxRequestTime', '2026-11-18 10:00', '18.11.2026 10:00'],
  ])('%s %s given back as %s in a CSV file changes nothing', (column, before, given) => {
    expect(judged({ ...sound, [column]: before }, { [column]: given })).toEqual({
      kind: 'unchanged',
      renoted: [{ name: column, isRight: false }],
    });
    // Beside a correction the row is still wrong, and the message has the cell as it was given out.
    const beside = judged(
      { ...sound, [column]: before, Currency: 'EURO' },
      { [column]: given, Currency: 'EUR' },
    );
    expect(beside.kind === 'invalid' ? beside.problems.join(' ') : beside.kind).toContain(
      `The cell has "${before}".`,
    );
  });

  test.each([
    ['Amount', '12,50', '12.50'],
    ['Amount', '12,51', '12.51'],
    ['SettlementDate', '19.11.2026', '2026-11-19'],
  ])('%s %s: the text %s is a correction', (column, before, given) => {
    expect(storedCell(judged({ ...sound, [column]: before }, { [column]: given }), column)).toBe(given);
  });

  test.each([
    ['Amount', '12,50', '12,6'],
    ['Amount', '12,50', '-12,5'],
    ['Amount', '1.250,00', '1,25'],
    ['Amount', 'x', '12,5'],
    ['SettlementDate', '19.11.2026', '20.11.2026'],
    ['SettlementDate', '03.04.2026', '04.03.2026'],
    ['TxRequestTime', '2026-11-18 10:00', '18.11.2026 11:00'],
  ])('%s %s: %s is another value, and still wrong', (column, before, given) => {
    expect(judged({ ...sound, [column]: before }, { [column]: given }).kind).toBe('invalid');
  });

  test.each([
    ['Amount', '12,51', '12.51'],
    ['Amount', '1,234.51', '1234.51'],
    ['SettlementDate', '19.11.2026', '2026-11-19'],
    ['SettlementDate', '03/04/2026', '2026-03-04'],
    ['TxRequestTime', '19.11.2026 10:00', '2026-11-19 10:00:00'],
    ['ShortId', '000000000012345', '12345'],
  ])('%s %s, in a workbook the value %s, counts once its Problems are emptied', (column, before, given) => {
    expect(ofSheet(column, before, given)).toEqual({
      kind: 'unchanged',
      renoted: [{ name: column, isRight: true }],
    });
    expect(storedCell(ofSheet(column, before, given, {}, true), column)).toBe(given);
    const beside = ofSheet(column, before, given, { ReasonDesc: 'other' });
    expect(beside.kind === 'invalid' ? beside.problems.join(' ') : beside.kind).toContain(
      'empty the cell Problems of the row',
    );
  });

  test('another number in a workbook is a correction', () => {
    expect(storedCell(ofSheet('Amount', '12,50', '13.00'), 'Amount')).toBe('13.00');
  });
});
