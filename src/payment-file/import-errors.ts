import path from 'node:path';
import { ReconError } from '../errors.js';
import type { LineIssue } from './check-payment-row.js';
import type { PaymentChange, PaymentChanges } from './payment-changes.js';

/** What an import says about a file that it stores nothing from. */

/** How many values a message names. */
const valuesNamed = 20;

/** The file contradicts stored payments; the message names the first of the values. */
export function contradiction(file: string, { values, listed }: PaymentChanges): ReconError {
  const named = listed.filter(({ kind }) => kind === 'CONTRADICTION').slice(0, valuesNamed);
  const count = values.CONTRADICTION;
  const differ = count === 1 ? '1 value differs' : `${count} values differ`;
  const more = count > named.length ? [`… and ${count - named.length} more`] : [];
  return new ReconError(
    'PAYMENTS_CONTRADICTION',
    [
      `${path.basename(file)}: ${differ} from the stored payments; nothing was stored.`,
      ...named.map(describeChange),
      ...more,
    ].join('\n  '),
  );
}

/** `line 3, payment 8ac7…, Amount: stored 150.51, given 999.99` */
export function describeChange({ line, paymentId, column, stored, given }: PaymentChange): string {
  return `line ${line}, payment ${paymentId}, ${column}: stored ${stored ?? 'nothing'}, given ${given}`;
}

/**
 * Lines of the file are invalid.
 *
 * @param issues those that the message names
 * @param count how many lines are invalid
 * @param read how many lines have payments
 */
export function invalid(file: string, issues: readonly LineIssue[], count: number, read: number): ReconError {
  const named = issues.map(({ line, column, message }) =>
    column === '' ? `line ${line}: ${message}` : `line ${line}, ${column}: ${message}`,
  );
  const lines = count === 1 ? '1 line is' : `${count} lines are`;
  const left = count - new Set(issues.map(({ line }) => line)).size;
  const more = left > 0 ? [`… and ${left} more ${left === 1 ? 'line' : 'lines'}`] : [];
  return new ReconError(
    'PAYMENTS_FILE_INVALID',
    [
      `${path.basename(file)}: ${lines} invalid (of ${read} with payments); nothing was stored.`,
      ...named,
      ...more,
    ].join('\n  '),
  );
}
