import { open, type FileHandle } from 'node:fs/promises';
import { isMissing } from '../disk/disk-errors.js';
import { piecesOf } from '../disk/read-pieces.js';
import { ReconError } from '../errors.js';
import type { ArchiveKeys } from './archive-keys.js';
import {
  chunkBytes,
  maximumHeaderBytes,
  openChunk,
  readHeader,
  shapeOf,
  storedChunkBytes,
  type FileKey,
} from './encrypted-format.js';

/** Where the bytes of a file may be: each of the two is a file or is not there. */
export interface StoredPlace {
  /** Of the plain bytes. */
  readonly sha256: string;
  readonly plain: string;
  readonly encrypted: string;
}

/** Whether and how stored bytes are encrypted, and how many they are when they are read. */
export interface StoredFacts {
  /** The file on the disk. */
  readonly file: string;
  readonly sizeBytes: number;
  /** The name of the key; null for a plain file. */
  readonly encryptedWith: string | null;
}

/** Stored bytes that are open for reading at any place. Every piece has its own memory. */
export interface OpenBytes extends StoredFacts {
  /** Fewer bytes at the end of the file. */
  read(position: number, length: number): Promise<Buffer>;
  /** The bytes from one position up to, and without, another. */
  range(from: number, to: number): AsyncGenerator<Buffer, void, undefined>;
  close(): Promise<void>;
}

/**
 * Reads the bytes of a stored file, encrypted or not; nothing else opens them. An encrypted file is never held in
 * memory as a whole. Its end is authenticated first, so a file that was cut or put in the place of another one is found
 * before a byte of it is used, and each other chunk before it is returned.
 *
 * Each function throws ReconError ARCHIVE_KEY_MISSING, and DISK_FAILED for damaged encrypted bytes; a system error if
 * the file is not there or cannot be read.
 */
export class StoredBytes {
  readonly #place: StoredPlace;
  readonly #keys: ArchiveKeys['keys'];

  constructor(place: StoredPlace, { keys }: ArchiveKeys) {
    this.#place = place;
    this.#keys = keys;
  }

