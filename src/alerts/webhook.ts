import type { WebhookSettings } from '../config/alerts-schema.js';
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
    // The message of fetch is "fetch failed"; the cause has the code of the connection. Neither is quoted: the URL may
    // contain a token.
    const cause = thrown instanceof Error ? thrown.cause : undefined;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer in time';
    throw new Error(`the server could not be reached (${code})`, { cause: thrown });
  }
}
