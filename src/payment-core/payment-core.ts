import { bookChargeback, reverseChargeback } from './chargebacks/book-chargeback.js';
import type { CheckoutResponse } from './checkouts/checkout-response.js';
import { createCheckout } from './checkouts/create-checkout.js';
import { getCheckout } from './checkouts/get-checkout.js';
import { payCheckout, type CheckoutPayment } from './checkouts/pay-checkout.js';
import { updateCheckout } from './checkouts/update-checkout.js';
import type { Caller, CoreContext, Parameters } from './core/core-context.js';
import { acknowledgeEvents, readEvents, type PaymentEvent } from './events/read-events.js';
import { createJob } from './jobs/create-job.js';
import { deleteJob, getJob, updateJob } from './jobs/change-job.js';
import type { JobResponse } from './jobs/job-response.js';
import { runDueJobs, type JobRun } from './jobs/run-due-jobs.js';
import { completePayment, type Completion } from './payments/complete-payment.js';
import { createPayment } from './payments/create-payment.js';
import { getPayment } from './payments/get-payment.js';
import { referencePayment } from './payments/reference-payment.js';
import { queryPayments, type QueryPage, type QueryResponse } from './query/query-payments.js';
import { createMigration, createRegistration } from './registrations/create-registration.js';
import { deleteRegistration } from './registrations/delete-registration.js';
import { getRegistration } from './registrations/get-registration.js';
import { payWithRegistration } from './registrations/pay-with-registration.js';
import type { RegistrationResponse } from './registrations/registration-response.js';
import {
  settlementDetails,
  type DetailsPage,
  type SettlementDetailsResponse,
} from './reporting/settlement-details.js';
import { settlementSummary, type SettlementSummaryResponse } from './reporting/settlement-summary.js';
import type { ErrorResponse, PaymentResponse } from './responses/response-types.js';
import { rotateKeys, type KeysRotated } from './secrets/rotate-keys.js';

/**
 * The operations of the payment core, grouped by what they are about. Every one answers with a response; they
 * throw `ReconError` when the database fails, and nothing else. `caller` limits an operation to entities.
 */
export interface PaymentCore {
  readonly payments: {
    create(parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
    get(id: string, caller?: Caller): Promise<PaymentResponse>;
    /** Captures (CP), reverses (RV) or refunds (RF) the payment with this id. */
    reference(id: string, parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
    /** Ends a payment that waits for its shopper or acquirer. */
    complete(id: string, completion: Completion, caller?: Caller): Promise<PaymentResponse>;
  };
  readonly registrations: {
    create(parameters: Parameters, caller?: Caller): Promise<RegistrationResponse | ErrorResponse>;
    get(id: string, caller?: Caller): Promise<RegistrationResponse | ErrorResponse>;
    delete(id: string, caller?: Caller): Promise<RegistrationResponse | ErrorResponse>;
    pay(id: string, parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
  };
  readonly checkouts: {
    create(parameters: Parameters, caller?: Caller): Promise<CheckoutResponse>;
    get(id: string, caller?: Caller): Promise<CheckoutResponse>;
    update(id: string, parameters: Parameters, caller?: Caller): Promise<CheckoutResponse>;
    pay(
      id: string,
      parameters: Parameters,
      payment?: CheckoutPayment,
      caller?: Caller,
    ): Promise<PaymentResponse>;
    /** The script whose hash `integrity` is. */
    script(id: string): string;
  };
  readonly chargebacks: {
    book(paymentId: string, parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
    reverse(chargebackId: string, parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
  };
  readonly migrations: {
    create(parameters: Parameters, caller?: Caller): Promise<RegistrationResponse | ErrorResponse>;
  };
  readonly query: (parameters: Parameters, page?: QueryPage, caller?: Caller) => Promise<QueryResponse>;
  readonly reporting: {
    summary(parameters: Parameters, caller?: Caller): Promise<SettlementSummaryResponse>;
    details(parameters: Parameters, page?: DetailsPage, caller?: Caller): Promise<SettlementDetailsResponse>;
  };
  readonly jobs: {
    create(registrationId: string, parameters: Parameters, caller?: Caller): Promise<JobResponse>;
    get(id: string, caller?: Caller): Promise<JobResponse>;
    update(id: string, parameters: Parameters, caller?: Caller): Promise<JobResponse>;
    delete(id: string, caller?: Caller): Promise<JobResponse>;
    /** Makes the payments that are due; to be called every minute or so, by any number of processes. */
    runDue(nowMs?: number): Promise<JobRun[]>;
  };
  readonly events: {
    read(options?: { readonly limit?: number }): Promise<PaymentEvent[]>;
    acknowledge(sequences: readonly string[]): Promise<{ readonly acknowledged: number }>;
  };
  readonly secrets: {
    rotateKeys(): Promise<KeysRotated>;
  };
  /** Ends what the core opened itself; a client that was given stays open. */
  close(): Promise<void>;
}

export function operationsOf(context: CoreContext, close: () => Promise<void>): PaymentCore {
  return {
    payments: {
      create: (parameters, caller) => createPayment(context, parameters, caller),
      get: (id, caller) => getPayment(context, id, caller),
      reference: (id, parameters, caller) => referencePayment(context, id, parameters, caller),
      complete: (id, completion, caller) => completePayment(context, id, completion, caller),
    },
    registrations: {
      create: (parameters, caller) => createRegistration(context, parameters, caller),
      get: (id, caller) => getRegistration(context, id, caller),
      delete: (id, caller) => deleteRegistration(context, id, caller),
      pay: (id, parameters, caller) => payWithRegistration(context, id, parameters, caller),
    },
    checkouts: {
      create: (parameters, caller) => createCheckout(context, parameters, caller),
      get: (id, caller) => getCheckout(context, id, caller),
      update: (id, parameters, caller) => updateCheckout(context, id, parameters, caller),
      pay: (id, parameters, payment, caller) => payCheckout(context, id, parameters, payment, caller),
      script: (id) => context.paymentScript(id),
    },
    chargebacks: {
      book: (paymentId, parameters, caller) => bookChargeback(context, paymentId, parameters, caller),
      reverse: (chargebackId, parameters, caller) =>
        reverseChargeback(context, chargebackId, parameters, caller),
    },
    migrations: { create: (parameters, caller) => createMigration(context, parameters, caller) },
    query: (parameters, page, caller) => queryPayments(context, parameters, page, caller),
    reporting: {
      summary: (parameters, caller) => settlementSummary(context, parameters, caller),
      details: (parameters, page, caller) => settlementDetails(context, parameters, page, caller),
    },
    jobs: {
      create: (registrationId, parameters, caller) => createJob(context, registrationId, parameters, caller),
      get: (id, caller) => getJob(context, id, caller),
      update: (id, parameters, caller) => updateJob(context, id, parameters, caller),
      delete: (id, caller) => deleteJob(context, id, caller),
      runDue: (nowMs) => runDueJobs(context, nowMs),
    },
    events: {
      read: (options) => readEvents(context, options),
      acknowledge: (sequences) => acknowledgeEvents(context, sequences),
    },
    secrets: { rotateKeys: () => rotateKeys(context) },
    close,
  };
}
