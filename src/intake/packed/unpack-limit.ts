import { ReconError } from '../../errors.js';
import { showName } from '../../remote/file-names.js';
import type { UnpackLimits } from '../../remote/source-settings.js';
import type { PackedFile } from './layer.js';

/** A small file may unpack to this size whatever the ratio: a short, repetitive file compresses very well. */
const alwaysAllowedBytes = 16 * 1024 ** 2;

/** What a packed file may unpack to, all its layers together: what is on the disk at the same time. */
export class UnpackLimit {
  readonly #file: PackedFile;
  readonly #most: { readonly bytes: number; readonly what: string };
  #unpackedBytes = 0;

  /** @param file the outermost one */
  constructor(
    file: PackedFile,
    {
      maximumSizeBytes,
      maximumRatio,
    }: Pick<UnpackLimits, 'maximumRatio'> & { readonly maximumSizeBytes: number },
  ) {
    this.#file = file;
    const byRatio = Math.max(alwaysAllowedBytes, maximumRatio * file.sizeBytes);
    this.#most =
      maximumSizeBytes <= byRatio
        ? { bytes: maximumSizeBytes, what: `maximumSizeBytes (${maximumSizeBytes})` }
        : { bytes: byRatio, what: `${maximumRatio} times its ${file.sizeBytes} bytes (unpack.maximumRatio)` };
  }

  /** How many bytes more it may unpack to. */
  get leftBytes(): number {
    return Math.max(0, this.#most.bytes - this.#unpackedBytes);
  }

  /** @throws ReconError FILE_PACKED_TOO_LARGE */
  count(bytes: number): void {
    this.#unpackedBytes += bytes;
    if (this.#unpackedBytes > this.#most.bytes) throw this.exceeded();
  }

  /** The error of a file that unpacks to more than is left. */
  exceeded(): ReconError {
    return this.tooLarge(`unpacks to more than ${this.#most.what}`);
  }

  /** The error of a file that is too large in some way. */
  tooLarge(what: string): ReconError {
    return new ReconError(
      'FILE_PACKED_TOO_LARGE',
      `${showName(this.#file.name)} ${what}; no part of it was kept.`,
    );
  }
}
