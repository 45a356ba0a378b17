import { bookChargeback, reverseChargeback } from './chargebacks/book-chargeback.js';
import { createCheckout } from './checkouts/create-checkout.js';
import { getCheckout } from './checkouts/get-checkout.js';
import { callerOfCheckout } from './checkouts/caller-of-checkout.js';
import { payCheckout } from './checkouts/pay-checkout.js';
import { updateCheckout } from './checkouts/update-checkout.js';
import { checkoutScript } from './checkouts/checkout-response.js';
import type { CoreContext } from './core/core-context.js';
import { receiveCheckoutPayment } from './checkouts/receive-checkout-payment.js';
import { wrapOperations, type OperationWrappers } from './calls/wrap-operations.js';
import { guardedNow, guardUntilClosed, type Guard } from './core/guarded.js';
import { checkedOptions } from './core/option-names.js';
import { receiveCaller, receiveId } from './core/receive.js';
import { acknowledgeEvents, readEvents, readOptions, receiveSequences } from './events/read-events.js';
import { answerOnce } from './calls/answer-once.js';
import { readAnswer } from './connectors/read-answer.js';
import { createJob } from './jobs/create-job.js';
import { deleteJob, getJob, updateJob } from './jobs/change-job.js';
import { receiveMoment, runDueJobs, runLimits } from './jobs/run-due-jobs.js';
import { completePayment } from './payments/complete-payment.js';
import { createPayment } from './payments/create-payment.js';
import { getPayment } from './payments/get-payment.js';
import { referencePayment, reverseRemaining } from './payments/reference-payment.js';
import { queryPayments } from './query/query-payments.js';
import { createMigration, createRegistration } from './registrations/create-registration.js';
import { deleteRegistration } from './registrations/delete-registration.js';
import { getRegistration } from './registrations/get-registration.js';
import { payWithRegistration } from './registrations/pay-with-registration.js';
import { settlementDetails } from './reporting/settlement-details.js';
import { settlementSummary } from './reporting/settlement-summary.js';
import { refuse } from './responses/stamp-response.js';
import { rotateKeys } from './rotate-keys.js';
import { decideShopperStep, findShopperStep } from './simulator/shopper-step.js';
import { storedPaymentOperations } from './stored-payment-operations.js';
import { receiveParameters } from './validation/receive-parameters.js';

import type { PaymentCore } from './payment-core.js';

/** The operations on a context. Every call goes through `wrapOperations`. */
export function operationsOf(context: CoreContext, end: () => Promise<void>): PaymentCore {
  const guard = guardUntilClosed(end);
  const { during, close } = guard;
  const wrappers = wrapOperations(context, guard);
  return {
    ...paymentOperations(context, wrappers, guard),
    ...reportOperations(context, wrappers),
    ...standingOperations(context, wrappers, guard),
    simulator: {
      findStep: (paymentId, token) =>
        during('simulator.findStep', () => findShopperStep(context, receiveId(paymentId), token)),
      decide: (paymentId, token, outcome) =>
        during('simulator.decide', () => decideShopperStep(context, receiveId(paymentId), token, outcome)),
    },
    secrets: { rotateKeys: () => during('secrets.rotateKeys', () => rotateKeys(context)) },
    storedPayments: storedPaymentOperations(context, guard),
    refuse: (code, parameterErrors) => refuse(context, code, parameterErrors),
    close,
  };
}

