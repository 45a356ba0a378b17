import { nullMark, valuesOfRow } from '../values/row-texts.js';
import type { Item } from './open-item.js';

/*
 * Items as texts (`src/values/row-texts.ts`). For a list of 63,000 items, the driver's rows of 36 values took half of
 * the processor time of this process; one text per item takes a quarter of that.
 */

/** What each field of an item is. All travel as texts. */
const fields: Readonly<Record<keyof Item, 'text' | 'amount' | 'count' | 'flag'>> = {
  discrepancyId: 'text',
  code: 'text',
  severity: 'text',
  status: 'text',
  lapsed: 'flag',
  pending: 'flag',
  amountMinor: 'amount',
  atRiskMinor: 'amount',
  currency: 'text',
  since: 'text',
  ageDays: 'count',
  message: 'text',
  merchantAccountId: 'text',
  paymentType: 'text',
  date: 'text',
  decision: 'text',
  until: 'text',
  linkTo: 'text',
  assignee: 'text',
  reason: 'text',
  note: 'text',
  decidedBy: 'text',
  decidedOn: 'text',
  suggestedLink: 'text',
  paymentId: 'text',
  file: 'text',
  line: 'count',
  basis: 'text',
  source: 'text',
  settlementTxId: 'text',
  clearingInstitute: 'text',
  merchantTransactionId: 'text',
  expected: 'text',
  actual: 'text',
  pattern: 'text',
  firstSeenRun: 'count',
};
const kinds = Object.entries(fields);

/** The fields of an item in the order of its text. */
export const itemFields: readonly string[] = Object.keys(fields);

/** The item of a text that has its fields in this order. */
export function itemOfText(text: string): Item {
  const values = valuesOfRow(text);
  const item: Record<string, unknown> = {};
  for (let index = 0; index < kinds.length; index += 1) {
    const [name, kind] = kinds[index] ?? ['', 'text'];
    const value = values[index] ?? nullMark;
    item[name] = value === nullMark ? null : kind === 'text' ? value : valueOf[kind](value);
  }
  // Each field has the value of the column of its name, as in a row of the driver.
  return item as unknown as Item;
}

const valueOf = { amount: BigInt, count: Number, flag: (text: string) => text === 'true' } as const;
