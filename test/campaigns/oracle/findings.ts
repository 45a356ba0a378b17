import { writeMoney, type Payment } from './payments.js';
import type { SettlementRecord } from './records.js';

/** A discrepancy as design 4.6 describes it. */
export interface Finding {
  /** Code and subject: the record's place, or the payment's id. The same over all runs. */
  readonly key: string;
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  /** The record that it is about, or on which it is reported. */
  readonly record?: SettlementRecord;
  readonly payment?: Payment;
  readonly expected: string;
  readonly actual: string;
  readonly difference: string;
  readonly differenceCurrency: string;
  /** Hundredths, signed from the merchant's side (design 6). */
  readonly atRisk: number;
}

const warnings = [
  'ACCOUNT_MISMATCH',
  'BRAND_MISMATCH',
  'CASHFLOW_MISMATCH',
  'FX_MISMATCH',
  'CHARGEBACK_WITHOUT_REASON',
];

export const severityOf = (code: string): Finding['severity'] =>
  code === 'CLAIM_DIFFERS' ? 'info' : warnings.includes(code) ? 'warning' : 'error';

/** The currency of the money of an item: that of its record, or of its payment where the payment's money is at risk. */
export function currencyOf({ code, record, payment }: Finding): string {
  const ofPayment = code === 'CURRENCY_MISMATCH' || record === undefined;
  return (ofPayment ? payment?.currency : record.currency) ?? '';
}

/** A finding that compares two texts. */
export function textFinding(
  code: string,
  record: SettlementRecord,
  compared: { payment?: Payment | undefined; expected: string; actual: string; atRisk?: number },
): Finding {
  const { payment, expected, actual, atRisk = 0 } = compared;
  return {
    key: `${code} ${record.place}`,
    code,
    severity: severityOf(code),
    record,
    ...(payment === undefined ? {} : { payment }),
    ...{ expected, actual, difference: '', differenceCurrency: '', atRisk },
  };
}

/** A finding that compares two amounts of one currency. */
export function amountFinding(
  code: string,
  subject: { record?: SettlementRecord | undefined; payment?: Payment | undefined; ofPayment: boolean },
  compared: { expected: number; actual: number; currency: string; atRisk: number },
): Finding {
  const { record, payment, ofPayment } = subject;
  const about = ofPayment ? payment?.id : record?.place;
  return {
    key: `${code} ${about ?? ''}`,
    code,
    severity: severityOf(code),
    ...(record === undefined ? {} : { record }),
    ...(payment === undefined ? {} : { payment }),
    expected: writeMoney(compared.expected),
    actual: writeMoney(compared.actual),
    difference: writeMoney(compared.actual - compared.expected),
    differenceCurrency: compared.currency,
    atRisk: compared.atRisk,
  };
}
