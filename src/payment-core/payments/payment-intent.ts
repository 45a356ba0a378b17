import type { Parameters } from '../fields/parameters.js';
import type { ConnectorRequest } from '../connectors/connector.js';
import type { StoredPayment } from './stored-payment.js';

/** A payment that may be made: all checks are behind it, the connector is asked next. */
export interface PaymentIntent {
  readonly paymentType: ConnectorRequest['paymentType'];
  readonly amountMinor: bigint;
  readonly currency: string;
  /** The request's, secrets included; a registration's instrument is filled in. */
  readonly parameters: Parameters;
  /** The payment that is captured, reversed, refunded or followed up. */
  readonly referenced: StoredPayment | null;
  /** The registration it is paid with. */
  readonly registration: { readonly id: string; readonly initialTransactionId: string | null } | null;
  readonly checkoutId: string | null;
}
