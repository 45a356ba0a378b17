import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

/** Keys of the account numbers at rest. Every key is 64 hexadecimal digits. */
export interface EncryptionKeys {
  /** Id of the key that new numbers are sealed with. */
  readonly current: string;
  /** All keys by their ids: old ones stay until `rotateKeys` has moved everything to the current one. */
  readonly keys: Readonly<Record<string, string>>;
  /** Key of the hash by which a number is found again; changing it makes old numbers unfindable. */
  readonly lookup: string;
}

export interface Sealed {
  readonly keyId: string;
  /** Nonce, tag and ciphertext as hexadecimal. */
  readonly sealed: string;
}

/** Seals account numbers (AES-256-GCM) and finds them again by a keyed hash (HMAC-SHA-256). */
export interface Vault {
  readonly currentKeyId: string;
  /** @param boundTo what it belongs to, for example the id of its row: it opens nowhere else */
  seal(text: string, boundTo: string): Sealed;
  /** @throws Error when it was altered, moved, or its key is not there; the error tells nothing of it */
  open(sealed: Sealed, boundTo: string): string;
  lookupHash(text: string): string;
}

const nonceBytes = 12;
const tagBytes = 16;
const cipher = 'aes-256-gcm';

/** @throws Error when a key is not 64 hexadecimal digits or the current one is missing */
export function createVault(encryptionKeys: EncryptionKeys, random: (bytes: number) => Buffer): Vault {
  const keys = new Map(
    Object.entries(encryptionKeys.keys).map(([id, key]) => [id, readKey(key, `key ${id}`)] as const),
  );
  const lookup = readKey(encryptionKeys.lookup, 'the lookup key');
  const keyOf = (id: string): Buffer => {
    const key = keys.get(id);
    if (key === undefined) throw new Error(`encryptionKeys has no key ${id}`);
    return key;
  };
  const current = encryptionKeys.current;
  keyOf(current);
  return {
    currentKeyId: current,
    seal: (text, boundTo) => {
      const nonce = random(nonceBytes);
      const encryption = createCipheriv(cipher, keyOf(current), nonce, { authTagLength: tagBytes });
      encryption.setAAD(Buffer.from(boundTo));
      const body = Buffer.concat([encryption.update(text, 'utf8'), encryption.final()]);
      const sealed = Buffer.concat([nonce, encryption.getAuthTag(), body]).toString('hex');
      return { keyId: current, sealed };
    },
    open: ({ keyId, sealed }, boundTo) => {
      const bytes = Buffer.from(sealed, 'hex');
      const nonce = bytes.subarray(0, nonceBytes);
      const decryption = createDecipheriv(cipher, keyOf(keyId), nonce, { authTagLength: tagBytes });
      decryption.setAAD(Buffer.from(boundTo));
      decryption.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const body = bytes.subarray(nonceBytes + tagBytes);
      return Buffer.concat([decryption.update(body), decryption.final()]).toString('utf8');
    },
    lookupHash: (text) => createHmac('sha256', lookup).update(text).digest('hex'),
  };
}

function readKey(hex: string, name: string): Buffer {
  if (!/^[0-9a-fA-F]{64}$/.test(hex))
    throw new Error(`encryptionKeys: ${name} must be 64 hexadecimal digits`);
  return Buffer.from(hex, 'hex');
}
