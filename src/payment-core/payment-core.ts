import type { Writable } from 'node:stream';
import { inOwnTransaction } from '../db/transaction.js';
import { exportPayments } from '../payment-file/export-payments.js';
import {
  importPayments,
  type ImportOptions,
  type PaymentsImported,
} from '../payment-file/import-payments.js';
import { bookChargebacks, type ChargebackBooking } from './chargebacks/book-chargebacks.js';
import { bookChargeback, reverseChargeback } from './chargebacks/book-chargeback.js';
import { createCheckout } from './checkouts/create-checkout.js';
import { getCheckout } from './checkouts/get-checkout.js';
import { payCheckout, type CheckoutPayment } from './checkouts/pay-checkout.js';
import { updateCheckout } from './checkouts/update-checkout.js';
import { checkoutScript, type CheckoutResponse } from './checkouts/checkout-response.js';
import type { Caller, CoreContext } from './core/core-context.js';
import type { Parameters } from './fields/parameter-names.js';
import { openDoor, receiveRegistrationId } from './core/door.js';
import { guarded, guardedNow } from './core/guarded.js';
import { receiveCaller, receiveId } from './core/receive.js';
import { acknowledgeEvents, readEvents, receiveSequences, type PaymentEvent } from './events/read-events.js';
import { readAnswer } from './connectors/read-answer.js';
import { createJob } from './jobs/create-job.js';
import { deleteJob, getJob, updateJob } from './jobs/change-job.js';
import type { JobResponse } from './jobs/job-response.js';
import { runDueJobs, type JobRun, type RunLimits } from './jobs/run-due-jobs.js';
import { completePayment, type Completion } from './payments/complete-payment.js';
import { createPayment } from './payments/create-payment.js';
import { findPayment, type PaymentFacts } from './payments/find-payment.js';
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
import type { PaymentResponse, Refusal } from './responses/response-types.js';
import { rotateKeys, type KeysRotated } from './secrets/rotate-keys.js';
import { receiveParameters } from './validation/receive-parameters.js';

/**
 * The operations of the payment core, grouped by what they are about. Every one answers with a response, also
 * to a request that makes no sense. They throw `ReconError` when the database fails or an encryption key is
 * missing, and nothing else. Parameters are read before the call returns, so the caller may change its object
 * at once. `caller` limits an operation to entities.
 */
