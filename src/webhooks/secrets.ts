import { createCipheriv, createDecipheriv, type CipherGCMTypes } from 'node:crypto';
import { ReconError } from '../errors.js';
import type { EncryptionKeys } from '../payment-core/index.js';

/** The key of a webhook as it is stored. */
export interface SealedSecret {
  readonly keyId: string;
  /** Nonce, tag and ciphertext as hexadecimal. */
  readonly sealed: string;
}

const cipher: CipherGCMTypes = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** A new key for a receiver: 64 hexadecimal digits. */
export function newSecret(random: (bytes: number) => Buffer): string {
  return random(32).toString('hex');
}

/** The same 32 bytes in the notation of standard-webhooks, for its verifiers. */
export function signingSecretOf(secret: string): string {
  return `whsec_${Buffer.from(secret, 'hex').toString('base64')}`;
}

/** Seals the key of a webhook with the current encryption key, so that it can be opened for this webhook only. */
export function sealSecret(
  { current, keys }: EncryptionKeys,
  webhookId: string,
  secret: string,
  random: (bytes: number) => Buffer,
): SealedSecret {
  const key = keys[current];
  if (key === undefined) throw new Error(`encryptionKeys has no key ${current}`);
  const nonce = random(nonceBytes);
  const encryption = createCipheriv(cipher, Buffer.from(key, 'hex'), nonce, { authTagLength: tagBytes });
  encryption.setAAD(boundTo(webhookId));
  const body = Buffer.concat([encryption.update(secret, 'hex'), encryption.final()]);
  return {
    keyId: current,
    sealed: Buffer.concat([nonce, encryption.getAuthTag(), body]).toString('hex'),
  };
}

/** @throws ReconError CONFIG_INVALID when the encryption key is missing or another one, or the row was altered */
export function openSecret(
  { keys }: EncryptionKeys,
  webhookId: string,
  { keyId, sealed }: SealedSecret,
): string {
  const key = keys[keyId];
  if (key === undefined) {
    throw new ReconError(
      'CONFIG_INVALID',
      `The encryption keys have no key ${keyId}, which the key of webhook ${webhookId} is sealed with. Add it; nothing was sent.`,
    );
  }
  const bytes = Buffer.from(sealed, 'hex');
  try {
    const nonce = bytes.subarray(0, nonceBytes);
    const decryption = createDecipheriv(cipher, Buffer.from(key, 'hex'), nonce, { authTagLength: tagBytes });
    decryption.setAAD(boundTo(webhookId));
    decryption.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    const body = bytes.subarray(nonceBytes + tagBytes);
    return Buffer.concat([decryption.update(body), decryption.final()]).toString('hex');
  } catch {
    throw new ReconError(
      'CONFIG_INVALID',
      `The key of webhook ${webhookId} cannot be opened with the encryption key ${keyId}. Either the encryption keys have a different key under this name, or the row was altered. Nothing was sent.`,
    );
  }
}

function boundTo(webhookId: string): Buffer {
  return Buffer.from(`webhook ${webhookId}`);
}
