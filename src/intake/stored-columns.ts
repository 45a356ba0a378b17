import { columns } from '../settlement-file/columns.js';

/**
 * The columns of `settlement_records` in the order of COPY input: file id, line, fingerprint, occurrence and the 36 of
 * the file. A test compares them with the declared schema, which is not loaded here: its library would take a tenth of
 * the time in which a run starts.
 */
export const storedRecordColumns: readonly string[] = [
  'file_id',
  'line',
  'fingerprint',
  'occurrence',
  'reconciliation_type',
  'payment_type',
  'cashflow',
  'clearing_institute_merchant_id',
  'merchant_account_id',
  'merchant_account_name',
  'psp_id',
  'division_id',
  'merchant_id',
  'settlement_tx_id',
  'unique_id',
  'short_id',
  'connector_tx_id1',
  'connector_tx_id2',
  'connector_tx_id3',
  'amount_minor',
  'currency',
  'brand',
  'tx_request_time',
  'settlement_amount_minor',
  'settlement_currency',
  'settlement_fee_minor',
  'settlement_fx_rate_hundredths',
  'settlement_date',
  'settlement_status',
  'descriptor',
  'account_number_last4',
  'bank_code',
  'account_holder',
  'reason_code',
  'reason_desc',
  'settlement_file_format',
  'clearing_institute_name',
  'claimed_matching_status',
  'claimed_matched_transactions',
  'claimed_chargeback_id',
];

if (storedRecordColumns.length !== 4 + columns.length)
  throw new Error('settlement_records does not fit the 36 columns');

/** The table that records are copied into. */
export interface CopyTable {
  readonly name: string;
  /** Whether it is created for one file, shared with other files, or a staging table. */
  readonly kind: 'own' | 'shared' | 'staging';
}

/**
 * COPY of records into their table or a staging table of the same columns. Uses the text format, which the server
 * parses a fifth faster than CSV (`npm run bench`); an empty cell is null.
 *
 * Rows of a table of one file, which was created in the same transaction and savepoint, are written as frozen, so later
 * readers need not mark each page as committed. Once committed, every snapshot sees them, even an older one; readers of
 * records therefore check the state of the file, which older snapshots do not see.
 */
export function copyStatement({ name, kind }: CopyTable): string {
  const options = `format text, delimiter ';', null ''${kind === 'own' ? ', freeze' : ''}`;
  return `copy ${name} (${storedRecordColumns.join(', ')}) from stdin (${options})`;
}

/** A cell as this COPY expects it: an ordinary one is left as it is. */
export function copyCell(cell: string): string {
  return /[\\;\n\r]/.test(cell)
    ? cell.replace(/[\\;]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
    : cell;
}
