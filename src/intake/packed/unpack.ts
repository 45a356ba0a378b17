import type { Archive } from '../../archive/archive.js';
import type { IncomingFile } from '../../archive/incoming-file.js';
import type { StoredBytes } from '../../archive/stored-bytes.js';
import { foreignContent, headBytes } from '../../damaged-input/foreign-content.js';
import { onDisk, systemErrorOf } from '../../disk/disk-errors.js';
import { ReconError, messageOf } from '../../errors.js';
import { showName } from '../../remote/file-names.js';
import type { OpenPgpSettings, UnpackLimits } from '../../remote/source-settings.js';
import { gzipEntries } from './gzip-layer.js';
import type { PackedEntry, PackedFile, PackedForm } from './layer.js';
import { DecryptsToMore, isOpenPgp, openPgpEntries } from './openpgp-layer.js';
import { UnpackLimit } from './unpack-limit.js';
import { refuseNames, zipEntries } from './zip-layer.js';

/** What unpacking depends on. */
export interface UnpackSettings extends UnpackLimits {
  readonly archive: Archive;
  /** All files inside together may have this many bytes. */
  readonly maximumSizeBytes: number;
  readonly openpgp: OpenPgpSettings | null;
  /** Throws when the run is to stop; called for every chunk. */
  readonly stopIfInterrupted: () => void;
}

/** A file that was inside a packed file; its bytes are in the archive. */
export interface UnpackedFile {
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** A packed file may contain a packed file: a ZIP archive of gzip files. Deeper nesting has no honest use. */
const maximumLayers = 3;

/**
 * Unpacks a received file if its first bytes are those of a packed form, and archives what is inside, under the SHA-256
 * of the unpacked bytes: a file is thus known whether it comes plain or packed. All of it is unpacked and checked
 * before any of it is archived.
 *
 * @returns the files inside; undefined if the file is not packed
 * @throws ReconError FILE_PACKED_*; FILE_DECRYPTION_FAILED, FILE_SIGNATURE_INVALID, FILE_NOT_ENCRYPTED,
 *   OPENPGP_MISSING; DISK_*; what `stopIfInterrupted` throws
 */
export async function unpack(
  file: PackedFile,
  settings: UnpackSettings,
): Promise<UnpackedFile[] | undefined> {
  const form = await packedForm(file.bytes, settings.openpgp);
  if (form === undefined) {
    requireEncryption(file, settings, { isDecrypted: false });
    return undefined;
  }
  const unpacking = new Unpacking(file, settings);
  try {
    await unpacking.open(file, form, { layer: 1, isDecrypted: false });
    const files = unpacking.files.map(({ name, sha256, sizeBytes }) => ({ name, sha256, sizeBytes }));
    refuseNames(
      file,
      files.map(({ name }) => name),
    );
    for (const each of unpacking.files) await settings.archive.keep(each.incoming, each.sha256);
    return files;
  } finally {
    await unpacking.end();
  }
}

/** A plain file on the server of a sender who encrypts is not from that sender. */
function requireEncryption(
  file: PackedFile,
  { openpgp }: UnpackSettings,
  { isDecrypted }: Pick<Place, 'isDecrypted'>,
): void {
  if (isDecrypted || openpgp?.required !== true) return;
  throw new ReconError(
    'FILE_NOT_ENCRYPTED',
    `${showName(file.name)} is not encrypted with OpenPGP, as its source requires. Nothing of it was loaded.`,
  );
}

/** The form of a packed file, by its first bytes; undefined for any other file, a workbook included. */
async function packedForm(
  bytes: StoredBytes,
  openpgp: OpenPgpSettings | null,
): Promise<PackedForm | undefined> {
  const head = await onDisk('read a received file', () => bytes.part(0, headBytes));
  return foreignContent(head)?.packed ?? (isOpenPgp(head, openpgp) ? 'openpgp' : undefined);
}

interface StoredEntry extends UnpackedFile {
  readonly incoming: IncomingFile;
  readonly bytes: StoredBytes;
}

/** Where in a packed file something is. */
interface Place {
  readonly layer: number;
  readonly isDecrypted: boolean;
}

/** The state of one unpacking. */
class Unpacking {
  readonly files: StoredEntry[] = [];
  readonly #outer: PackedFile;
  readonly #settings: UnpackSettings;
  readonly #written: IncomingFile[] = [];
  readonly #limit: UnpackLimit;

  constructor(outer: PackedFile, settings: UnpackSettings) {
    this.#outer = outer;
    this.#settings = settings;
    this.#limit = new UnpackLimit(outer, settings);
  }

  async open(file: PackedFile, form: PackedForm, place: Place): Promise<void> {
    if (place.layer > maximumLayers) {
      throw new ReconError(
        'FILE_PACKED_ENTRIES',
        `${showName(this.#outer.name)} is packed more than ${maximumLayers} times. Nothing of it was loaded.`,
      );
    }
    try {
      const isDecrypted = place.isDecrypted || form === 'openpgp';
      for await (const entry of this.#entries(file, form)) {
        await this.#take(entry, { ...place, isDecrypted });
      }
    } catch (thrown) {
      throw this.#asFailure(thrown);
    }
  }

  /** Deletes what was not archived. */
  async end(): Promise<void> {
    for (const incoming of this.#written) await incoming.remove();
  }

  #entries(file: PackedFile, form: PackedForm): AsyncIterable<PackedEntry> | Iterable<PackedEntry> {
    const { maximumFiles, openpgp } = this.#settings;
    if (form === 'gzip') return gzipEntries(file);
    return form === 'zip'
      ? zipEntries(file, maximumFiles)
      : openPgpEntries(file, openpgp, this.#limit.leftBytes);
  }

  async #take(entry: PackedEntry, place: Place): Promise<void> {
    const stored = await this.#store(entry);
    const form = await packedForm(stored.bytes, this.#settings.openpgp);
    if (form === undefined) {
      requireEncryption(this.#outer, this.#settings, place);
      this.files.push(stored);
    } else await this.open(stored, form, { ...place, layer: place.layer + 1 });
    if (this.files.length > this.#settings.maximumFiles) {
      throw this.#limit.tooLarge(
        `contains more files than unpack.maximumFiles (${this.#settings.maximumFiles})`,
      );
    }
  }

  async #store({ name, bytes }: PackedEntry): Promise<StoredEntry> {
    const { archive, stopIfInterrupted } = this.#settings;
    const what = `unpack ${showName(name)}`;
    const incoming = await archive.newIncoming();
    this.#written.push(incoming);
    try {
      for await (const chunk of bytes) {
        stopIfInterrupted();
        this.#limit.count(chunk.length);
        await onDisk(what, () => incoming.write(chunk));
      }
      await onDisk(what, () => incoming.end());
      await onDisk(what, () => incoming.sync(what));
    } finally {
      await onDisk(what, () => incoming.close());
    }
    const { sha256, sizeBytes } = incoming;
    return { name, incoming, bytes: incoming.bytes(), sha256, sizeBytes };
  }

  /** An error that the libraries throw about the bytes means that these are damaged. */
  #asFailure(thrown: unknown): unknown {
    if (thrown instanceof DecryptsToMore) return this.#limit.exceeded();
    if (thrown instanceof ReconError || systemErrorOf(thrown) !== undefined) return thrown;
    return new ReconError(
      'FILE_PACKED_DAMAGED',
      `${showName(this.#outer.name)} is damaged or incomplete and cannot be unpacked: ${messageOf(thrown).replace(/\.$/, '')}. ` +
        'Nothing of it was loaded; the bytes are in the archive.',
      { cause: thrown },
    );
  }
}
