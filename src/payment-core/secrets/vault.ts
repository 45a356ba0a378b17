import { createHmac } from 'node:crypto';
import { ReconError } from '../../errors.js';
import { sealing, unseal } from '../../values/sealing.js';

/** The keys for stored account numbers. Every key is 64 hexadecimal digits. */
export interface EncryptionKeys {
  /** The id of the key for new numbers. */
  readonly current: string;
  /** All keys by id. Keep an old key until `rotateKeys` has moved every number to the current key. */
  readonly keys: Readonly<Record<string, string>>;
  /** The key of fingerprints. If it changes, a repeated request with an idempotency key counts as another request. */
  readonly lookup: string;
}

/** An encrypted text, with the name of the key that opens it. */
export interface Sealed {
  readonly keyId: string;
  /** Nonce, tag and ciphertext as hexadecimal. */
  readonly sealed: string;
}

/** Seals account numbers (AES-256-GCM), and makes fingerprints of requests that contain them (HMAC-SHA-256). */
export interface Vault {
  readonly currentKeyId: string;
  /** All other keys. */
  readonly olderKeyIds: readonly string[];
  /** @param boundTo the owner of the number, for example the id of its row: it cannot be opened for another owner */
  seal(text: string, boundTo: string): Sealed;
  /** @throws ReconError CONFIG_INVALID when it was altered or moved, or its key is missing; it quotes no secret */
  open(sealed: Sealed, boundTo: string): string;
  /** The same text has the same fingerprint; nobody without the key can find a text by trying many. */
  fingerprint(text: string): string;
}

/** @throws Error when a key is not 64 hexadecimal digits or the current one is missing */
export function createVault(encryptionKeys: EncryptionKeys, random: (bytes: number) => Buffer): Vault {
  const keys = new Map(
    Object.entries(encryptionKeys.keys).map(([id, key]) => [id, readKey(key, `key ${id}`)] as const),
  );
  const lookup = readKey(encryptionKeys.lookup, 'the lookup key');
  const current = encryptionKeys.current;
  const currentKey = keys.get(current);
  if (currentKey === undefined) throw new Error(`encryptionKeys has no key ${current}`);
  const seal = sealing(currentKey, random);
  return {
    currentKeyId: current,
    olderKeyIds: [...keys.keys()].filter((id) => id !== current),
    seal: (text, boundTo) => ({ keyId: current, sealed: seal(Buffer.from(text), boundTo) }),
    open: ({ keyId, sealed }, boundTo) => {
      const key = keys.get(keyId);
      if (key === undefined) throw missingKey(keyId);
      return openWith(key, keyId, sealed, boundTo);
    },
    fingerprint: (text) => createHmac('sha256', lookup).update(text).digest('hex'),
  };
}

function openWith(key: Buffer, keyId: string, sealed: string, boundTo: string): string {
  const opened = unseal(key, sealed, boundTo);
  if (opened === undefined) {
    throw new ReconError(
      'CONFIG_INVALID',
      `The account number of ${boundTo} cannot be opened with the key ${keyId}. Either encryptionKeys has a different ` +
        'key under this name, or the row was altered. Nothing was changed.',
    );
  }
  return opened.toString('utf8');
}

function missingKey(keyId: string): ReconError {
  return new ReconError(
    'CONFIG_INVALID',
    `encryptionKeys has no key ${keyId}, and an account number is still sealed with it. Nothing was changed. ` +
      'Add the key, and remove it only after rotateKeys has returned.',
  );
}

/** Whether a setting has the form of a key. */
export function isKey(given: unknown): boolean {
  return typeof given === 'string' && /^[0-9a-fA-F]{64}$/.test(given);
}

function readKey(hex: string, name: string): Buffer {
  if (!isKey(hex)) throw new Error(`encryptionKeys: ${name} must be 64 hexadecimal digits`);
  return Buffer.from(hex, 'hex');
}
