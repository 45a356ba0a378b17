import { isDeepStrictEqual } from 'node:util';
import { httpSchema, webhooksSchema } from '../../config/http-schema.js';
import type { ReconConfig } from '../../config/recon-config.js';
import { checkGatewaySettings } from '../../http/check-gateway-settings.js';

/** Whether anything is configured that only `recon serve` uses. */
export function configuresGateway({ http, webhooks, paymentCore }: ReconConfig): boolean {
  return (
    paymentCore.keys !== null ||
    !isDeepStrictEqual(http, httpSchema.parse({})) ||
    !isDeepStrictEqual(webhooks, webhooksSchema.parse({}))
  );
}

/**
 * Checks that `recon serve` would start with these settings.
 *
 * @throws ReconError CONFIG_INVALID with all problems
 */
export async function describeGateway(config: ReconConfig): Promise<string> {
  const { http, webhooks, paymentCore, dataDirectory, placeOf } = config;
  await checkGatewaySettings({ settings: http, webhooks, keys: paymentCore.keys, dataDirectory, placeOf });
  return `recon serve can start with these settings (${http.environment})`;
}
