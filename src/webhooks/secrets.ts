import { ReconError } from '../errors.js';
import type { EncryptionKeys } from '../payment-core/index.js';
import { seal, unseal } from '../values/sealing.js';
import { writeSigningSecret } from '../values/standard-webhooks.js';

/** The key of a webhook as it is stored. */
export interface SealedSecret {
  readonly keyId: string;
  /** Nonce, tag and ciphertext as hexadecimal. */
  readonly sealed: string;
}

/** A new key for a receiver: 64 hexadecimal digits. */
export function newSecret(random: (bytes: number) => Buffer): string {
  return random(32).toString('hex');
}

/** The key of a receiver in the notation of standard-webhooks, for its verifiers. */
export function signingSecretOf(secret: string): string {
  return writeSigningSecret(Buffer.from(secret, 'hex'));
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
  const sealed = seal(Buffer.from(key, 'hex'), Buffer.from(secret, 'hex'), boundTo(webhookId), random);
  return { keyId: current, sealed };
}

/** @throws ReconError CONFIG_INVALID when the encryption key is missing or has changed, or the row was altered */
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
  const secret = unseal(Buffer.from(key, 'hex'), sealed, boundTo(webhookId));
  if (secret === undefined) {
    throw new ReconError(
      'CONFIG_INVALID',
      `The key of webhook ${webhookId} cannot be opened with the encryption key ${keyId}. Either the encryption keys have a different key under this name, or the row was altered. Nothing was sent.`,
    );
  }
  return secret.toString('hex');
}

function boundTo(webhookId: string): string {
  return `webhook ${webhookId}`;
}
