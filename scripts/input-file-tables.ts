import { columns, type CellType } from '../src/settlement-file/columns.js';
import { paymentColumns } from '../src/payment-file/payment-columns.js';
import { markdownTable } from './markdown-table.js';

/**
 * The columns of a settlement file and of a payments file, for docs/input-files.md: what a cell may contain comes from
 * the definitions that check it, what it means is written here.
 */

const meanings: Readonly<Record<string, string>> = {
  ReconciliationType: 'what the row is about: see [the rows](#the-rows)',
  PaymentType: 'the kind of payment or fee',
  Cashflow: '`POS`: you receive the money; `NEG`: you pay it',
  ClearingInstituteMerchantId: 'your number at the clearing institute',
  MerchantAccountId: 'your merchant account; compared with `EntityId` of the payment',
  MerchantAccountName: 'its name',
  PspId: 'not used for matching',
  DivisionId: 'not used for matching',
  MerchantId: 'not used for matching',
  SettlementTxId:
    'the id of the settlement at the clearing institute; recognises a row that is delivered again',
  UniqueID: 'the payment: its `PaymentId`',
  ShortId: 'the payment: its `ShortId`',
  ConnectorTxId1: 'the payment: its `ConnectorTxId1`',
  ConnectorTxId2: 'the payment: its `ConnectorTxId2`',
  ConnectorTxId3: 'the payment: its `ConnectorTxId3`',
  Amount: 'the amount of the payment, never negative',
  Currency: 'the currency of the payment',
  Brand: 'such as `VISA`; compared with `PaymentBrand`',
  TxRequestTime: 'the time of the payment',
  SettlementAmount: 'what you receive or pay, in SettlementCurrency',
  SettlementCurrency: 'the currency of the settlement',
  SettlementFee: 'a fee that was deducted from SettlementAmount, or is charged beside it',
  SettlementFxRate:
    '`1.00` without a conversion: Amount × SettlementFxRate is SettlementAmount, before the fee',
  SettlementDate: 'the day of the settlement; a re-run chooses records by it',
  SettlementStatus: '`FAILED`: the money did not move',
  Descriptor: 'the text on the statement of the cardholder',
  AccountNumberLast4: 'the last four digits of the card or account',
  BankCode: 'bank code or BIC',
  AccountHolder: 'the name of the holder',
  ReasonCode: 'of a chargeback',
  ReasonDesc: 'of a chargeback',
  SettlementFileFormat: 'the name of the format, such as `STANDARD`',
  ClearingInsitituteName: 'the name of the clearing institute; also accepted as `ClearingInstituteName`',
  MatchingStatus: 'leave it empty: recon fills it',
  MatchedTransactions: 'leave it empty: recon fills it',
  ChargebackId: 'leave it empty: recon fills it',
};

const paymentMeanings: Readonly<Record<string, string>> = {
  PaymentId: 'the id of the payment, which files name in `UniqueID`',
  ShortId: 'a short id of the payment',
  PaymentType:
    '`PA` preauthorisation, `DB` debit, `CP` capture, `RF` refund, `RV` reversal, `CD` credit; only `DB`, `CP`, `RF` and `CD` are settled',
  PaymentBrand: 'such as `VISA`',
  Amount: 'never negative',
  Currency: 'the currency of the amount',
  ResultCode: 'whether the payment succeeded: see [the result](#the-result)',
  MerchantTransactionId: 'your order number; shown in reports',
  MerchantInvoiceId: 'your invoice number; shown in reports',
  EntityId: 'the merchant account that took the payment',
  ConnectorTxId1: 'a reference of the acquirer',
  ConnectorTxId2: 'a reference of the acquirer',
  ConnectorTxId3: 'a reference of the acquirer',
  AccountNumberLast4: 'the last four digits of the card or account',
  Timestamp: 'when it was made, with its offset from UTC',
  ReferencedPaymentId: 'the payment that a capture, refund or reversal belongs to',
};

/** Throws if a column was added without its meaning. */
function meaningOf(name: string, texts: Readonly<Record<string, string>>): string {
  const meaning = texts[name];
  if (meaning === undefined) throw new Error(`${name} has no meaning in scripts/input-file-tables.ts`);
  return meaning;
}

const required = (is: boolean) => (is ? 'yes' : '');

/** What a cell may contain, in the words of the table. */
function contentOf(type: CellType): string {
  switch (type.kind) {
    case 'enum':
      return type.values.map((value) => `\`${value}\``).join(', ');
    case 'text':
      return type.digits === undefined
        ? `${type.min} to ${type.max} characters`
        : `${type.min} to ${type.max} characters; exactly ${type.digits} if all are digits`;
    case 'letters':
      return `${type.min} to ${type.max} letters`;
    case 'identifier':
      return '32 letters or digits';
    case 'identifiers':
      return 'ids of 32 letters or digits, separated by commas';
    case 'amount':
      return 'up to 10 digits, a dot, 2 digits: `123.45`';
    case 'currency':
      return 'ISO 4217: `EUR`';
    case 'date':
      return '`2026-11-19`';
    case 'timestamp':
      return '`2026-11-18 10:00:05`, optionally with fraction and offset (`+0100`)';
    case 'digits and dots':
      return `${type.min} to ${type.max} digits and dots`;
  }
}

/** The generated tables of `docs/input-files.md`. */
export const inputFileTables: Readonly<Record<string, string>> = {
  'settlement columns': markdownTable(
    ['', 'column', 'required', 'content', 'meaning'],
    columns.map(({ name, required: is, type }, index) => [
      String(index + 1),
      name,
      required(is),
      contentOf(type),
      meaningOf(name, meanings),
    ]),
  ),
  'payment columns': markdownTable(
    ['column', 'required', 'content', 'meaning'],
    paymentColumns.map(({ name, required: is, rule }) => [
      name,
      required(is),
      rule.replace(/^must be /, ''),
      meaningOf(name, paymentMeanings),
    ]),
  ),
};
