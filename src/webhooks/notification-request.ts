import { randomBytes } from 'node:crypto';
import { encryptNotification } from '../payment-core/index.js';
import { signedHeaders } from '../values/standard-webhooks.js';

/** How the encrypted body is sent: its hexadecimal digits as text, or in a JSON document. */
export const wrappers = ['none', 'json'] as const;
/** See {@link wrappers}. */
export type Wrapper = (typeof wrappers)[number];

/** What is sent to a receiver. */
export interface NotificationRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Sending {
  /** The key of the receiver, 64 hexadecimal digits. */
  readonly secret: string;
  readonly wrapper: Wrapper;
  /** The same in every attempt. */
  readonly messageId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly random?: (bytes: number) => Buffer;
}

/**
 * Encrypts and signs a notification: AES-256-GCM with the headers that receivers of this API read, and the headers of
 * standard-webhooks over the body as it is sent.
 */
export function notificationRequest(
  notification: object,
  { secret, wrapper, messageId, now, random = randomBytes }: Sending,
): NotificationRequest {
  const encrypted = encryptNotification(notification, secret, random);
  const isJson = wrapper === 'json';
  const body = isJson ? JSON.stringify({ encryptedBody: encrypted.body }) : encrypted.body;
  return {
    body,
    headers: {
      'Content-Type': isJson ? 'application/json' : 'text/plain',
      ...encrypted.headers,
      ...signedHeaders(Buffer.from(secret, 'hex'), messageId, now, body),
    },
  };
}
