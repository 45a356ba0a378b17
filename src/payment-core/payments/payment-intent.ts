import type { ParameterValues } from '../fields/parameters.js';
import type { ConnectorRequest } from '../connectors/connector.js';
import type { StoredPayment } from '../stored-payments/payment-content.js';

/** A payment that passed all checks. The next step is the connector. */
export interface PaymentIntent {
  readonly paymentType: ConnectorRequest['paymentType'];
  readonly amountMinor: bigint;
  readonly currency: string;
  /** The parameters of the request, secrets included. A registration's instrument is filled in. */
  readonly parameters: ParameterValues;
  /** The payment to capture, reverse, refund or follow up. */
  readonly referenced: StoredPayment | null;
  /** The registration that pays. */
  readonly registration: { readonly id: string; readonly initialTransactionId: string | null } | null;
  readonly checkoutId: string | null;
}
