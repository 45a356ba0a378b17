/**
 * The 36 columns of a settlement file (gateway field catalogue 2.27), defined once. The header, the validation (zod
 * and the fast check alike), the stored columns and what is masked all derive from this list.
 */

/** What a filled cell may contain. Lengths are in characters (code points). */
export type CellType =
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  /**
   * AN: any characters. `free` marks free text, in which card numbers are masked; all others are references. `digits`
   * is the required length of a value of digits only.
   */
  | {
      readonly kind: 'text';
      readonly min: number;
      readonly max: number;
      readonly free: boolean;
      readonly digits?: number;
    }
  /** A: ASCII letters. */
  | { readonly kind: 'letters'; readonly min: number; readonly max: number }
  /** Exactly 32 ASCII letters or digits. */
  | { readonly kind: 'identifier' }
  /** One or more identifiers, separated by commas. */
  | { readonly kind: 'identifiers' }
  /** N13: 1-10 digits, a dot, 2 digits. */
  | { readonly kind: 'amount' }
  /** ISO 4217. */
  | { readonly kind: 'currency' }
  /** A calendar day, `yyyy-MM-dd`. */
  | { readonly kind: 'date' }
  /** `yyyy-MM-dd HH:mm:ss`, optionally with fraction and zone offset. */
  | { readonly kind: 'timestamp' }
  | { readonly kind: 'digits and dots'; readonly min: number; readonly max: number };

/** A column of the settlement file (catalogue 2.27). */
export interface Column {
  /** As in the header. */
  readonly name: string;
  readonly required: boolean;
  readonly type: CellType;
  /**
   * `record` cells are the record's identity; `outcome` cells are filled by recon, though a sender may fill them too.
   */
  readonly section: 'record' | 'outcome';
}

const reconciliationTypes = ['SETTLED', 'CHARGEBACK', 'CHARGEBACK REVERSAL', 'FEE'];
const paymentTypes = [
  ...['DEBIT', 'CREDIT', 'REFUND', 'BATCH', 'MONTHLY', 'SUBMERCHANT', 'PAYMENT_FACILITATOR'],
  ...['AUTH_FEE', 'CAPTURE_FEE', 'CANCEL_FEE', 'REFUND_FEE'],
];
const matchingStatuses = ['MATCHED', 'MULTIPLE_MATCHES', 'NOT_MATCHED'];

const oneOf = (values: readonly string[]): CellType => ({ kind: 'enum', values });
const text = (max: number, min = 1): CellType => ({ kind: 'text', min, max, free: false });
const freeText = (max: number): CellType => ({ kind: 'text', min: 1, max, free: true });
const identifier: CellType = { kind: 'identifier' };
const amount: CellType = { kind: 'amount' };
const currency: CellType = { kind: 'currency' };

type Requirement = 'required' | 'optional';

function record(name: string, requirement: Requirement, type: CellType): Column {
  return { name, required: requirement === 'required', type, section: 'record' };
}

function outcome(name: string, type: CellType): Column {
  return { name, required: false, type, section: 'outcome' };
}

/** The 36 columns in their order. */
export const columns: readonly Column[] = [
  record('ReconciliationType', 'required', oneOf(reconciliationTypes)),
  record('PaymentType', 'required', oneOf(paymentTypes)),
  record('Cashflow', 'required', oneOf(['POS', 'NEG'])),
  record('ClearingInstituteMerchantId', 'required', text(64, 5)),
  record('MerchantAccountId', 'required', identifier),
  record('MerchantAccountName', 'optional', freeText(32)),
  record('PspId', 'required', identifier),
  record('DivisionId', 'optional', identifier),
  record('MerchantId', 'required', identifier),
  record('SettlementTxId', 'optional', text(64)),
  record('UniqueID', 'optional', identifier),
  record('ShortId', 'optional', text(14)),
  record('ConnectorTxId1', 'optional', text(64)),
  record('ConnectorTxId2', 'optional', text(64)),
  record('ConnectorTxId3', 'optional', text(64)),
  record('Amount', 'required', amount),
  record('Currency', 'required', currency),
  record('Brand', 'optional', { kind: 'letters', min: 1, max: 16 }),
  record('TxRequestTime', 'optional', { kind: 'timestamp' }),
  record('SettlementAmount', 'required', amount),
  record('SettlementCurrency', 'required', currency),
  record('SettlementFee', 'optional', amount),
  record('SettlementFxRate', 'required', amount),
  record('SettlementDate', 'required', { kind: 'date' }),
  record('SettlementStatus', 'required', oneOf(['SUCCESS', 'FAILED'])),
  record('Descriptor', 'optional', freeText(128)),
  record('AccountNumberLast4', 'optional', {
    kind: 'text',
    min: 1,
    max: 4,
    free: false,
    digits: 4,
  }),
  record('BankCode', 'optional', text(12)),
  record('AccountHolder', 'optional', freeText(128)),
  record('ReasonCode', 'optional', { kind: 'digits and dots', min: 2, max: 11 }),
  record('ReasonDesc', 'optional', freeText(128)),
  record('SettlementFileFormat', 'required', freeText(32)),
  // The spelling of the catalogue.
  record('ClearingInsitituteName', 'required', freeText(64)),
  outcome('MatchingStatus', oneOf(matchingStatuses)),
  outcome('MatchedTransactions', { kind: 'identifiers' }),
  outcome('ChargebackId', identifier),
];

/** Other spellings of a header name that are accepted. */
export const acceptedSpellings: ReadonlyMap<string, string> = new Map([
  ['ClearingInsitituteName', 'ClearingInstituteName'],
]);

/** How many leading cells make a record's identity: 33. */
export const recordColumnCount = columns.filter((column) => column.section === 'record').length;

/** The header line that recon writes, without line ending. */
export const headerLine = columns.map((column) => column.name).join(';');

/** The position of a column, 0-based. */
export function columnIndex(name: string): number {
  const index = columns.findIndex((column) => column.name === name);
  if (index === -1) throw new Error(`no column is called ${name}`);
  return index;
}

/** The longest record accepted, in bytes without its line ending. */
export const maximumRecordBytes = 1024 * 1024;
