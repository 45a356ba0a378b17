import type {
  ReconciliationRecord,
  SettlementAggregate,
  SettlementDetailsResponse,
  SettlementSummaryResponse,
} from '../../../payment-core/index.js';
import { choice, component, count, listOf, object, sometimes, text, type Described } from '../described.js';
import type { Answers } from './answers.js';
import { idOf, ofEveryAnswer, stamp } from './error.js';

/** A page of records by its number. */
export interface NumberedRecords extends Omit<SettlementDetailsResponse, 'next'> {
  readonly pageNo: number;
}

const amount = (description: string) =>
  text(description, { pattern: '^-?\\d+\\.\\d{2}$', examples: ['92.00'] });
const currency = (description: string) => text(description, { pattern: '^[A-Z]{3}$', examples: ['EUR'] });
const date = text('The settlement date.', { pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-11-19'] });
const column = (name: string, more?: Readonly<Record<string, unknown>>) => text(`The column ${name}.`, more);
/** A column with a fixed set of values. */
const codes = (name: string, ...values: readonly string[]) => column(name, { enum: values });

const aggregation = component(
  'Aggregation',
  object<SettlementAggregate>('The settlement of one date in one currency.', {
    id: text('The date and the currency: the id of its records.', { examples: ['2026-11-19-EUR'] }),
    settlementDate: date,
    settlementCurrency: currency('The settlement currency.'),
    records: count('How many records have SettlementStatus SUCCESS. The amounts are sums over these.'),
    failedRecords: count('How many records have SettlementStatus FAILED.'),
    positive: amount('The sum of SettlementAmount where Cashflow is POS.'),
    negative: amount('The sum of SettlementAmount where Cashflow is NEG.'),
    net: amount('positive less negative.'),
    fees: amount('The sum of SettlementFee.'),
  }),
);

type Part<Name extends keyof ReconciliationRecord> = NonNullable<ReconciliationRecord[Name]>;

const clearingInstitute = object<Part<'clearingInstitute'>>('The clearing institute.', {
  name: column('ClearingInsitituteName'),
  merchantId: column('ClearingInstituteMerchantId'),
  txId1: sometimes(column('ConnectorTxId1')),
  txId2: sometimes(column('ConnectorTxId2')),
  txId3: sometimes(column('ConnectorTxId3')),
});

const settlement = object<Part<'settlement'>>('The settlement.', {
  cashflow: codes('Cashflow', 'POS', 'NEG'),
  id: sometimes(column('SettlementTxId')),
  amount: amount('The column SettlementAmount.'),
  currency: currency('The column SettlementCurrency.'),
  fee: sometimes(amount('The column SettlementFee.')),
  fxRate: amount('The column SettlementFxRate.'),
  date,
  status: codes('SettlementStatus', 'SUCCESS', 'FAILED'),
  format: column('SettlementFileFormat'),
});

const paymentId = object<{ readonly id: string }>('', { id: idOf('The id of the payment.') });
const last4Digits = sometimes(column('AccountNumberLast4', { maxLength: 4 }));
const holder = sometimes(column('AccountHolder'));

const matchedTransactions = object<Part<'matchedTransactions'>>('The result of matching.', {
  status: choice('The column MatchingStatus.', {
    MATCHED: 'one payment',
    MULTIPLE_MATCHES: 'several payments, of which none is chosen',
    NOT_MATCHED: 'no payment',
  }) as Described<string>,
  payment: listOf('The column MatchedTransactions.', paymentId),
});

const record = component(
  'ReconciliationRecord',
  object<ReconciliationRecord>('A settlement record in its API names. Empty columns are left out.', {
    recordType: codes('ReconciliationType', 'SETTLED', 'CHARGEBACK', 'CHARGEBACK REVERSAL', 'FEE'),
    transactionType: column('PaymentType', { examples: ['DEBIT'] }),
    merchantAccount: object<Part<'merchantAccount'>>('The merchant account.', {
      id: idOf('The column MerchantAccountId.'),
      name: sometimes(column('MerchantAccountName')),
    }),
    pspEntityId: column('PspId'),
    divisionEntityId: sometimes(column('DivisionId')),
    merchantEntityId: column('MerchantId'),
    payment: sometimes(
      object<Part<'payment'>>('The column UniqueID.', { id: idOf('The id of the payment.') }),
    ),
    clearingInstitute,
    amount: amount('The column Amount.'),
    currency: currency('The column Currency.'),
    paymentBrand: sometimes(column('Brand')),
    presentmentDate: sometimes(
      text('The column TxRequestTime, in UTC; where it is empty, the time when the file was received.', {
        examples: stamp.timestamp.schema['examples'],
      }),
    ),
    settlement,
    descriptor: sometimes(column('Descriptor')),
    card: sometimes(object<Part<'card'>>('The card, where BankCode is empty.', { last4Digits, holder })),
    bankAccount: sometimes(
      object<Part<'bankAccount'>>('The bank account, where BankCode is filled.', {
        last4Digits,
        holder,
        bankCode: column('BankCode'),
      }),
    ),
    result: sometimes(
      object<Part<'result'>>('The reason of a chargeback.', {
        code: sometimes(column('ReasonCode')),
        description: sometimes(column('ReasonDesc')),
      }),
    ),
    matchedTransactions: sometimes(matchedTransactions),
    chargebackId: sometimes(column('ChargebackId')),
    merchantTransactionId: sometimes(text('TransactionId: that of the matched payment, or its id.')),
    merchantInvoiceId: sometimes(text('InvoiceId: that of the matched payment.')),
  }),
);

const id = idOf('Identifies the request only.');
const records = listOf('The records, by date, then by SettlementTxId.', record);

const aggregations = component(
  'Aggregations',
  object<Omit<SettlementSummaryResponse, 'retryAfterSeconds'>>('Settlement by date and currency.', {
    id,
    aggregations: listOf('One for each date and currency that has records.', aggregation),
    ...ofEveryAnswer,
  }),
);

const ofAggregation = component(
  'ReconciliationRecords',
  object<Omit<SettlementDetailsResponse, 'pages' | 'retryAfterSeconds'>>(
    'The records of a date and currency.',
    {
      id,
      records,
      next: sometimes(text('The value of after for the next page; missing on the last page.')),
      ...ofEveryAnswer,
    },
  ),
);

const numbered = component(
  'NumberedReconciliationRecords',
  object<Omit<NumberedRecords, 'retryAfterSeconds'>>('A page of the records of a date and currency.', {
    id,
    records,
    pages: count('How many pages there are now.'),
    pageNo: count('The number of this page, from 1.'),
    ...ofEveryAnswer,
  }),
);

/** Sums of a range of settlement dates (catalogue 2.25): one per date and currency, empty if there are no records. */
export const aggregationsAnswers: Answers = { 200: aggregations };
/** Version 1 of the records of one date and currency: up to 500, with a cursor for the next page. */
export const recordsOfAggregationAnswers: Answers = { 200: ofAggregation };
/** Version 2 of the records of one date and currency: up to 100, with numbered pages. */
export const numberedRecordsAnswers: Answers = { 200: numbered };
