import { createHmac } from 'node:crypto';

/** The signed headers of a request, as https://www.standardwebhooks.com defines them. */
export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * Signs a request: HMAC-SHA-256 of id, time and body.
 *
 * @param messageId the same in every attempt, so that a receiver recognises a repetition
 * @param nowMs milliseconds since the epoch
 * @param body as it is sent
 */
export function signedHeaders(secret: Buffer, messageId: string, nowMs: number, body: string): SignedHeaders {
  const timestamp = String(Math.floor(nowMs / 1000));
  const hash = createHmac('sha256', secret).update(`${messageId}.${timestamp}.${body}`);
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${hash.digest('base64')}`,
  };
}

/** A secret in the notation of Standard Webhooks: `whsec_` and base64. */
export function writeSigningSecret(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}

/** The bytes of a secret, with or without the prefix `whsec_`. */
export function readSigningSecret(text: string): Buffer {
  return Buffer.from(text.replace(/^whsec_/, ''), 'base64');
}
