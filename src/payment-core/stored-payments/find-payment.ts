import type { Sql, Tx } from '../../db/client.js';
import { requireConnection } from '../../db/require-connection.js';
import type { PaymentKey } from '../../values/ids.js';

/**
 * The facts of a stored payment, capture, reversal, refund or chargeback: the fields of a payments file, which
 * matching reads. They exist for every payment, whether imported or made by the core. `StoredPayment` is the core's
 * own view, with the details of processing.
 */
export interface PaymentFacts {
  /** The number of its row in this database. */
  readonly key: PaymentKey;
  /** The id of the payment, which column UniqueID of a settlement file names. */
  readonly id: string;
  /** Up to 14 characters, which column ShortId of a settlement file names; null of an imported payment without one. */
  readonly shortId: string | null;
  /** PA, DB, CD, CP, RV, RF, CB or CR. */
  readonly paymentType: string;
  /** Null where neither the request nor the file of payments had one. */
  readonly paymentBrand: string | null;
  /** Integer hundredths. */
  readonly amountMinor: bigint;
  /** A code of ISO 4217. */
  readonly currency: string;
  /** The code of the gateway, such as 000.100.110 (operations 7.2). */
  readonly resultCode: string;
  /** What `resultCode` means. */
  readonly outcome: 'SUCCESS' | 'PENDING' | 'FAILED';
  /** The merchant's reference: TransactionId of a reconciliation record. */
  readonly merchantTransactionId: string | null;
  /** The merchant's invoice: InvoiceId of a reconciliation record. */
  readonly merchantInvoiceId: string | null;
  /** The merchant account; null of an imported payment without one. */
  readonly entityId: string | null;
  /** The acquirer's references, which settlement files name too. */
  readonly connectorTxId1: string | null;
  readonly connectorTxId2: string | null;
  readonly connectorTxId3: string | null;
  /** The last four digits of the card or account; null if unknown. */
  readonly accountNumberLast4: string | null;
  /** `yyyy-MM-dd HH:mm:ss[.ffffff]+00`. */
  readonly requestedAt: string;
  /** The payment that a capture, reversal, refund or chargeback is about. */
  readonly referencedPaymentId: string | null;
}

/**
 * The stored payment of this id; undefined when it does not exist. Its moment is read as a text, because the client may
 * be that of a program, which reads timestamps as dates, in a session with another time zone and DateStyle.
 */
export async function findPayment(sql: Sql | Tx, id: string): Promise<PaymentFacts | undefined> {
  requireConnection('findPayment', 'sql or tx', sql);
  const [found] = await sql<PaymentFacts[]>`
    select key, id, short_id as "shortId", payment_type as "paymentType", payment_brand as "paymentBrand",
      amount_minor as "amountMinor", currency, result_code as "resultCode", outcome,
      merchant_transaction_id as "merchantTransactionId", merchant_invoice_id as "merchantInvoiceId",
      entity_id as "entityId", connector_tx_id1 as "connectorTxId1", connector_tx_id2 as "connectorTxId2",
      connector_tx_id3 as "connectorTxId3", account_number_last4 as "accountNumberLast4",
      to_char(requested_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')
        || rtrim(to_char(requested_at, '.US'), '.0') || '+00' as "requestedAt",
      referenced_payment_id as "referencedPaymentId"
    from payments where id = ${id}`;
  return found;
}
