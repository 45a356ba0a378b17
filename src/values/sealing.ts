import { createCipheriv, createDecipheriv } from 'node:crypto';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const authTagLength = 16;

/**
 * Encrypts a secret that is stored (AES-256-GCM).
 *
 * @param key 32 bytes
 * @param boundTo the owner of the secret, for example the id of its row: it cannot be unsealed for another owner
 * @returns nonce, tag and ciphertext as hexadecimal
 */
export function seal(
  key: Buffer,
  plaintext: Buffer,
  boundTo: string,
  random: (bytes: number) => Buffer,
): string {
  const nonce = random(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce, { authTagLength });
  encryption.setAAD(Buffer.from(boundTo));
  const body = Buffer.concat([encryption.update(plaintext), encryption.final()]);
  return Buffer.concat([nonce, encryption.getAuthTag(), body]).toString('hex');
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
