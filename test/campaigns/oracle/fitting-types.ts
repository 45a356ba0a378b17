import type { SettlementRecord } from './records.js';

/** Design 4.4 (a): the payment types that a record may settle. */
const fittingTypes: Readonly<Record<string, readonly string[]>> = {
  'SETTLED DEBIT': ['DB', 'CP'],
  'SETTLED CREDIT': ['CD'],
  'SETTLED REFUND': ['RF'],
  'FEE AUTH_FEE': ['PA', 'DB'],
  'FEE CAPTURE_FEE': ['CP', 'DB'],
  'FEE CANCEL_FEE': ['RV'],
  'FEE REFUND_FEE': ['RF'],
};

/** The types that fit a record; undefined if all do. */
export function typesFor({ type, kind }: SettlementRecord): readonly string[] | undefined {
  return type.startsWith('CHARGEBACK') ? ['DB', 'CP'] : fittingTypes[`${type} ${kind}`];
}

export function fits(record: SettlementRecord, paymentType: string): boolean {
  return typesFor(record)?.includes(paymentType) ?? true;
}
