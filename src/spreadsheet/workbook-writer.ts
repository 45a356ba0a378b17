import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';
import {
  filteredRange,
  printedRange,
  SharedStrings,
  sheetBegin,
  sheetEnd,
  type SheetCell,
  type SheetColumn,
} from './sheet-xml.js';
import { RowXml } from './row-xml.js';
import { sharedStringsPath, sheetPath, workbookParts } from './workbook-parts.js';
import { smallPart, writeZip, type Sink, type ZipPart } from './zip-archive.js';

/**
 * Bytes that are kept until they are read once: sheets are filled side by side, and an archive has one after another.
 */
export interface Scratch extends Sink {
  read(): AsyncIterable<Buffer>;
}

/**
 * A workbook (XLSX) whose sheets are filled row by row in any order. What is written is compressed at once and kept in
 * scratch files, so memory does not grow with the number of rows.
 *
 * The streaming writer of hucre, which reads the sheets that are given back, was tried first: it writes one sheet, and
 * neither filters nor several sheets.
 */
export class WorkbookWriter {
  readonly #sheets: Sheet[] = [];
  readonly #limits: SheetLimits;
  readonly #scratch: () => Promise<Scratch>;
  readonly #strings = new SharedStrings();

  constructor(scratch: () => Promise<Scratch>, limits: SheetLimits) {
    this.#scratch = scratch;
    this.#limits = limits;
  }

