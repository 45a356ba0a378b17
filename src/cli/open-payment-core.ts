import { openConfiguredCore, type CoreOptions } from '../http/configured-core.js';
import type { PaymentCore } from '../payment-core/index.js';
import type { CommandContext } from './command-context.js';

/** The payment core with the configured environment and keys. The command's database ends with the command. */
export async function openPaymentCore(
  context: CommandContext,
  use: Pick<CoreOptions, 'onlyChargebacks'> = {},
): Promise<PaymentCore> {
  const { http, paymentCore, dataDirectory } = context.config();
  const { sql } = await context.database();
  return openConfiguredCore({
    ...use,
    sql,
    settings: http,
    keys: paymentCore.keys,
    dataDirectory,
    logger: context.logger(),
  });
}
