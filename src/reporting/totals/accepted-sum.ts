import type { FileId } from '../../values/ids.js';

/** One group of the accepted rows of one file, summed in the database. */
export interface AcceptedSum {
  file_id: FileId;
  merchant_account_id: string;
  settlement_currency: string;
  reconciliation_type: string;
  cashflow: string;
  currency: string;
  settlement_status: string;
  settlement_date: string;
  payment_type: string;
  /** See `feePlace`. */
  fee_place: number;
  known: boolean;
  /** The numbers of the lines, added up. */
  lines: number;
  /** Whether these records count in totals: each record once, and none that was withdrawn or replaced (design 4.8). */
  counted: boolean;
  count: number;
  /** Hundredths, as text: a sum of bigints is a numeric, which may exceed a bigint. */
  settlement_amount: string;
  amount: string;
  settlement_fee: string;
}

/** A file whose rows are summed. */
export interface SummedFile {
  readonly id: FileId;
  readonly source: string;
  readonly name: string;
  readonly sha256: string;
  /** The name of its reconciled file; two files may have the same name. */
  readonly reconciledName: string;
  /** How many of its rows came in an earlier file. */
  readonly rowsAlreadyKnown: number;
}
