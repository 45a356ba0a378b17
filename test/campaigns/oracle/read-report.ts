import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

/** A row of a report by column. */
export type Row = Readonly<Record<string, string>>;

/** The rows of a report; none if there is no such file. */
export function readReport(file: string): Row[] {
  return existsSync(file) ? readTable(readFileSync(file, 'utf8')) : [];
}

/** The rows of a table that recon prints. */
export function readTable(text: string): Row[] {
  // With `columns`, the rows are objects of texts.
  return parse(text, { delimiter: ';', bom: true, columns: true });
}

const paymentCodes = ['AMOUNT_MISMATCH', 'CHARGEBACK_EXCEEDS_PAYMENT', 'MISSING_SETTLEMENT'];

/** What a row of a report is about, in the oracle's words. */
export function keyOf({ Code = '', PaymentId = '', File = '', Line = '' }: Row): string {
  return `${Code} ${paymentCodes.includes(Code) ? PaymentId : `${File}:${Line}`}`;
}
