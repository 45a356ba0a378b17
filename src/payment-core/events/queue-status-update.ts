import type { Tx } from '../../db/client.js';
import type { CoreContext } from '../core/core-context.js';
import type { StoredPayment } from '../stored-payments/payment-content.js';
import { resourceOf } from '../stored-payments/resource-of.js';

/**
 * Queues the status update for the `notificationUrl` of a payment that was pending and has its outcome now (operations
 * 6), as part of the transaction. It has no data of the payment: whoever receives it reads the payment with a token.
 * `recon serve` sends it.
 */
export async function queueStatusUpdate(
  { environment }: CoreContext,
  tx: Tx,
  { id, details }: StoredPayment,
): Promise<void> {
  const url = details?.parameters['notificationUrl'];
  if (details === null || url === undefined) return;
  const resource = resourceOf(id, details);
  await tx`
    insert into status_updates (payment_id, environment, url, resource_id, resource_path)
    values (${id}, ${environment}, ${url}, ${resource.id}, ${resource.path})
    on conflict do nothing`;
}
