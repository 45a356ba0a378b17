import { nullMark, valuesOfRow } from '../values/row-texts.js';
import type { Item } from './open-item.js';

/*
 * Items as texts (`src/values/row-texts.ts`). For a list of 63,000 items, the driver's rows of 36 values took half of
 * the processor time of this process; one text per item takes a quarter of that.
 */

/** What a field of an item is. All are sent as texts. */
type FieldKind = 'text' | 'amount' | 'count' | 'flag';

/** What nobody can choose. */
const bareFields = {
  lapsed: 'flag',
  pending: 'flag',
  amountMinor: 'amount',
  atRiskMinor: 'amount',
  ageDays: 'count',
  line: 'count',
  firstSeenRun: 'count',
  since: 'text',
  date: 'text',
  until: 'text',
  decidedOn: 'text',
} as const satisfies Partial<Record<keyof Item, FieldKind>>;

const identifiers = {
  discrepancyId: 'text',
  code: 'text',
  severity: 'text',
  status: 'text',
  currency: 'text',
  merchantAccountId: 'text',
  paymentType: 'text',
  decision: 'text',
  linkTo: 'text',
  suggestedLink: 'text',
  paymentId: 'text',
  file: 'text',
  basis: 'text',
  source: 'text',
  settlementTxId: 'text',
  clearingInstitute: 'text',
  merchantTransactionId: 'text',
  pattern: 'text',
} as const satisfies Partial<Record<keyof Item, FieldKind>>;

/** What people or senders wrote. */
const freeTexts = {
  message: 'text',
  assignee: 'text',
  reason: 'text',
  note: 'text',
  decidedBy: 'text',
  expected: 'text',
  actual: 'text',
} as const satisfies Partial<Record<keyof Item, FieldKind>>;

/** In the order of an item's text. A line looks for what has to be escaped only in the texts (`row-lines.ts`). */
const fields: Readonly<Record<keyof Item, FieldKind>> = { ...bareFields, ...identifiers, ...freeTexts };

/** The fields of an item in the order of its text. */
export const itemFields = Object.keys(fields) as readonly (keyof Item)[];

/** How many of them stand first and last, and what stands for null: the `RowForm` of `row-lines.ts`. */
export const itemForm = {
  bare: Object.keys(bareFields).length,
  free: Object.keys(freeTexts).length,
  nullText: nullMark,
};

/** An item with the text that it came as. Its fields are read by name; a copy with `...` would have none of them. */
export type TextItem = Item & {
  readonly text: string;
  /** Of the fields, in the order of {@link itemFields}. */
  readonly values: readonly string[];
};

/**
 * The item of a text that has its fields in this order. A field is converted when it is read: most readers need few of
 * them, and an object of 36 values took 2.6 of the 3.6 µs of an item.
 */
export function itemOfText(text: string): TextItem {
  // The fields are defined below, one for each name of `Item`.
  return new ItemOfText(text, valuesOfRow(text)) as unknown as TextItem;
}

/** The item of the values of a text. */
export function itemOfValues(values: readonly string[]): Item {
  return new ItemOfText('', values) as unknown as Item;
}

class ItemOfText {
  readonly text: string;
  readonly values: readonly string[];

  constructor(text: string, values: readonly string[]) {
    this.text = text;
    this.values = values;
  }
}

const valueOf = {
  text: (text: string) => text,
  amount: BigInt,
  count: Number,
  flag: (text: string) => text === 'true',
} as const;

for (const [index, [name, kind]] of Object.entries(fields).entries()) {
  const convert = valueOf[kind];
  Object.defineProperty(ItemOfText.prototype, name, {
    get(this: ItemOfText) {
      const value = this.values[index] ?? nullMark;
      return value === nullMark ? null : convert(value);
    },
  });
}
