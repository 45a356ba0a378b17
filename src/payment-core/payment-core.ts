import type { Writable } from 'node:stream';
import type { ImportOptions, PaymentsImported } from '../payment-file/import-payments.js';
import type { ChargebackBooking } from './chargebacks/booking-rows.js';
import type { CheckoutPayment } from './checkouts/pay-checkout.js';
import type { CheckoutResponse } from './checkouts/checkout-response.js';
import type { Caller } from './core/core-context.js';
import type { Parameters } from './fields/parameter-names.js';
import type { PaymentEvent, ReadOptions } from './events/read-events.js';
import type { JobResponse } from './jobs/job-response.js';
import type { JobRun, RunLimits } from './jobs/run-due-jobs.js';
import type { Completion } from './payments/complete-payment.js';
import type { PaymentFacts } from './stored-payments/find-payment.js';
import type { QueryPage, QueryResponse } from './query/query-payments.js';
import type { DetailsPage, SettlementDetailsResponse } from './reporting/settlement-details.js';
import type { SettlementSummaryResponse } from './reporting/settlement-summary.js';
import type {
  ErrorResponse,
  PaymentResponse,
  Refusal,
  RegistrationResponse,
} from './responses/response-types.js';
import type { KeysRotated } from './rotate-keys.js';
import type { ShopperStep, StepOutcome } from './simulator/shopper-step.js';
import type { ParameterError } from './validation/parameter-error.js';

/**
 * The operations of the payment core, grouped by subject. Every operation returns a response, even to an invalid
 * request. They throw nothing but `ReconError`: when the database fails, an encryption key is missing, the core was
 * closed, or an operation without a response gets an option that it does not have. Parameters are read before the call
 * returns, so the caller may change its object immediately. `caller` limits an operation to entities.
 */
