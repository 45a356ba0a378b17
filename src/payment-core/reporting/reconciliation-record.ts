import { writeAmount } from '../values/amounts.js';
import { responseTimestamp } from '../values/moments.js';
import type { FileId } from '../../values/ids.js';

/** A reconciliation record in its API names (catalogue 2.27). Empty columns are left out. */
export interface ReconciliationRecord {
  /** ReconciliationType: SETTLED, CHARGEBACK, CHARGEBACK REVERSAL or FEE. */
  readonly recordType: string;
  /** PaymentType, such as DEBIT or REFUND. */
  readonly transactionType: string;
  /** MerchantAccountId and MerchantAccountName. */
  readonly merchantAccount: { readonly id: string; readonly name?: string };
  /** PspId, 32 letters or digits. */
  readonly pspEntityId: string;
  /** DivisionId, 32 letters or digits. */
  readonly divisionEntityId?: string;
  /** MerchantId, 32 letters or digits. */
  readonly merchantEntityId: string;
  /** UniqueID: the payment that the sender names, whether it is stored or not. */
  readonly payment?: { readonly id: string };
  /** ClearingInsitituteName, ClearingInstituteMerchantId, and its references of the transaction. */
  readonly clearingInstitute: {
    readonly name: string;
    readonly merchantId: string;
    /** ConnectorTxId1 to 3. */
    readonly txId1?: string;
    readonly txId2?: string;
    readonly txId3?: string;
  };
  /** Two decimals, as all amounts. */
  readonly amount: string;
  /** Of `amount`: a code of ISO 4217. */
  readonly currency: string;
  /** Brand, as the file spells it. */
  readonly paymentBrand?: string;
  /** TxRequestTime, or the time when the file was received if it is empty, as in the reconciled file. */
  readonly presentmentDate?: string;
  /** Columns 20 to 25 with Cashflow, SettlementTxId and SettlementFileFormat: what moved, and when. */
  readonly settlement: {
    /** POS or NEG. */
    readonly cashflow: string;
    /** SettlementTxId. */
    readonly id?: string;
    readonly amount: string;
    readonly currency: string;
    /** SettlementFee, in the settlement currency. */
    readonly fee?: string;
    /** Two decimals. */
    readonly fxRate: string;
    /** `yyyy-MM-dd`. */
    readonly date: string;
    /** SUCCESS or FAILED. */
    readonly status: string;
    /** SettlementFileFormat. */
    readonly format: string;
  };
  /** What the statement of the shopper shows, up to 128 characters. */
  readonly descriptor?: string;
  /** The account, unless it has a bank code. */
  readonly card?: { readonly last4Digits?: string; readonly holder?: string };
  /** The account, if it has a bank code. */
  readonly bankAccount?: {
    readonly last4Digits?: string;
    readonly holder?: string;
    readonly bankCode: string;
  };
  /** ReasonCode and ReasonDesc of a chargeback. */
  readonly result?: { readonly code?: string; readonly description?: string };
  /** Missing for a record that is not matched at all, and before its first run. */
  readonly matchedTransactions?: {
    /** MATCHED, MULTIPLE_MATCHES or NOT_MATCHED. */
    readonly status: string;
    /** The payment, or all candidates. */
    readonly payment: readonly { readonly id: string }[];
  };
  /** Of a chargeback record and its reversal, once they are matched. */
  readonly chargebackId?: string;
  /** TransactionId: of the matched payment, or its id if the merchant gave none or it is another entity's. */
  readonly merchantTransactionId?: string;
  /** InvoiceId: of the matched payment, unless it is another entity's. */
  readonly merchantInvoiceId?: string;
}

