import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A notification in transport form: the body as hexadecimal, and the headers that its receiver needs. */
export interface EncryptedNotification {
  readonly body: string;
  readonly headers: {
    readonly 'X-Initialization-Vector': string;
    readonly 'X-Authentication-Tag': string;
  };
}

const cipher = 'aes-256-gcm';
const authTagLength = 16;
const vectorBytes = 12;

/**
 * Encrypts a notification for its receiver (AES-256-GCM). The receiver can thereby also verify the sender and that
 * nothing was altered. The specification does not define authenticity; gateways of this family do it this way.
 *
 * @param key 64 hexadecimal digits, shared with the receiver
 * @throws Error when the key has a different form
 */
export function encryptNotification(
  notification: object,
  key: string,
  random: (bytes: number) => Buffer = randomBytes,
): EncryptedNotification {
  const vector = random(vectorBytes);
  const encryption = createCipheriv(cipher, readKey(key), vector, { authTagLength });
  const body = Buffer.concat([encryption.update(JSON.stringify(notification), 'utf8'), encryption.final()]);
  return {
    body: body.toString('hex'),
    headers: {
      'X-Initialization-Vector': vector.toString('hex'),
      'X-Authentication-Tag': encryption.getAuthTag().toString('hex'),
    },
  };
}

/**
 * Decrypts a notification, on the receiver's side.
 *
 * @returns undefined when any part was altered, is malformed, or was encrypted with another key
 */
export function decryptNotification({ body, headers }: EncryptedNotification, key: string): unknown {
  const vector = headers['X-Initialization-Vector'];
  const tag = headers['X-Authentication-Tag'];
  const isHex = [body, vector, tag].every((text) => /^(?:[0-9a-fA-F]{2})+$/.test(text));
  // The cipher would accept a shorter tag, which can be guessed.
  if (!isHex || tag.length !== 2 * authTagLength || vector.length !== 2 * vectorBytes) return undefined;
  try {
    const decryption = createDecipheriv(cipher, readKey(key), Buffer.from(vector, 'hex'), { authTagLength });
    decryption.setAuthTag(Buffer.from(tag, 'hex'));
    const text = Buffer.concat([decryption.update(Buffer.from(body, 'hex')), decryption.final()]);
    return JSON.parse(text.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function readKey(key: string): Buffer {
  if (!/^[0-9a-fA-F]{64}$/.test(key)) throw new Error('a webhook key is 64 hexadecimal digits');
  return Buffer.from(key, 'hex');
}