  /** All bytes from the beginning; a piece is valid until the next one is asked for. */
  async *pieces(pieceBytes: number): AsyncGenerator<Buffer, void, undefined> {
    const found = await this.#find();
    try {
      if (found.isEncrypted) yield* (await this.#decrypted(found)).chunks();
      else yield* piecesOf(found.handle, pieceBytes);
    } finally {
      await found.handle.close();
    }
  }

  /** Opens the bytes for reading at any place; the caller closes them. */
  async open(): Promise<OpenBytes> {
    const found = await this.#find();
    const { handle, file } = found;
    try {
      const content = found.isEncrypted ? await this.#decrypted(found) : await plainContent(found);
      const { sizeBytes, encryptedWith, read } = content;
      const range = (from: number, to: number) => ranged(read, from, to);
      return { file, sizeBytes, encryptedWith, read, range, close: () => handle.close() };
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
  }

  /** Some of the bytes; fewer at the end of the file. */
  async part(position: number, length: number): Promise<Buffer> {
    const opened = await this.open();
    try {
      return await opened.read(position, length);
    } finally {
      await opened.close();
    }
  }

  /** The facts that the first bytes and the size show. */
  async facts(): Promise<StoredFacts> {
    const opened = await this.open();
    await opened.close();
    const { file, sizeBytes, encryptedWith } = opened;
    return { file, sizeBytes, encryptedWith };
  }

  /**
   * A file that is replaced by its other form meanwhile is found too: the new form exists before the old one is
   * removed, so the third attempt finds what did not exist yet at the first.
   */
  async #find(): Promise<Found> {
    const { plain, encrypted } = this.#place;
    return (
      (await openIfThere(plain, { isEncrypted: false })) ??
      (await openIfThere(encrypted, { isEncrypted: true })) ?? {
        handle: await open(plain, 'r'),
        file: plain,
        isEncrypted: false,
      }
    );
  }

  async #decrypted(found: Found): Promise<Decrypted> {
    const { handle, file } = found;
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(maximumHeaderBytes),
      0,
      maximumHeaderBytes,
      0,
    );
    const stored = readHeader(buffer.subarray(0, bytesRead));
    if (stored === undefined)
      throw damaged(this.#place, file, 'its first bytes are not those of an encrypted file');
    const shape = shapeOf(stored.header.length, (await handle.stat()).size);
    if (shape === undefined) throw damaged(this.#place, file, 'it is cut off');
    const key = this.#keys[stored.keyName];
    if (key === undefined) throw withoutKey(this.#place, stored.keyName, 'and there is no key of that name');
    const fileKey = stored.keyFrom(key);
    if (fileKey === undefined) {
      const why = 'and the key of that name is another one, or the first bytes of the file are damaged';
      throw withoutKey(this.#place, stored.keyName, why);
    }
    const content = new Decrypted(found, this.#place, fileKey, { ...shape, encryptedWith: stored.keyName });
    // The last chunk shows that the file is whole and is the one that it should be.
    await content.read(Math.max(0, shape.sizeBytes - 1), 1);
    return content;
  }
}

interface Found {
  readonly handle: FileHandle;
  readonly file: string;
  readonly isEncrypted: boolean;
}

async function openIfThere(
  file: string,
  { isEncrypted }: Pick<Found, 'isEncrypted'>,
): Promise<Found | undefined> {
  try {
    return { handle: await open(file, 'r'), file, isEncrypted };
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

/** The content of an open plain file. */
async function plainContent({
  handle,
}: Found): Promise<Pick<OpenBytes, 'sizeBytes' | 'read'> & { readonly encryptedWith: null }> {
  const { size: sizeBytes } = await handle.stat();
  const read = async (position: number, length: number) => {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  };
  return { sizeBytes, encryptedWith: null, read };
}

const rangeBytes = 256 * 1024;

async function* ranged(
  read: OpenBytes['read'],
  from: number,
  to: number,
): AsyncGenerator<Buffer, void, undefined> {
  for (let at = from; at < to;) {
    const piece = await read(at, Math.min(rangeBytes, to - at));
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}

/** The content of an open encrypted file. */
class Decrypted {
  readonly sizeBytes: number;
  readonly encryptedWith: string;
  readonly #found: Found;
  readonly #place: StoredPlace;
  readonly #fileKey: FileKey;
  readonly #chunks: number;
  /** The chunk that was read last: a reader of a directory asks for many small pieces of it. */
  #last: { readonly position: number; readonly content: Buffer } | undefined;

  constructor(
    found: Found,
    place: StoredPlace,
    fileKey: FileKey,
    facts: { readonly chunks: number; readonly sizeBytes: number; readonly encryptedWith: string },
  ) {
    this.#found = found;
    this.#place = place;
    this.#fileKey = fileKey;
    this.sizeBytes = facts.sizeBytes;
    this.encryptedWith = facts.encryptedWith;
    this.#chunks = facts.chunks;
  }

  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    const room = Buffer.allocUnsafeSlow(storedChunkBytes);
    for (let position = 0; position < this.#chunks; position += 1) {
      const content = await this.#chunk(position, room);
      if (content.length > 0) yield content;
    }
  }

  readonly read = async (position: number, length: number): Promise<Buffer> => {
    const end = Math.min(position + length, this.sizeBytes);
    const pieces: Buffer[] = [];
    // An empty file has one chunk too.
    if (this.sizeBytes === 0) await this.#kept(0);
    for (let at = position; at < end;) {
      const from = Math.floor(at / chunkBytes) * chunkBytes;
      const content = await this.#kept(from / chunkBytes);
      pieces.push(content.subarray(at - from, end - from));
      at = from + chunkBytes;
    }
    return Buffer.concat(pieces);
  };

  /** Two readers may ask at the same time, so each chunk has its own memory. */
  async #kept(position: number): Promise<Buffer> {
    if (this.#last?.position === position) return this.#last.content;
    const content = await this.#chunk(position, Buffer.allocUnsafeSlow(storedChunkBytes));
    this.#last = { position, content };
    return content;
  }

  async #chunk(position: number, room: Buffer): Promise<Buffer> {
    const at = this.#fileKey.header.length + position * storedChunkBytes;
    const { bytesRead } = await this.#found.handle.read(room, 0, storedChunkBytes, at);
    const endOf = position === this.#chunks - 1 ? this.#place.sha256 : null;
    const content = openChunk(this.#fileKey, { position, endOf }, room.subarray(0, bytesRead));
    if (content !== undefined) return content;
    const what = `the bytes from ${position * chunkBytes} on are not those that were stored`;
    throw damaged(this.#place, this.#found.file, what);
  }
}

function damaged({ sha256 }: StoredPlace, file: string, why: string): ReconError {
  return new ReconError(
    'DISK_FAILED',
    `The encrypted file ${file} of the archive (SHA-256 ${sha256}) is damaged: ${why}. Nothing of it was used; restore it from a backup.`,
  );
}

function withoutKey({ sha256 }: StoredPlace, name: string, why: string): ReconError {
  return new ReconError(
    'ARCHIVE_KEY_MISSING',
    `The archived file with the SHA-256 ${sha256} is encrypted with the key ${name}, ${why}. Nothing of it was used; the file stays as it is.`,
  );
}
