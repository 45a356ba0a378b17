import { toReconError } from '../db/database-errors.js';
import type { Logger } from '../logger.js';
import type { PaymentCore } from '../payment-core/index.js';

/**
 * Begins to encrypt the account numbers that have an older key again with the current one, so that the operator of a
 * gateway can change the key without a program. Requests are served meanwhile, and several processes may do this at
 * once. What a stop leaves is done at the next start.
 *
 * @returns a function for the stop of the gateway, which does not wait for all of them
 */
export function moveToCurrentKey(core: PaymentCore, logger: Logger): () => Promise<void> {
  let isStopping = false;
  void core.secrets.rotateKeys().then(
    ({ payments, registrations }) => {
      if (payments + registrations === 0) return;
      logger.info(
        { payments, registrations },
        'Account numbers were encrypted again with the current key; the older key can be removed.',
      );
    },
    (thrown: unknown) => {
      if (isStopping) return;
      const err = toReconError(thrown) ?? thrown;
      logger.error({ err }, 'Account numbers of an older key could not be encrypted with the current one.');
    },
  );
  return () => {
    isStopping = true;
    return Promise.resolve();
  };
}
