import { createCipheriv, createDecipheriv, type CipherGCM } from 'node:crypto';
import { prepareAhead } from './prepare-ahead.js';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const authTagLength = 16;

/** Encrypts a secret that is stored; `sealing` describes it. */
export function seal(
  key: Buffer,
  plaintext: Buffer,
  boundTo: string,
  random: (bytes: number) => Buffer,
): string {
  return sealWith(newEncryption(key, random), plaintext, boundTo);
}

/**
 * Returns a function that encrypts secrets that are stored (AES-256-GCM) with one key: a plaintext for its owner, for
 * example the id of its row, so that it cannot be unsealed for another owner. It returns nonce, tag and ciphertext as
 * hexadecimal. Nonce and cipher are prepared ahead, each for one secret: they are half of the work.
 *
 * @param key 32 bytes
 */
export function sealing(
  key: Buffer,
  random: (bytes: number) => Buffer,
): (plaintext: Buffer, boundTo: string) => string {
  const nextEncryption = prepareAhead(() => newEncryption(key, random));
  return (plaintext, boundTo) => sealWith(nextEncryption(), plaintext, boundTo);
}

/** A cipher with its nonce, for one secret. */
interface Encryption {
  readonly nonce: Buffer;
  readonly encrypting: CipherGCM;
}

function newEncryption(key: Buffer, random: (bytes: number) => Buffer): Encryption {
  const nonce = random(nonceBytes);
  return { nonce, encrypting: createCipheriv(cipher, key, nonce, { authTagLength }) };
}

function sealWith({ nonce, encrypting }: Encryption, plaintext: Buffer, boundTo: string): string {
  encrypting.setAAD(Buffer.from(boundTo));
  const body = encrypting.update(plaintext);
  const rest = encrypting.final();
  return Buffer.concat([nonce, encrypting.getAuthTag(), body, rest]).toString('hex');
}

/** @returns undefined when it was altered, or was sealed with another key or for another owner */
export function unseal(key: Buffer, sealed: string, boundTo: string): Buffer | undefined {
  const bytes = Buffer.from(sealed, 'hex');
  try {
    const decryption = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength });
    decryption.setAAD(Buffer.from(boundTo));
    decryption.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + authTagLength));
    return Buffer.concat([decryption.update(bytes.subarray(nonceBytes + authTagLength)), decryption.final()]);
  } catch {
    return undefined;
  }
}
