import { appendAuditEvents } from '../../db/audit-log/append-audit-events.js';
import type { Tx } from '../../db/client.js';
import { backOfficeConnector } from '../../findings/back-office-connector.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import type { ParameterValues } from '../fields/parameters.js';
import { accepted, checkRequest, rejected } from '../core/check-request.js';
import { readAmount } from '../values/amounts.js';
import { inKeyedTransaction, useKey } from '../idempotency/keyed-operation.js';
import { paymentEvent } from '../events/notify.js';
import type { RequestedAmount, Verdict } from '../payments/verdict.js';
import type { FamilyMember } from '../payments/payment-family.js';
import { isOtherEntity } from '../payments/is-other-entity.js';
import { lockPayment } from '../payments/lock-family.js';
import type { PaymentContent, StoredPayment } from '../stored-payments/payment-content.js';
import { respondWithPayment } from '../stored-payments/respond-with-payment.js';
import { newId } from '../values/identifiers.js';
import { describePayment, type NewPayment } from '../payments/describe-payment.js';
import { storePayments } from '../payments/store-payment.js';
import type { PaymentResponse } from '../responses/response-types.js';
import { formatAmount } from '../../values/money.js';
import { refuse } from '../responses/stamp-response.js';
import { judgeChargeback, judgeChargebackReversal } from './judge-chargeback.js';
import type { ParameterError } from '../validation/parameter-error.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

const withoutReason = '000.100.200';

/**
 * Books a chargeback of a DB or CP by the back office (operations 2.2, chargebackResultCode). Without an amount it
 * is for everything that reversals left.
 *
 * @returns the CB with its reason as result; 700.* when the payment does not allow a chargeback
 */
export async function bookChargeback(
  context: CoreContext,
  paymentId: string,
  received: ReceivedParameters,
  caller: Caller,
): Promise<PaymentResponse> {
  const codeOf = (request: ParameterValues) => request['chargebackResultCode'] ?? withoutReason;
  const booking = { paymentType: 'CB', codeOf, judge: judgeChargeback } as const;
  return book(context, booking, { id: paymentId, received, caller });
}

/**
 * Reverses a chargeback, including one that the reconciliation booked.
 *
 * @returns the CR; 700.400.410, .411 or .420 when the chargeback does not allow a reversal
 */
export async function reverseChargeback(
  context: CoreContext,
  chargebackId: string,
  received: ReceivedParameters,
  caller: Caller,
): Promise<PaymentResponse> {
  const booking = {
    paymentType: 'CR',
    codeOf: () => '000.000.000',
    judge: judgeChargebackReversal,
  } as const;
  return book(context, booking, { id: chargebackId, received, caller });
}

/** In what a chargeback and its reversal differ. */
interface Booking {
  readonly paymentType: 'CB' | 'CR';
  readonly codeOf: (request: ParameterValues) => string;
  readonly judge: (
    request: RequestedAmount,
    target: FamilyMember,
    family: readonly FamilyMember[],
  ) => Verdict;
}

/** What is asked for, by whom, and of which payment or chargeback. */
interface BookingRequest {
  readonly id: string;
  readonly received: ReceivedParameters;
  readonly caller: Caller;
}

async function book(
  context: CoreContext,
  { paymentType, codeOf, judge }: Booking,
  { id, received, caller }: BookingRequest,
): Promise<PaymentResponse> {
  const checked = checkRequest(context, received, { kind: 'chargeback', caller });
  if (!checked.ok) return checked.response;
  const request = checked.value;
  const contradictions = contradictionsOf(request, paymentType, id);
  if (contradictions.length > 0) return refuse(context, '200.300.404', contradictions);
  const booked = await inKeyedTransaction(context, async (tx) => {
    const locked = await lockPayment(context, tx, id, caller);
    if (locked === undefined || isOtherEntity(request['entityId'], locked.payment))
      return rejected(refuse(context, '700.400.580'));
    const wanted = { amountMinor: readAmount(request['amount']), currency: request['currency'] };
    const verdict = judge(wanted, locked.target, locked.family);
    if (!verdict.allowed) return rejected(refuse(context, verdict.code));
    const { amountMinor, currency } = verdict;
    const intent = {
      paymentType,
      amountMinor,
      currency,
      parameters: request,
      referenced: locked.payment,
      registration: null,
      checkoutId: null,
    };
    const payment = await storeBooking(context, tx, intent, {
      resultCode: codeOf(request),
      author: caller.author,
    });
    return accepted(payment);
  });
  return booked.ok ? respondWithPayment(context, booked.value) : booked.response;
}

/** Stores a chargeback or its reversal, with its notification and its event of the audit log. */
async function storeBooking(
  context: CoreContext,
  tx: Tx,
  intent: NewPayment['intent'] & { readonly referenced: StoredPayment },
  { resultCode, author }: { readonly resultCode: string; readonly author: string | undefined },
): Promise<PaymentContent> {
  const { payment, account } = describePayment(context, {
    id: newId(context.random),
    connector: backOfficeConnector,
    intent,
    answer: { resultCode, ...(author === undefined ? {} : { bookedBy: author }) },
  });
  const events = [paymentEvent(context, 'CREATED', payment)];
  const { environment } = context;
  await Promise.all([
    storePayments(tx, [{ environment, payment, account, registration: null, events }], 'refuse'),
    useKey(context, tx, 'payment', payment.id),
  ]);
  const { paymentType, amountMinor, currency, referenced } = intent;
  await appendAuditEvents(tx, author ?? 'payment core', [
    {
      action: paymentType === 'CB' ? 'chargeback.booked' : 'chargeback.reversed',
      subject: payment.id,
      details: {
        about: referenced.id,
        amount: formatAmount(amountMinor),
        currency,
        entityId: referenced.entityId,
      },
    },
  ]);
  return payment;
}

/** What the request says differently from the operation and the id that it was sent to: neither is chosen. */
function contradictionsOf(
  { paymentType: type, referencedPaymentId: referenced }: ParameterValues,
  paymentType: Booking['paymentType'],
  id: string,
): readonly ParameterError[] {
  const errors: ParameterError[] = [];
  if (type !== undefined && type !== paymentType) {
    const message = 'paymentType is CB for a chargeback, and CR for its reversal';
    errors.push({ name: 'paymentType', value: type, message });
  }
  if (referenced !== undefined && referenced !== id) {
    const message = 'referencedPaymentId and the path name different payments';
    errors.push({ name: 'referencedPaymentId', value: referenced, message });
  }
  return errors;
}
