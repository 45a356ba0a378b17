/**
 * Bits of a fingerprint. With eight, and 32 bits of the filter for each row, one row in a million is listed wrongly.
 */
const positions = 8;

/** The filter of a file beyond this size gets less precise: memory must not grow with a file of ten million rows. */
const mostBytes = 8 * 1024 * 1024;

/**
 * This many bytes of a file get a byte of the filter: 35 bits for an ordinary row. A larger filter is slower to reach.
 */
const fileBytesPerByte = 100;

/** Above this, asking the database about each costs more than letting it look at all rows. */
const mostListed = 10_000;

/**
 * Which rows of a file may have the fingerprint of an earlier row of it: a Bloom filter, so a row that is not listed
 * has no earlier twin, and a listed one perhaps has none. Without it, a failed attempt to build the unique index shows
 * that there are twins, and all rows are grouped to find them: 0.27 s for 250,000 rows of which 123 are twins.
 */
export class PossibleTwins {
  readonly #bits: Uint32Array;
  readonly #mask: number;
  readonly #listed = new Set<string>();

  constructor(fileBytes: number) {
    const wanted = Math.min(mostBytes, fileBytes / fileBytesPerByte);
    const bytes = Math.max(64, 2 ** Math.ceil(Math.log2(Math.max(1, wanted))));
    this.#bits = new Uint32Array(bytes / 4);
    this.#mask = bytes * 8 - 1;
  }

  /** @param fingerprint 32 hexadecimal digits that are as good as random */
  add(fingerprint: string): void {
    let position = numberAt(fingerprint, 0);
    // Odd, so that the positions differ.
    const step = numberAt(fingerprint, 8) | 1;
    let seen = true;
    for (let count = 0; count < positions; count += 1) {
      const at = position & this.#mask;
      const bit = 1 << (at & 31);
      // The mask keeps the index within the array.
      const word = this.#bits[at >>> 5] as number;
      if ((word & bit) === 0) {
        seen = false;
        this.#bits[at >>> 5] = word | bit;
      }
      position = (position + step) | 0;
    }
    if (seen && this.#listed.size <= mostListed) this.#listed.add(fingerprint);
  }

  /** The fingerprints that may occur twice; null when there are too many. */
  get fingerprints(): readonly string[] | null {
    return this.#listed.size > mostListed ? null : [...this.#listed];
  }
}

/** The 32 bits of eight hexadecimal digits in lower case: half the time of `parseInt` of a part of the text. */
function numberAt(digits: string, from: number): number {
  let number = 0;
  for (let index = from; index < from + 8; index += 1) {
    const code = digits.charCodeAt(index);
    // Letters are 0x61 to 0x66: their lower four bits are 1 to 6.
    number = (number << 4) | ((code & 15) + (code >> 6) * 9);
  }
  return number;
}