export interface PaymentCore {
  readonly payments: {
    /** Makes a payment (operations 2.2). A refused request stores nothing; a declined payment is stored. */
    create(parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
    /** Reads a payment as it is now; 700.400.580 when it is unknown. */
    get(id: string, caller?: Caller): Promise<PaymentResponse>;
    /** Captures (CP), reverses (RV) or refunds (RF) the payment with this id. */
    reference(id: string, parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
    /** Ends a payment that waits for its shopper or acquirer. */
    complete(id: string, completion: Completion, caller?: Caller): Promise<PaymentResponse>;
  };
  readonly registrations: {
    /** Stores a payment instrument; the account number is sealed, the security code is dropped. */
    create(
      parameters: Parameters,
      caller?: Caller,
    ): Promise<RegistrationResponse | Refusal<RegistrationResponse>>;
    /** Reads a registration; 100.150.200 when it is unknown, 100.150.202 when it was deleted. */
    get(id: string, caller?: Caller): Promise<RegistrationResponse | Refusal<RegistrationResponse>>;
    /** Deletes a registration and wipes its account number. */
    delete(id: string, caller?: Caller): Promise<RegistrationResponse | Refusal<RegistrationResponse>>;
    /** Pays with a registration instead of an instrument. */
    pay(id: string, parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
  };
  readonly checkouts: {
    /** Prepares a checkout; it can be paid once, within its lifetime. */
    create(parameters: Parameters, caller?: Caller): Promise<CheckoutResponse>;
    /** The state of a checkout, and its payment once there is one. */
    get(id: string, caller?: Caller): Promise<CheckoutResponse>;
    /** Changes a checkout that is not paid yet. */
    update(id: string, parameters: Parameters, caller?: Caller): Promise<CheckoutResponse>;
    /** Pays a checkout with an instrument, or with the registration named. */
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
    /** Books a chargeback of the back office; without `amount` it takes all that is left. */
    book(paymentId: string, parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
    /** Reverses a booked chargeback, in full or in part. */
    reverse(chargebackId: string, parameters: Parameters, caller?: Caller): Promise<PaymentResponse>;
  };
  readonly migrations: {
    /** Takes over a recurring payment of another system (catalogue 2.19) as a registration. */
    create(
      parameters: Parameters,
      caller?: Caller,
    ): Promise<RegistrationResponse | Refusal<RegistrationResponse>>;
  };
  /** Finds payments, the newest first (catalogue 2.26). */
  readonly query: (parameters: Parameters, page?: QueryPage, caller?: Caller) => Promise<QueryResponse>;
  readonly reporting: {
    /** Sums settlement by date and currency (catalogue 2.25). */
    summary(parameters: Parameters, caller?: Caller): Promise<SettlementSummaryResponse>;
    /** Lists reconciliation records by their API names (catalogue 2.27). */
    details(parameters: Parameters, page?: DetailsPage, caller?: Caller): Promise<SettlementDetailsResponse>;
  };
  readonly jobs: {
    /** Schedules payments with a registration (catalogue 2.24). */
    create(registrationId: string, parameters: Parameters, caller?: Caller): Promise<JobResponse>;
    /** Reads a job. */
    get(id: string, caller?: Caller): Promise<JobResponse>;
    /** Changes a job. */
    update(id: string, parameters: Parameters, caller?: Caller): Promise<JobResponse>;
    /** Ends a job, after its notice where one is agreed. */
    delete(id: string, caller?: Caller): Promise<JobResponse>;
    /** Makes the payments that are due; to be called every minute or so, by any number of processes. */
    runDue(nowMs?: number, limits?: RunLimits): Promise<JobRun[]>;
  };
  readonly events: {
    /** The oldest events of the core's environment that nobody acknowledged; `limit` 1-500, default 100. */
    read(options?: { readonly limit?: number }, caller?: Caller): Promise<PaymentEvent[]>;
    acknowledge(sequences: readonly string[], caller?: Caller): Promise<{ readonly acknowledged: number }>;
  };
  readonly secrets: {
    /** Seals again with the current key what an older key sealed; see `CoreSettings.encryptionKeys`. */
    rotateKeys(): Promise<KeysRotated>;
  };
  /** The payments that the reconciliation matches with, whoever stored them. */
  readonly storedPayments: {
    /** Stores the payments of a file (design 5): all of them, or none. */
    import(file: string, options?: ImportOptions): Promise<PaymentsImported>;
    /** Writes all payments in the format that `import` reads. The stream is not ended. */
    export(out: Writable): Promise<{ readonly written: number }>;
    /** The stored facts of a payment, capture, reversal, refund or chargeback; undefined when it is unknown. */
    find(id: string): Promise<PaymentFacts | undefined>;
    /** Books settled chargebacks and their reversals: all of them, or none. Booking an id again changes nothing. */
    bookChargebacks(bookings: readonly ChargebackBooking[]): Promise<{ readonly booked: number }>;
  };
  /** Ends what the core opened itself; a client that was given stays open. */
  close(): Promise<void>;
}

/** The operations on a context. Every call enters through the door. */
export function operationsOf(context: CoreContext, close: () => Promise<void>): PaymentCore {
  const { withId, withParameters, withBoth, enter } = openDoor(context);
  return {
    payments: {
      create: withParameters('payments.create', createPayment),
      get: withId('payments.get', getPayment),
      reference: withBoth('payments.reference', referencePayment),
      complete: (id, completion, caller) => {
        const [paymentId, ended, who] = [receiveId(id), readAnswer(completion), receiveCaller(caller)];
        return enter('payments.complete', () => completePayment(context, paymentId, ended, who));
      },
    },
    registrations: {
      create: withParameters('registrations.create', createRegistration),
      get: withId('registrations.get', getRegistration),
      delete: withId('registrations.delete', deleteRegistration),
      pay: withBoth('registrations.pay', payWithRegistration),
    },
    checkouts: {
      create: withParameters('checkouts.create', createCheckout),
      get: withId('checkouts.get', getCheckout),
      update: withBoth('checkouts.update', updateCheckout),
      pay: (id, parameters, payment, caller) => {
        const [checkoutId, received, who] = [
          receiveId(id),
          receiveParameters(parameters),
          receiveCaller(caller),
        ];
        const registrationId = receiveRegistrationId(payment);
        return enter('checkouts.pay', () => payCheckout(context, checkoutId, received, registrationId, who));
      },
      script: (id) => guardedNow('checkouts.script', () => checkoutScript(context, receiveId(id))),
    },
    chargebacks: {
      book: withBoth('chargebacks.book', bookChargeback),
      reverse: withBoth('chargebacks.reverse', reverseChargeback),
    },
    migrations: { create: withParameters('migrations.create', createMigration) },
    query: (parameters, page, caller) => {
      const [received, asked] = [receiveParameters(parameters), receiveParameters(page ?? {})];
      const who = receiveCaller(caller);
      return enter('query', () => queryPayments(context, received, asked, who));
    },
    reporting: {
      summary: withParameters('reporting.summary', settlementSummary),
      details: (parameters, page, caller) => {
        const [received, asked] = [receiveParameters(parameters), receiveParameters(page ?? {})];
        const who = receiveCaller(caller);
        return enter('reporting.details', () => settlementDetails(context, received, asked, who));
      },
    },
    jobs: {
      create: withBoth('jobs.create', createJob),
      get: withId('jobs.get', getJob),
      update: withBoth('jobs.update', updateJob),
      delete: withId('jobs.delete', deleteJob),
      runDue: (nowMs, limits) => {
        const given = { ...limits };
        return guarded('jobs.runDue', () => runDueJobs(context, nowMs, given));
      },
    },
    events: {
      read: (options, caller) => {
        const [asked, who] = [receiveParameters(options ?? {}), receiveCaller(caller)];
        return guarded('events.read', () => readEvents(context, asked, who));
      },
      acknowledge: (sequences, caller) => {
        const [given, who] = [receiveSequences(sequences), receiveCaller(caller)];
        return guarded('events.acknowledge', () => acknowledgeEvents(context, given, who));
      },
    },
    secrets: { rotateKeys: () => guarded('secrets.rotateKeys', () => rotateKeys(context)) },
    storedPayments: {
      import: (file, options) =>
        guarded('storedPayments.import', () => importPayments(context.sql, file, options)),
      export: (out) => guarded('storedPayments.export', () => exportPayments(context.sql, out)),
      find: (id) => guarded('storedPayments.find', () => findPayment(context.sql, receiveId(id))),
      bookChargebacks: (bookings) =>
        guarded('storedPayments.bookChargebacks', () =>
          inOwnTransaction(context.sql, (tx) => bookChargebacks(tx, bookings)),
        ),
    },
    close: () => guarded('close', close),
  };
}
