import type { CoreContext } from '../core/core-context.js';
import { PermissionRefused, type CallerPermission, refusedPermission } from '../core/caller-permission.js';
import { inOneTransaction } from '../idempotency/keyed-operation.js';
import type { PaymentResponse } from '../responses/response-types.js';
import { refuse } from '../responses/stamp-response.js';
import { decidePayment } from './decide-payment.js';
import type { PaymentIntent } from './payment-intent.js';
import type { PaymentWrites } from './payment-rows.js';
import { finishPayment } from './process-payment.js';
import { storePayment, storeTogether } from './store-payment.js';

/**
 * Makes a payment about which nothing has to be read or locked. One statement stores it: it is its own transaction, and
 * is sent again when its answer was lost (`writeOnce`). The statement also checks the permission of the caller.
 */
export async function processStandalone(
  context: CoreContext,
  intent: PaymentIntent,
  permission: CallerPermission | undefined,
): Promise<PaymentResponse> {
  const decided = decidePayment(context, intent);
  if (!decided.ok) return decided.response;
  const { writes, begun } = decided.value;
  try {
    await storeStandalone(context, writes, permission);
  } catch (thrown) {
    if (thrown instanceof PermissionRefused) return refuse(context, refusedPermission);
    throw thrown;
  }
  return finishPayment(context, begun);
}

/** @throws PermissionRefused */
async function storeStandalone(
  context: CoreContext,
  writes: PaymentWrites,
  permission?: CallerPermission,
): Promise<void> {
  const isShared = writes.registration === null && context.claim === undefined;
  if (!isShared && (await permission?.confirm()) === false) throw new PermissionRefused();
  const toStore =
    permission === undefined || permission.isValid === true ? writes : { ...writes, permission };
  let wasSent = false;
  const store = () => {
    const again = wasSent;
    wasSent = true;
    return storeWithOthers(context, again ? { ...toStore, mayBeStored: true } : toStore);
  };
  await inOneTransaction(context, {
    resource: 'payment',
    resourceId: writes.payment.id,
    store: (sql) => storePayment(sql, writes),
    // A payment that makes a registration is stored by a separate statement.
    storeWithOthers: isShared ? store : undefined,
  });
}

/** @throws PermissionRefused */
async function storeWithOthers(context: CoreContext, writes: PaymentWrites): Promise<void> {
  const isPermitted = await context.together(storeTogether, writes);
  writes.permission?.note(isPermitted);
  if (!isPermitted) throw new PermissionRefused();
}