  /** The sheets are in the order in which they are added. */
  addSheet(name: string, columns: readonly SheetColumn[]): Sheet {
    const beginPart = async (partName: string) =>
      new SheetPart(partName, columns, { strings: this.#strings, scratch: await this.#scratch() });
    const sheet = new Sheet(name, beginPart, this.#limits);
    this.#sheets.push(sheet);
    return sheet;
  }

  /** Bytes so far, before compression: how much of it is compressed at this moment is chance. */
  get bytes(): number {
    return this.#sheets.reduce((sum, sheet) => sum + sheet.bytes, 0);
  }

  /** Writes the archive. */
  async finish(sink: Sink): Promise<void> {
    const finished: FinishedPart[] = [];
    for (const sheet of this.#sheets) finished.push(...(await sheet.end()));
    await writeZip(sink, [
      ...workbookParts(finished).map(({ name, xml }) => smallPart(name, xml)),
      smallPart(sharedStringsPath, this.#strings.toXml()),
      ...finished.map((part, index) => ({ ...part.content, name: sheetPath(index + 1) })),
    ]);
  }
}

/** How long a sheet may be; further rows go to another one. */
export interface SheetLimits {
  /** Rows of a sheet, header included. */
  readonly rows: number;
}

/** A part of an archive ends below 4 GiB, and no spreadsheet opens a sheet of this size. */
const largestPartBytes = 2 ** 30;

/** A sheet, which continues in `name-2` and so on when it is full; each has the header. */
export class Sheet {
  readonly #name: string;
  readonly #beginPart: (name: string) => Promise<SheetPart>;
  readonly #limits: SheetLimits;
  readonly #full: FinishedPart[] = [];
  #part: SheetPart | undefined;

  constructor(name: string, beginPart: (name: string) => Promise<SheetPart>, limits: SheetLimits) {
    this.#name = name;
    this.#beginPart = beginPart;
    this.#limits = limits;
  }

  get bytes(): number {
    const full = this.#full.reduce((sum, part) => sum + part.content.size, 0);
    return full + (this.#part?.size ?? 0);
  }

  async write(rows: readonly (readonly SheetCell[])[]): Promise<void> {
    for (const cells of rows) await this.add(cells);
  }

  /** Writes one row. Nearly all are written at once; if there is a promise, await it before the next row. */
  add(cells: readonly SheetCell[]): Promise<void> | undefined {
    const part = this.#part;
    if (part === undefined || !this.#hasRoom(part)) return this.#addToNextPart(cells);
    return part.writeRow(cells);
  }

  async end(): Promise<readonly FinishedPart[]> {
    const part = this.#part ?? (await this.#nextPart());
    this.#full.push(await part.end());
    return this.#full;
  }

  #hasRoom({ rows, size }: SheetPart): boolean {
    return rows < this.#limits.rows && size < largestPartBytes;
  }

  async #addToNextPart(cells: readonly SheetCell[]): Promise<void> {
    if (this.#part !== undefined) this.#full.push(await this.#part.end());
    await (await this.#nextPart()).writeRow(cells);
  }

  async #nextPart(): Promise<SheetPart> {
    const number = this.#full.length + 1;
    this.#part = await this.#beginPart(number === 1 ? this.#name : `${this.#name}-${number}`);
    return this.#part;
  }
}

interface FinishedPart {
  readonly name: string;
  readonly filtered: string;
  readonly printed: string;
  readonly content: Omit<ZipPart, 'name'>;
}

/** Text is compressed in pieces of about this size. */
const pieceBytes = 256 * 1024;

/** The most bytes of a UTF-16 unit in UTF-8. */
const bytesPerCharacter = 3;

class SheetPart {
  readonly #name: string;
  readonly #columns: readonly SheetColumn[];
  readonly #rowXml: RowXml;
  readonly #scratch: Scratch;
  /** A low level takes much less time than the usual level 6, for a file that is a little larger (decision 10). */
  readonly #deflate = createDeflateRaw({ level: 2, chunkSize: 128 * 1024 });
  readonly #stored: Promise<void>;
  #piece = Buffer.allocUnsafeSlow(pieceBytes);
  #used = 0;
  /** A thread of the library compresses one piece while the other is filled. */
  #compressing: Promise<void> = Promise.resolve();
  #compressedPiece = Buffer.allocUnsafeSlow(pieceBytes);
  #crc = 0;
  rows = 1;
  size = 0;
  compressedSize = 0;

  constructor(
    name: string,
    columns: readonly SheetColumn[],
    { strings, scratch }: { readonly strings: SharedStrings; readonly scratch: Scratch },
  ) {
    this.#name = name;
    this.#columns = columns;
    this.#rowXml = new RowXml(columns, strings);
    this.#scratch = scratch;
    this.#used = this.#piece.write(sheetBegin(columns));
    this.#stored = pipeline(this.#deflate, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        this.compressedSize += chunk.length;
        await scratch.write(chunk);
      }
    });
    // Whoever writes next gets the failure.
    this.#stored.catch(() => undefined);
  }

  /** Undefined once the row is written. */
  writeRow(cells: readonly SheetCell[]): Promise<void> | undefined {
    this.rows += 1;
    return this.#add(this.#rowXml.write(this.rows, cells));
  }

  async end(): Promise<FinishedPart> {
    await this.#add(sheetEnd(this.#columns, this.rows));
    await this.#compressPiece();
    await this.#compressing;
    this.#deflate.end();
    await this.#stored;
    const { size, compressedSize } = this;
    return {
      name: this.#name,
      filtered: filteredRange(this.#columns, this.rows),
      printed: printedRange(this.#columns, this.rows),
      content: { crc: this.#crc, size, compressedSize, bytes: this.#scratch.read() },
    };
  }

  /**
   * Each row becomes bytes at once. As texts, the hundred pieces of a row waited for the rest of 256 KB, outlived the
   * small collections, and took 5 of the 35 µs of an open item.
   */
  #add(xml: string): Promise<void> | undefined {
    if (xml.length * bytesPerCharacter > this.#piece.length - this.#used) return this.#addToNextPiece(xml);
    this.#used += this.#piece.write(xml, this.#used);
    return undefined;
  }

  async #addToNextPiece(xml: string): Promise<void> {
    await this.#compressPiece();
    if (xml.length * bytesPerCharacter > this.#piece.length) await this.#compress(Buffer.from(xml));
    else this.#used += this.#piece.write(xml, this.#used);
  }

  async #compressPiece(): Promise<void> {
    const full = this.#piece;
    await this.#compress(full.subarray(0, this.#used));
    this.#piece = this.#compressedPiece;
    this.#compressedPiece = full;
    this.#used = 0;
  }

  /** Begins to compress once the piece before it is compressed, whose buffer is free then. */
  async #compress(bytes: Buffer): Promise<void> {
    await this.#compressing;
    this.#crc = crc32(bytes, this.#crc);
    this.size += bytes.length;
    const compressed = new Promise<void>((resolve) => {
      // After a failure, which whoever waits for `#stored` gets, nothing is compressed any more.
      this.#deflate.write(bytes, (thrown) => {
        if (!thrown) resolve();
      });
    });
    this.#compressing = Promise.race([compressed, this.#stored]);
    // The next piece awaits it; until then a failure must not count as unhandled.
    this.#compressing.catch(() => undefined);
  }
}