/** Operations that make payments, or prepare them. */
function paymentOperations(
  context: CoreContext,
  { withId, withParameters, withBoth, call, admit }: OperationWrappers,
  { during }: Guard,
): Pick<PaymentCore, 'payments' | 'registrations' | 'checkouts' | 'chargebacks' | 'migrations'> {
  const endRegistration = withBoth('registrations.delete', (claimed, id, _none, who) =>
    deleteRegistration(claimed, id, who),
  );
  return {
    payments: {
      create: withParameters('payments.create', createPayment),
      get: withId('payments.get', getPayment),
      reference: withBoth('payments.reference', referencePayment),
      reverseRemaining: withBoth('payments.reference', reverseRemaining),
      complete: (id, completion, caller) => {
        const [paymentId, answer, who] = [receiveId(id), readAnswer(completion), receiveCaller(caller)];
        return call('payments.complete', who, () => completePayment(context, paymentId, answer, who));
      },
    },
    registrations: {
      create: withParameters('registrations.create', createRegistration),
      get: withId('registrations.get', getRegistration),
      // It has no parameters, but it may have an idempotency key.
      delete: (id, caller) => endRegistration(id, {}, caller),
      pay: withBoth('registrations.pay', payWithRegistration),
    },
    checkouts: {
      create: withParameters('checkouts.create', createCheckout),
      get: withId('checkouts.get', getCheckout),
      update: withBoth('checkouts.update', updateCheckout),
      pay: (id, parameters, payment, caller) => {
        const [checkoutId, received, given] = [
          receiveId(id),
          receiveParameters(parameters),
          receiveCaller(caller),
        ];
        const { how, errors } = receiveCheckoutPayment(payment);
        const { registrationId } = how;
        const ids = registrationId === undefined ? [checkoutId] : [checkoutId, registrationId];
        return during('checkouts.pay', async () => {
          const who = await callerOfCheckout(context, checkoutId, given);
          return admit('checkouts.pay', who, async () =>
            errors.length > 0
              ? refuse(context, '200.300.404', errors)
              : answerOnce(context, who, { operation: 'checkouts.pay', ids, received }, (claimed) =>
                  payCheckout(claimed, checkoutId, received, { ...how, caller: who }),
                ),
          );
        });
      },
      script: (id) => guardedNow('checkouts.script', () => checkoutScript(context, receiveId(id))),
    },
    chargebacks: {
      book: withBoth('chargebacks.book', bookChargeback),
      reverse: withBoth('chargebacks.reverse', reverseChargeback),
    },
    migrations: { create: withParameters('migrations.create', createMigration) },
  };
}

/** Operations that only read what is stored. */
function reportOperations(
  context: CoreContext,
  { withParameters, call }: OperationWrappers,
): Pick<PaymentCore, 'query' | 'reporting'> {
  return {
    query: (parameters, page, caller) => {
      const [received, options] = [receiveParameters(parameters), receiveParameters(page ?? {})];
      const who = receiveCaller(caller);
      return call('query', who, () => queryPayments(context, received, options, who));
    },
    reporting: {
      summary: withParameters('reporting.summary', settlementSummary),
      details: (parameters, page, caller) => {
        const [received, options] = [receiveParameters(parameters), receiveParameters(page ?? {})];
        const who = receiveCaller(caller);
        return call('reporting.details', who, () => settlementDetails(context, received, options, who));
      },
    },
  };
}

/** Operations around what happens later: planned payments and notifications. */
function standingOperations(
  context: CoreContext,
  { withId, withBoth }: OperationWrappers,
  { during }: Guard,
): Pick<PaymentCore, 'jobs' | 'events'> {
  const endJob = withBoth('jobs.delete', (claimed, id, _none, who) => deleteJob(claimed, id, who));
  return {
    jobs: {
      create: withBoth('jobs.create', createJob),
      get: withId('jobs.get', getJob),
      update: withBoth('jobs.update', updateJob),
      // It has no parameters, but it may have an idempotency key.
      delete: (id, caller) => endJob(id, {}, caller),
      runDue: (nowMs, limits) => {
        const received = receiveParameters(limits ?? {});
        return during('jobs.runDue', async () => {
          const given = checkedOptions('jobs.runDue', received, runLimits);
          return runDueJobs(context, receiveMoment('jobs.runDue', nowMs), given);
        });
      },
    },
    events: {
      read: (options, caller) => {
        const [received, who] = [receiveParameters(options ?? {}), receiveCaller(caller)];
        return during('events.read', async () =>
          readEvents(context, checkedOptions('events.read', received, readOptions), who),
        );
      },
      acknowledge: (sequences, caller) => {
        const [given, who] = [receiveSequences(sequences), receiveCaller(caller)];
        return during('events.acknowledge', async () => acknowledgeEvents(context, given, who));
      },
    },
  };
}
