import type { CoreContext } from '../core/core-context.js';
import type { PaymentResponse } from '../responses/response-types.js';
import { stampResponse } from '../responses/stamp-response.js';
import type { AnsweredPayment } from './payment-content.js';
import { paymentResponse } from './payment-response.js';

/** The response for a stored payment; its ndc is the one that was stored. */
export function respondWithPayment(context: CoreContext, payment: AnsweredPayment): PaymentResponse {
  return paymentResponse(payment, stampResponse(context, payment.details?.ndc));
}