export interface PaymentCore {
  /** Payments, and what references them: captures, reversals and refunds (operations 2 to 4). */
  readonly payments: {
    /** Makes a payment (operations 2.2). Nothing is stored for a refused request. A declined payment is stored. */
    create(parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
    /** Returns a payment as it is now; 700.400.580 when it is unknown. */
    get(id: string, caller?: Caller): Promise<PaymentResponse>;
    /** Captures (CP), reverses (RV) or refunds (RF) the payment with this id. */
    reference(id: string, parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
    /** Reverses (RV) everything that is left of the payment with this id; amount and currency may be omitted. */
    reverseRemaining(id: string, parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
    /** Gives an outcome to a payment that waits for its shopper or acquirer. */
    complete(id: string, completion: Completion, caller?: Caller): Promise<PaymentResponse>;
  };
  /** Stored instruments (operations 2.1). An account number is stored only encrypted. */
  readonly registrations: {
    /** Stores a payment instrument. The account number is sealed, the security code is not stored. */
    create(
      parameters: Parameters,
      caller?: Caller,
    ): Promise<RegistrationResponse | Refusal<RegistrationResponse>>;
    /** Returns a registration; 100.150.200 when it is unknown, 100.150.202 when it was deleted. */
    get(id: string, caller?: Caller): Promise<RegistrationResponse | Refusal<RegistrationResponse>>;
    /** Deletes a registration and wipes its account number. */
    delete(id: string, caller?: Caller): Promise<RegistrationResponse | Refusal<RegistrationResponse>>;
    /** Pays with a registration instead of an instrument. */
    pay(id: string, parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
  };
  /** Payments that a merchant prepares and a shopper's browser makes (operations 2.1, 4). */
  readonly checkouts: {
    /** Prepares a checkout. It can be paid once, within its lifetime. */
    create(parameters: Parameters, caller?: Caller): Promise<CheckoutResponse>;
    /** Returns the state of a checkout and its newest payment. */
    get(id: string, caller?: Caller): Promise<CheckoutResponse>;
    /** Changes a checkout that is not paid yet. */
    update(id: string, parameters: Parameters, caller?: Caller): Promise<CheckoutResponse>;
    /** Pays a checkout with an instrument or with a registration. */
    pay(
      id: string,
      parameters: Parameters,
      payment?: CheckoutPayment,
      caller?: Caller,
    ): Promise<PaymentResponse>;
    /** Returns the script that the hash in `integrity` belongs to. */
    script(id: string): string;
  };
  /**
   * Chargebacks that the back office books by hand (operations 4); those of settlement files come through
   * `storedPayments`.
   */
  readonly chargebacks: {
    /** Books a chargeback by the back office. Without `amount` it is for everything that is left. */
    book(paymentId: string, parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
    /** Reverses a booked chargeback, in full or in part. */
    reverse(chargebackId: string, parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
  };
  /** Deprecated in the specification, and supported. */
  readonly migrations: {
    /** Takes over a recurring payment from another system (catalogue 2.19) as a registration. */
    create(
      parameters: Parameters,
      caller?: Caller,
    ): Promise<RegistrationResponse | Refusal<RegistrationResponse>>;
  };
  /** The step of a shopper at the simulated bank; in live there is none. For the page that shows it. */
  readonly simulator: {
    /** The step of a payment that was redirected; undefined when there is none, or when the token is another one. */
    findStep(paymentId: string, token: string): Promise<ShopperStep | undefined>;
    /** Approves or declines a payment that waits; one that has an outcome keeps it. Returns the step as it is then. */
    decide(paymentId: string, token: string, outcome: StepOutcome): Promise<ShopperStep | undefined>;
  };
  /** Finds payments, the one that was stored last first (catalogue 2.26). */
  readonly query: (parameters: Parameters, page?: QueryPage, caller?: Caller) => Promise<QueryResponse>;
  /** What was settled, from the records that the reconciliation stored. */
  readonly reporting: {
    /** Sums settlement by date and currency (catalogue 2.25); with `currency`, only in that one. */
    summary(parameters: Parameters, caller?: Caller): Promise<SettlementSummaryResponse>;
    /** Lists reconciliation records by their API names (catalogue 2.27). */
    details(parameters: Parameters, page?: DetailsPage, caller?: Caller): Promise<SettlementDetailsResponse>;
  };
  /** Payments at planned times. */
  readonly jobs: {
    /** Schedules payments with a registration (catalogue 2.24). */
    create(registrationId: string, parameters: Parameters, caller?: Caller): Promise<JobResponse>;
    /** Returns a job. */
    get(id: string, caller?: Caller): Promise<JobResponse>;
    /** Changes a job. */
    update(id: string, parameters: Parameters, caller?: Caller): Promise<JobResponse>;
    /** Ends a job, after the agreed notice if there is one. */
    delete(id: string, caller?: Caller): Promise<JobResponse>;
    /** Makes the payments that are due. Call it about every minute, in any number of processes. */
    runDue(nowMs?: number, limits?: RunLimits): Promise<JobRun[]>;
  };
  /** Notifications in the order in which they were stored (operations 6), for a program that delivers them itself. */
  readonly events: {
    /** Returns the oldest unacknowledged events of the core's environment; `limit` 1-500, default 100. */
    read(options?: ReadOptions, caller?: Caller): Promise<PaymentEvent[]>;
    /** Marks events as delivered, so that `read` no longer returns them. */
    acknowledge(sequences: readonly string[], caller?: Caller): Promise<{ readonly acknowledged: number }>;
  };
  /** Account numbers at rest. */
  readonly secrets: {
    /** Seals every account number of an older key again with the current key; see `CoreSettings.encryptionKeys`. */
    rotateKeys(): Promise<KeysRotated>;
  };
  /** The payments that the reconciliation matches, whether imported or made by the core. */
  readonly storedPayments: {
    /** Stores the payments of a file (design 5): all of them, or none. */
    import(file: string, options?: ImportOptions): Promise<PaymentsImported>;
    /** Writes all payments in the format that `import` reads. Does not end the stream. */
    export(out: Writable): Promise<{ readonly written: number }>;
    /** Returns the stored facts of a payment, capture, reversal, refund or chargeback; undefined when it is unknown. */
    find(id: string): Promise<PaymentFacts | undefined>;
    /** Books settled chargebacks and their reversals: all of them, or none. Booking an id again changes nothing. */
    bookChargebacks(bookings: readonly ChargebackBooking[]): Promise<{ readonly booked: number }>;
  };
  /**
   * The response to a request that never reaches an operation, such as one without a valid token (operations 7.2), for
   * a server in front of the core.
   */
  refuse(code: string, parameterErrors?: readonly ParameterError[]): ErrorResponse;
  /**
   * Waits for operations in progress, then closes the database connection that the core opened. A client that the
   * caller gave stays open. Later operations are refused (USAGE_INVALID).
   */
  close(): Promise<void>;
}
