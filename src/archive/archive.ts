import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isMissing, onDisk } from '../disk/disk-errors.js';
import { syncDirectory } from '../disk/durable.js';
import { namesIn, statIfThere } from '../disk/unless-missing.js';
import { claimFolder, createFile, makeFolder } from '../disk/private-files.js';
import { ReconError } from '../errors.js';
import { failPoint } from '../fail-point.js';
import type { ArchiveKeys } from './archive-keys.js';
import { newFileKey } from './encrypted-format.js';
import { IncomingFile } from './incoming-file.js';
import { StoredBytes } from './stored-bytes.js';

/** The name of an encrypted file in the archive has this after the SHA-256. */
const encryptedEnding = '.encrypted';

/**
 * The archive keeps the received bytes of every file under their SHA-256, before anything parses them. A name or date
 * never decides where they are stored: both can be sent again with other content.
 *
 * With a key, bytes are encrypted before they are written to the disk, incoming ones too. The ending of the name says
 * whether a file is encrypted: its content could be made to look like either.
 */
export class Archive {
  readonly #directory: string;
  readonly #keys: ArchiveKeys;

  /** @param dataDirectory contains the folders `archive` and `incoming` */
  constructor(dataDirectory: string, keys: ArchiveKeys) {
    this.#directory = dataDirectory;
    this.#keys = keys;
  }

  /** The archive of another folder, with the same keys. */
  in(dataDirectory: string): Archive {
    return new Archive(dataDirectory, this.#keys);
  }

  /** The name of the key that new files are encrypted with; null: they are stored as they are. */
  get encryptsWith(): string | null {
    return this.#keys.encryptWith;
  }

  /** The bytes with this SHA-256, whether they are there or not. */
  bytes(sha256: string): StoredBytes {
    return new StoredBytes(this.#placeOf(sha256), this.#keys);
  }

  /** A new file for bytes that are received: on the same disk, so that archiving it is one rename. */
  async newIncoming(): Promise<IncomingFile> {
    const directory = path.join(this.#directory, 'incoming');
    await onDisk(`create the folder ${directory}`, async () => {
      await makeFolder(this.#directory, { owner: 'account' });
      await claimFolder(directory);
    });
    const file = path.join(directory, `${randomUUID()}.part`);
    const handle = await onDisk(`create ${file}`, () => createFile(file));
    return new IncomingFile(file, handle, this.#newKey(), this.#keys);
  }

  /** Deletes partly received files of runs that died; a transfer is never resumed from them. */
  async removeIncoming(): Promise<void> {
    const directory = path.join(this.#directory, 'incoming');
    await onDisk(`clear ${directory}`, async () => {
      for (const name of await namesIn(directory)) {
        if (name.endsWith('.part')) await rm(path.join(directory, name), { force: true });
      }
    });
  }

  /**
   * Moves received bytes, already synced, to their place; if the place is taken, the bytes there are the same. If the
   * same bytes are there in the other form (plain or encrypted), that form is removed, so that there is one file.
   */
  async keep(incoming: IncomingFile, sha256: string): Promise<void> {
    const { plain, encrypted } = this.#placeOf(sha256);
    const [target, other] = incoming.isEncrypted ? [encrypted, plain] : [plain, encrypted];
    const folder = path.dirname(target);
    await onDisk(`archive ${sha256}`, async () => {
      const made = [await claimFolder(path.dirname(folder)), await claimFolder(folder)];
      await rename(incoming.file, target);
      failPoint('archive.renamed');
      await syncDirectory(folder);
      // A new folder is itself an entry that must be synced.
      if (made.some((first) => first !== undefined)) {
        await syncDirectory(path.dirname(folder));
        await syncDirectory(this.#directory);
      }
      await rm(other, { force: true });
    });
  }

  /** Whether the archive has bytes under this SHA-256, whatever they are. */
  async has(sha256: string): Promise<boolean> {
    const { plain, encrypted } = this.#placeOf(sha256);
    for (const file of [plain, encrypted]) {
      if ((await onDisk(`look at ${file}`, () => statIfThere(file)))?.isFile() === true) return true;
    }
    return false;
  }

  /**
   * Whether the archived bytes still have their SHA-256; false when they are not there.
   *
   * @throws ReconError DISK_FAILED when they cannot be read; then plain bytes may still be intact. ARCHIVE_KEY_MISSING
   */
  async isIntact(sha256: string): Promise<boolean> {
    return onDisk(`read ${this.pathOf(sha256)}`, async () => {
      const hash = createHash('sha256');
      try {
        for await (const piece of this.bytes(sha256).pieces(256 * 1024)) hash.update(piece);
      } catch (thrown) {
        if (isMissing(thrown)) return false;
        throw thrown;
      }
      return hash.digest('hex') === sha256;
    });
  }

  /** Where the bytes with this SHA-256 are when they are not encrypted. */
  pathOf(sha256: string): string {
    return path.join(this.#directory, 'archive', sha256.slice(0, 2), sha256);
  }

  #placeOf(sha256: string) {
    const plain = this.pathOf(sha256);
    return { sha256, plain, encrypted: `${plain}${encryptedEnding}` };
  }

  #newKey() {
    const { encryptWith, keys } = this.#keys;
    if (encryptWith === null) return null;
    const key = keys[encryptWith];
    if (key === undefined) {
      throw new ReconError(
        'ARCHIVE_KEY_MISSING',
        `There is no key ${encryptWith}, which archive.encryptWith names. Nothing was received.`,
      );
    }
    return newFileKey(encryptWith, key, randomBytes);
  }
}
