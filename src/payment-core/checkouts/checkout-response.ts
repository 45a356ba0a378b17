import { createHash } from 'node:crypto';
import type { CoreContext } from '../core/core-context.js';
import { resultOf, stampResponse } from '../responses/stamp-response.js';
import type { ErrorResponse, PaymentResponse } from '../responses/response-types.js';

/** A checkout (operations 2.1). */
export interface CheckoutResponse extends ErrorResponse {
  /** SRI hash of the payment script, when `integrity` was true (operations 2.2). */
  readonly integrity?: string;
  /** The newest payment of the checkout. */
  readonly payment?: PaymentResponse;
}

/** @param code the result code of the answer */
export function checkoutResponse(
  context: CoreContext,
  id: string,
  code: string,
  withIntegrity: boolean,
): CheckoutResponse {
  return {
    id,
    result: resultOf(code),
    ...(withIntegrity ? { integrity: integrityOf(context.paymentScript(id)) } : {}),
    ...stampResponse(context, id),
  };
}

/** The script of a checkout's page; empty for a text that cannot be a checkout id, which could contain a script. */
export function checkoutScript(context: CoreContext, id: string): string {
  return /^[A-Za-z0-9.-]+$/.test(id) ? context.paymentScript(id) : '';
}

/** Subresource integrity of a script: the value of an `integrity` attribute. */
function integrityOf(script: string): string {
  return `sha384-${createHash('sha384').update(script, 'utf8').digest('base64')}`;
}

/** The default script of a checkout's page: it posts the page's form. */
export function defaultPaymentScript(checkoutId: string): string {
  return `(() => {
  const form = document.querySelector('form.paymentWidgets');
  if (form) form.action = '/v1/checkouts/${checkoutId}/payment';
})();
`;
}
