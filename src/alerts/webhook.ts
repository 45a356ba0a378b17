import { createHmac } from 'node:crypto';
import type { WebhookSettings } from '../config/alerts-schema.js';
import { sendTimeoutMs, type Channel } from './channel.js';

/** A POST of one alert as JSON, signed as Standard Webhooks says. Redirects are not followed. */
export function webhookChannel({ url, secret }: WebhookSettings, clock: () => number): Channel {
  return {
    name: 'webhook',
    isBatch: false,
    send: async (messages) => {
      for (const { id, alert } of messages) {
        const body = JSON.stringify({ type: `recon.alert.${alert.state}`, timestamp: alert.at, data: alert });
        const timestamp = String(Math.floor(clock() / 1000));
        const response = await post(url, body, {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${sign(secret, `${id}.${timestamp}.${body}`)}`,
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

function sign(secret: string, signed: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(signed).digest('base64');
}
