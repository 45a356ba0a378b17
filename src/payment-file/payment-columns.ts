import {
  lostZeros,
  shortenedNumber,
  spreadsheetError,
  type CellMeaning,
} from '../damaged-input/cell-damage.js';
import { holdsInvisible } from '../damaged-input/invisible-characters.js';
import { isCalendarDate } from '../values/calendar-date.js';
import { currencyRule, isCurrency } from '../values/currencies.js';

/** One column of the payments file (design 5), and the column of `payments` that it fills. */
export interface PaymentColumn {
  readonly name: string;
  readonly stored: string;
  /** Its type in the database. */
  readonly type: 'text collate "C"' | 'bigint' | 'timestamptz';
  readonly required: boolean;
  /** The rule for a value, used in the message about an invalid one. */
  readonly rule: string;
  readonly meaning: CellMeaning;
  readonly fits: (value: string) => boolean;
}

const matching = (pattern: RegExp) => (value: string) => pattern.test(value);

/** Some valid references also begin with `#` or a digit, as damaged ones do. */
const mayBeDamaged = /^[#\d]/;
const isDamaged = (value: string) =>
  mayBeDamaged.test(value) && (shortenedNumber.test(value) || spreadsheetError.test(value));

/** A reference of up to `longest` characters, none of them a control character. */
const text = (longest: number) => {
  const shape = new RegExp(`^[^\\x00-\\x1f\\x7f-\\x9f]{1,${longest}}$`);
  return {
    rule: `must be at most ${longest} characters without control characters`,
    meaning: 'reference' as const,
    fits: (value: string) => shape.test(value) && !isDamaged(value),
  };
};

/** A reference used to match settlement records: an invisible character would prevent a match. */
const key = (longest: number) => {
  const { fits, ...content } = text(longest);
  return {
    ...content,
    rule: `must be at most ${longest} characters without control or invisible characters`,
    fits: (value: string) => fits(value) && !holdsInvisible(value),
  };
};

const identifier = {
  rule: 'must be 32 letters or digits',
  meaning: 'reference' as const,
  fits: matching(/^[0-9A-Za-z]{32}$/),
};

const paymentTypes = ['PA', 'DB', 'CD', 'CP', 'RV', 'RF'];

/** What a cell of a column may be; a text of no special meaning, unless it says otherwise. */
type CellContent = Pick<PaymentColumn, 'rule' | 'fits'> & Partial<Pick<PaymentColumn, 'meaning' | 'type'>>;

const optional = (name: string, stored: string, content: CellContent): PaymentColumn => ({
  name,
  stored,
  required: false,
  type: 'text collate "C"',
  meaning: 'other',
  ...content,
});

const required = (name: string, stored: string, content: CellContent): PaymentColumn => ({
  ...optional(name, stored, content),
  required: true,
});

/** The sixteen columns in their order. */
export const paymentColumns: readonly PaymentColumn[] = [
  required('PaymentId', 'id', identifier),
  optional('ShortId', 'short_id', key(14)),
  required('PaymentType', 'payment_type', {
    rule: `must be one of ${paymentTypes.join(', ')}`,
    fits: (value) => paymentTypes.includes(value),
  }),
  optional('PaymentBrand', 'payment_brand', {
    rule: 'must be at most 32 letters, digits or underscores',
    fits: matching(/^\w{1,32}$/),
  }),
  required('Amount', 'amount_minor', {
    type: 'bigint',
    rule: 'must be 1 to 10 digits, a dot and 2 digits',
    meaning: 'amount',
    fits: matching(/^\d{1,10}\.\d{2}$/),
  }),
  required('Currency', 'currency', { rule: currencyRule, fits: isCurrency }),
  required('ResultCode', 'result_code', {
    rule: 'must be 2 to 11 digits and dots',
    fits: matching(/^[\d.]{2,11}$/),
  }),
  optional('MerchantTransactionId', 'merchant_transaction_id', text(255)),
  optional('MerchantInvoiceId', 'merchant_invoice_id', text(255)),
  optional('EntityId', 'entity_id', identifier),
  optional('ConnectorTxId1', 'connector_tx_id1', key(128)),
  optional('ConnectorTxId2', 'connector_tx_id2', key(128)),
  optional('ConnectorTxId3', 'connector_tx_id3', key(128)),
  optional('AccountNumberLast4', 'account_number_last4', {
    rule: 'must be at most 4 letters or digits, and four when all are digits',
    meaning: 'last four',
    fits: (value) => /^[0-9A-Za-z]{1,4}$/.test(value) && !lostZeros.test(value),
  }),
  required('Timestamp', 'requested_at', {
    type: 'timestamptz',
    rule: 'must be a time such as 2026-11-15 10:30:00+0000',
    meaning: 'timestamp',
    fits: isMoment,
  }),
  optional('ReferencedPaymentId', 'referenced_payment_id', identifier),
];

/** The place of the one column that is stored as a number of hundredths. */
export const amountIndex = paymentColumns.findIndex(({ type }) => type === 'bigint');

/** The columns of `payments` that a file fills, in its order. */
export const storedPaymentColumns = paymentColumns.map(({ stored }) => stored).join(', ');

const momentShape =
  /^\d{4}-\d{2}-\d{2} (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)$/;

/** `yyyy-MM-dd HH:mm:ss` with a zone offset, on an existing day. */
function isMoment(value: string): boolean {
  return momentShape.test(value) && isCalendarDate(value.slice(0, 10));
}

/** The SQL expression for a stored column in the format of the file. */
export function writtenValue(stored: string, alias: string): string {
  const column = `${alias}.${stored}`;
  if (stored === 'amount_minor') return `(${column} / 100) || '.' || lpad((${column} % 100)::text, 2, '0')`;
  if (stored !== 'requested_at') return column;
  // Show the fraction of a second only when there is one.
  const time = `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')`;
  return `rtrim(rtrim(${time}, '0'), '.') || '+0000'`;
}
