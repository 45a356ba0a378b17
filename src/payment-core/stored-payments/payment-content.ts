import type { ConnectorAnswer } from '../connectors/connector.js';
import type { ParameterValues } from '../fields/parameters.js';

/** A payment as it is stored. `details` is null for imported payments and booked chargebacks. */
export interface PaymentContent extends AnsweredPayment {
  /** ISO text in UTC. */
  readonly requestedAt: string;
  readonly referencedPaymentId: string | null;
  readonly details: PaymentDetails | null;
}

/** What an answer says about a payment. */
export interface AnsweredPayment {
  readonly id: string;
  readonly shortId: string | null;
  readonly paymentType: string;
  readonly paymentBrand: string | null;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly resultCode: string;
  readonly merchantTransactionId: string | null;
  readonly merchantInvoiceId: string | null;
  readonly entityId: string | null;
  /** ConnectorTxId1 to 3 in their places; null for one that is missing. */
  readonly connectorTxIds: readonly (string | null)[];
  readonly accountNumberLast4: string | null;
  readonly details: AnsweredDetails | null;
}

/** A payment that was read. */
export interface StoredPayment extends PaymentContent {
  /** The number of its row. */
  readonly key: string;
}

/** What only a payment that the core made has; an imported one has none. */
export interface PaymentDetails extends AnsweredDetails {
  readonly connector: string;
  readonly paymentMethod: string | null;
  readonly checkoutId: string | null;
  readonly industryPractice: string | null;
  readonly numberOfCaptures: number | null;
  readonly sequence: string | null;
}

/** The details that a response shows. */
export interface AnsweredDetails {
  readonly parameters: ParameterValues;
  readonly answer: ConnectorAnswer;
  readonly registrationId: string | null;
  readonly registrationCreated: boolean;
  readonly cardBin: string | null;
  readonly cardLast4: string | null;
  readonly ndc: string;
}
