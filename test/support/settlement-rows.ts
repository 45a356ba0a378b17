import { columns, headerLine } from '../../src/settlement-file/columns.js';
import { writeCells } from '../../src/settlement-file/write-row.js';

/**
 * The builder of settlement rows for tests, fixtures and stories: a row is ordinary unless a test says otherwise, so
 * that each test shows only the cells that it is about.
 */

/** Cells by column name. */
export type Cells = Readonly<Record<string, string>>;

/** The merchant account of every ordinary payment and row. */
export const account = '8a8294174b7ecb28014b9699220015ca';

/** Payment ids that a reader can distinguish: `paymentId(7)` ends in 07. */
export const paymentId = (number: number) => `8ac7a4a1${number.toString().padStart(24, '0')}`;

/** `p1` → `p1000…`: 32 letters and digits that remain readable. */
export const id32 = (short: string) => short.padEnd(32, '0');

const ordinary: Cells = {
  ReconciliationType: 'SETTLED',
  PaymentType: 'DEBIT',
  Cashflow: 'POS',
  ClearingInstituteMerchantId: 'CI-4711',
  MerchantAccountId: account,
  MerchantAccountName: 'Example Shop',
  PspId: '8a8294184e542a5c014e691d33f808c8',
  MerchantId: '8a8294184e542a5c014e691d340708cc',
  Amount: '100.00',
  Currency: 'EUR',
  Brand: 'VISA',
  TxRequestTime: '2026-11-18 10:00:05',
  SettlementCurrency: 'EUR',
  SettlementFxRate: '1.00',
  SettlementDate: '2026-11-19',
  SettlementStatus: 'SUCCESS',
  Descriptor: 'EXAMPLE SHOP*ORDER',
  AccountNumberLast4: '1111',
  SettlementFileFormat: 'STANDARD',
  ClearingInsitituteName: 'Example Acquirer',
};

/**
 * The cells of a valid row: a settled card debit of 100.00 EUR on 2026-11-19, without a reference to a payment, with
 * some cells changed. The settled amount is the amount of the row unless it is given.
 */
export function settlementRow(changes: Cells = {}): Cells {
  const unknown = Object.keys(changes).filter((name) => !columns.some((column) => column.name === name));
  if (unknown.length > 0) throw new Error(`no such column: ${unknown.join(', ')}`);
  const cells = { ...ordinary, ...changes };
  return { SettlementAmount: cells['Amount'] ?? '', ...cells };
}

/** The 36 cells of a row in the order of the file. */
export const cellsInOrder = (row: Cells): string[] => columns.map((column) => row[column.name] ?? '');

/** A row as a line without line ending, quoted where it must be. */
export const lineOf = (row: Cells): string => writeCells(cellsInOrder(row));

/** A file of the header and these rows, each line ended by LF. */
export const fileOfRows = (rows: readonly Cells[]): string =>
  [headerLine, ...rows.map(lineOf)].map((line) => `${line}\n`).join('');

/** The columns of `settlement_records` that are not named after the column of the file. */
const storedNames: Cells = {
  UniqueID: 'unique_id',
  ClearingInsitituteName: 'clearing_institute_name',
  SettlementFxRate: 'settlement_fx_rate_hundredths',
  MatchingStatus: 'claimed_matching_status',
  MatchedTransactions: 'claimed_matched_transactions',
  ChargebackId: 'claimed_chargeback_id',
};

/** A row as it is stored: amounts in hundredths, empty cells null. The test states what identifies the record. */
export function storedCells(row: Cells): Record<string, string | null> {
  return Object.fromEntries(
    columns.map(({ name, type }) => {
      const cell = row[name] ?? '';
      const snake = name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
      const stored = storedNames[name] ?? (type.kind === 'amount' ? `${snake}_minor` : snake);
      const value = type.kind === 'amount' ? cell.replace('.', '') : cell;
      return [stored, value === '' ? null : value];
    }),
  );
}
