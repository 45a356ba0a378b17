import type { CoreContext } from '../core/core-context.js';
import { writeAmount } from '../values/amounts.js';
import { reading } from '../core/transactions.js';
import { shopperStepToken } from '../connectors/simulate-payment.js';
import { internalSimulator } from '../connectors/connector.js';
import { completePayment } from '../payments/complete-payment.js';
import { isOpen } from '../payments/payment-family.js';
import { resourceOf } from '../stored-payments/resource-of.js';
import { findStoredPayment } from '../stored-payments/find-stored-payment.js';

/** What the shopper decides at the simulated bank. */
export type StepOutcome = 'approve' | 'decline';

/** A payment at the simulated bank. */
export interface ShopperStep {
  /** The payment that waits, or waited, for this step. */
  readonly paymentId: string;
  /** With two decimals, as the page shows it. */
  readonly amount: string;
  readonly currency: string;
  /** Whether the shopper may still decide. */
  readonly isOpen: boolean;
  /** Where the shopper returns to, with `id` and `resourcePath`. */
  readonly returnUrl: string;
}

const resultCodes = { approve: '000.100.110', decline: '800.100.152' } as const;

/** The step of a payment of the simulator whose shopper was redirected. */
export async function findShopperStep(
  context: CoreContext,
  paymentId: string,
  token: string,
): Promise<ShopperStep | undefined> {
  if (context.environment !== 'test' || token !== shopperStepToken(paymentId)) return undefined;
  const payment = await reading(() => findStoredPayment(context, context.sql, paymentId, {}));
  const details = payment?.details ?? null;
  const address = details?.parameters['shopperResultUrl'];
  if (payment === undefined || details?.connector !== internalSimulator || address === undefined) {
    return undefined;
  }
  const { id, path } = resourceOf(paymentId, details);
  return {
    paymentId,
    amount: writeAmount(payment.amountMinor),
    currency: payment.currency,
    isOpen: isOpen(payment),
    returnUrl: withResult(address, id, path),
  };
}

/** Gives the payment its outcome; one that is there already stays. */
export async function decideShopperStep(
  context: CoreContext,
  paymentId: string,
  token: string,
  outcome: StepOutcome,
): Promise<ShopperStep | undefined> {
  const step = await findShopperStep(context, paymentId, token);
  if (step === undefined) return undefined;
  const answer = { resultCode: resultCodes[outcome] };
  await completePayment(context, paymentId, { answer, issues: [] }, {});
  return { ...step, isOpen: false };
}

/** The merchant's page reads the payment with these. */
function withResult(address: string, id: string, resourcePath: string): string {
  const url = new URL(address);
  url.searchParams.set('id', id);
  url.searchParams.set('resourcePath', resourcePath);
  return url.href;
}