/** A record with its matching result, as the statement in `settlement-details.ts` selects it. */
export interface RecordRow {
  readonly fileId: FileId;
  readonly line: number;
  readonly reconciliationType: string;
  readonly paymentType: string;
  readonly cashflow: string;
  readonly clearingInstituteMerchantId: string;
  readonly merchantAccountId: string;
  readonly merchantAccountName: string | null;
  readonly pspId: string;
  readonly divisionId: string | null;
  readonly merchantId: string;
  readonly settlementTxId: string | null;
  readonly uniqueId: string | null;
  readonly connectorTxId1: string | null;
  readonly connectorTxId2: string | null;
  readonly connectorTxId3: string | null;
  readonly amountMinor: string;
  readonly currency: string;
  readonly brand: string | null;
  readonly presentmentMs: string | null;
  readonly settlementAmountMinor: string;
  readonly settlementCurrency: string;
  readonly settlementFeeMinor: string | null;
  readonly fxRateHundredths: string;
  readonly settlementDate: string;
  readonly settlementStatus: string;
  readonly descriptor: string | null;
  readonly accountNumberLast4: string | null;
  readonly bankCode: string | null;
  readonly accountHolder: string | null;
  readonly reasonCode: string | null;
  readonly reasonDesc: string | null;
  readonly format: string;
  readonly clearingInstituteName: string;
  readonly matchingStatus: string | null;
  readonly matchedIds: readonly string[] | null;
  readonly chargebackId: string | null;
  readonly transactionId: string | null;
  readonly invoiceId: string | null;
}

/** The record in its API names. With a bank code the account is a bank account, otherwise a card. */
export function reconciliationRecord(row: RecordRow): ReconciliationRecord {
  const holder = present({ last4Digits: row.accountNumberLast4, holder: row.accountHolder });
  const result = present({ code: row.reasonCode, description: row.reasonDesc });
  const isMatchable = row.matchingStatus !== null && row.matchingStatus !== 'NOT_APPLICABLE';
  return {
    recordType: row.reconciliationType,
    transactionType: row.paymentType,
    merchantAccount: { id: row.merchantAccountId, ...present({ name: row.merchantAccountName }) },
    pspEntityId: row.pspId,
    ...present({ divisionEntityId: row.divisionId }),
    merchantEntityId: row.merchantId,
    ...(row.uniqueId === null ? {} : { payment: { id: row.uniqueId } }),
    clearingInstitute: {
      name: row.clearingInstituteName,
      merchantId: row.clearingInstituteMerchantId,
      ...present({ txId1: row.connectorTxId1, txId2: row.connectorTxId2, txId3: row.connectorTxId3 }),
    },
    amount: writeAmount(BigInt(row.amountMinor)),
    currency: row.currency,
    ...present({ paymentBrand: row.brand }),
    ...(row.presentmentMs === null ? {} : { presentmentDate: responseTimestamp(Number(row.presentmentMs)) }),
    settlement: {
      cashflow: row.cashflow,
      ...present({ id: row.settlementTxId }),
      amount: writeAmount(BigInt(row.settlementAmountMinor)),
      currency: row.settlementCurrency,
      ...(row.settlementFeeMinor === null ? {} : { fee: writeAmount(BigInt(row.settlementFeeMinor)) }),
      fxRate: writeAmount(BigInt(row.fxRateHundredths)),
      date: row.settlementDate,
      status: row.settlementStatus,
      format: row.format,
    },
    ...present({ descriptor: row.descriptor }),
    ...(row.bankCode === null
      ? filled('card', holder)
      : { bankAccount: { ...holder, bankCode: row.bankCode } }),
    ...filled('result', result),
    ...(isMatchable
      ? {
          matchedTransactions: {
            status: row.matchingStatus,
            payment: (row.matchedIds ?? []).map((id) => ({ id })),
          },
        }
      : {}),
    ...present({
      chargebackId: row.chargebackId,
      merchantTransactionId: row.transactionId,
      merchantInvoiceId: row.invoiceId,
    }),
  };
}

/** The members that have a value. */
function present<Name extends string>(
  members: Readonly<Record<Name, string | null>>,
): Partial<Record<Name, string>> {
  const entries = Object.entries<string | null>(members).filter(([, value]) => value !== null);
  // The names are those of `members`.
  return Object.fromEntries(entries) as Partial<Record<Name, string>>;
}

/** A structure, unless it is empty. */
function filled<Name extends string, Structure extends object>(
  name: Name,
  structure: Structure,
): Partial<Record<Name, Structure>> {
  // A computed name widens to an index signature.
  return Object.keys(structure).length === 0 ? {} : ({ [name]: structure } as Record<Name, Structure>);
}
