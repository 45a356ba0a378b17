import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { ReconError } from '../../errors.js';

/** A notification in transport form: the body as hexadecimal, and the headers that its receiver needs. */
export interface EncryptedNotification {
  /** The encrypted JSON, as hexadecimal digits. */
  readonly body: string;
  readonly headers: {
    /** 12 bytes as 24 hexadecimal digits; new for each notification. */
    readonly 'X-Initialization-Vector': string;
    /** 16 bytes as 32 hexadecimal digits; a shorter one is refused. */
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
 * @throws ReconError USAGE_INVALID when the key has a different form
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
 * @throws ReconError USAGE_INVALID when the key has a different form
 */
export function decryptNotification(notification: EncryptedNotification, key: string): unknown {
  const secret = readKey(key);
  const parts = partsOf(notification);
  if (parts === undefined) return undefined;
  const { body, vector, tag } = parts;
  try {
    const decryption = createDecipheriv(cipher, secret, Buffer.from(vector, 'hex'), { authTagLength });
    decryption.setAuthTag(Buffer.from(tag, 'hex'));
    const text = Buffer.concat([decryption.update(Buffer.from(body, 'hex')), decryption.final()]);
    return JSON.parse(text.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** The parts of what a receiver got, which may be anything; undefined if it is not a notification. */
function partsOf(notification: unknown): { body: string; vector: string; tag: string } | undefined {
  const { body, headers } = Object(notification) as Record<string, unknown>;
  const { 'X-Initialization-Vector': vector, 'X-Authentication-Tag': tag } = Object(headers) as Record<
    string,
    unknown
  >;
  if (!isHex(body) || !isHex(vector) || !isHex(tag)) return undefined;
  // The cipher would accept a shorter tag, which can be guessed.
  if (tag.length !== 2 * authTagLength || vector.length !== 2 * vectorBytes) return undefined;
  return { body, vector, tag };
}

function isHex(given: unknown): given is string {
  return typeof given === 'string' && /^(?:[0-9a-fA-F]{2})+$/.test(given);
}

function readKey(key: string): Buffer {
  if (isHex(key) && key.length === 64) return Buffer.from(key, 'hex');
  throw new ReconError('USAGE_INVALID', 'The key of a webhook must be 64 hexadecimal digits.');
}
