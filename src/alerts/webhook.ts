import type { WebhookSettings } from '../config/alerts-schema.js';
import { networkCause } from '../values/network-causes.js';
import { readSigningSecret, signedHeaders } from '../values/standard-webhooks.js';
import { sendTimeoutMs, type Channel } from './channel.js';

/** A POST of one alert as JSON, signed as Standard Webhooks defines it. Redirects are not followed. */
export function webhookChannel({ url, secret }: WebhookSettings, clock: () => number): Channel {
  return {
    name: 'webhook',
    isBatch: false,
    send: async (messages) => {
      for (const { id, alert } of messages) {
        const body = JSON.stringify({ type: `recon.alert.${alert.state}`, timestamp: alert.at, data: alert });
        const response = await post(url, body, {
          'content-type': 'application/json',
          ...signedHeaders(readSigningSecret(secret), id, clock(), body),
        });
        if (!response.ok) throw new Error(`the server answered with ${response.status}`);
      }
    },
  };
}

async function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(sendTimeoutMs);
    const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal });
    await response.body?.cancel();
    return response;
  } catch (thrown) {
    throw new Error(`the server could not be reached: ${causeOf(thrown)}`, { cause: thrown });
  }
}

/** The message of fetch is "fetch failed", and that of its cause is not quoted: the URL may contain a token. */
function causeOf(thrown: unknown): string {
  const { name = '', cause } = thrown instanceof Error ? thrown : {};
  if (cause instanceof Error && 'code' in cause) return networkCause(String(cause.code));
  return name === 'TimeoutError' ? `no answer within ${sendTimeoutMs / 1000} s` : 'the request failed';
}
