import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

/**
 * How an encrypted file of the archive is stored. Its header names the key and has a random salt; key and salt give a
 * key that only this file uses. The content follows in chunks of 64 KiB (the last may be shorter), each with its own
 * AES-256-GCM tag:
 *
 *     RECONAR1 | length of the name | name of the key | salt (32) | check of the key (8) | chunk, tag (16) | …
 *
 * Header, position of the chunk and whether it is the last are authenticated with each chunk, and the SHA-256 of the
 * whole content with the last one. So a change, a cut, another order, a chunk of another file, and a whole file
 * under the name of another one are all found. A nonce is the position: it never repeats under the key of one file.
 */
const magic = Buffer.from('RECONAR1', 'latin1');
const saltBytes = 32;
const checkBytes = 8;
const tagBytes = 16;
const cipher = 'aes-256-gcm';

/** The content of a chunk, except the last one. */
export const chunkBytes = 64 * 1024;
/** The bytes that a chunk takes in the file: its content and its tag. */
export const storedChunkBytes = chunkBytes + tagBytes;
/** The length of a header whose key has a name of 64 bytes; none is longer. */
export const maximumHeaderBytes = magic.length + 1 + 64 + saltBytes + checkBytes;

/** What opens and seals the chunks of one file. */
export interface FileKey {
  /** Authenticated with each chunk. */
  readonly header: Buffer;
  readonly key: Buffer;
}

/** Where a chunk belongs: a chunk that is moved, or a file that is cut off, does not decrypt. */
export interface ChunkPlace {
  readonly position: number;
  /** The SHA-256 of the whole content with the last chunk; null for any other chunk. */
  readonly endOf: string | null;
}

/** The header of a new file, with a random salt, and the key of its chunks, which is derived from salt and `key`. */
export function newFileKey(name: string, key: string, random: (bytes: number) => Buffer): FileKey {
  const salt = random(saltBytes);
  const derived = derive(key, salt);
  const header = Buffer.concat([magic, Buffer.from([name.length]), Buffer.from(name), salt, derived.check]);
  return { header, key: derived.key };
}

/** What the first bytes of an encrypted file say. */
export interface StoredHeader {
  readonly keyName: string;
  readonly header: Buffer;
  /** The key of the chunks; undefined if the file was encrypted with another key of that name. */
  keyFrom(key: string): FileKey | undefined;
}

/** @returns undefined if the bytes are not those of an encrypted file */
export function readHeader(head: Buffer): StoredHeader | undefined {
  const nameLength = head[magic.length];
  if (!head.subarray(0, magic.length).equals(magic) || nameLength === undefined) return undefined;
  const saltAt = magic.length + 1 + nameLength;
  const header = head.subarray(0, saltAt + saltBytes + checkBytes);
  if (header.length < saltAt + saltBytes + checkBytes) return undefined;
  return {
    keyName: header.toString('latin1', magic.length + 1, saltAt),
    header,
    keyFrom: (key) => {
      const derived = derive(key, header.subarray(saltAt, saltAt + saltBytes));
      return derived.check.equals(header.subarray(saltAt + saltBytes))
        ? { header, key: derived.key }
        : undefined;
    },
  };
}

function derive(key: string, salt: Buffer): { key: Buffer; check: Buffer } {
  const bytes = hkdfSync('sha256', Buffer.from(key, 'hex'), salt, 'recon archive 1', 32 + checkBytes);
  const derived = Buffer.from(bytes);
  return { key: derived.subarray(0, 32), check: derived.subarray(32) };
}

/** A chunk as it is stored: its encrypted content, then its tag. */
export function sealChunk({ header, key }: FileKey, place: ChunkPlace, content: Buffer): readonly Buffer[] {
  const encryption = createCipheriv(cipher, key, nonceOf(place), { authTagLength: tagBytes });
  encryption.setAAD(boundTo(header, place));
  return [encryption.update(content), encryption.final(), encryption.getAuthTag()];
}

/** The content of a stored chunk; undefined if this chunk is not what was stored at this place of this file. */
export function openChunk({ header, key }: FileKey, place: ChunkPlace, stored: Buffer): Buffer | undefined {
  if (stored.length < tagBytes) return undefined;
  const decryption = createDecipheriv(cipher, key, nonceOf(place), { authTagLength: tagBytes });
  decryption.setAAD(boundTo(header, place));
  decryption.setAuthTag(stored.subarray(stored.length - tagBytes));
  const content = decryption.update(stored.subarray(0, stored.length - tagBytes));
  try {
    decryption.final();
    return content;
  } catch {
    return undefined;
  }
}

/** How many chunks and how much content a stored file has; undefined if no file can have that size. */
export function shapeOf(
  headerBytes: number,
  storedBytes: number,
): { readonly chunks: number; readonly sizeBytes: number } | undefined {
  const body = storedBytes - headerBytes;
  const chunks = Math.ceil(body / storedChunkBytes);
  const sizeBytes = body - chunks * tagBytes;
  // Only an empty file has an empty chunk.
  const isWhole = body >= tagBytes && sizeBytes >= (chunks - 1) * chunkBytes + (chunks > 1 ? 1 : 0);
  return isWhole ? { chunks, sizeBytes } : undefined;
}

function nonceOf({ position, endOf }: ChunkPlace): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(position), 3);
  nonce.writeUInt8(endOf === null ? 0 : 1, 11);
  return nonce;
}

function boundTo(header: Buffer, { position, endOf }: ChunkPlace): Buffer {
  const place = endOf === null ? `chunk ${position}` : `last chunk ${position} of ${endOf}`;
  return Buffer.concat([header, Buffer.from(place)]);
}
