import { isAscii, isUtf8 } from 'node:buffer';

import { saveAsCsv } from './save-as-csv.js';

/** The byte order mark of UTF-8, tolerated at byte 0 only. */
export const utf8Mark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The name of a wider encoding that the first four bytes show, by its byte order mark or by the zero bytes next to the
 * first letter of the header; undefined for anything else. Without a mark, UTF-16 of ASCII text is valid UTF-8 full of
 * NULs, so this must be checked first.
 */
export function wideEncoding(head: Buffer): string | undefined {
  const pattern = Array.from(head.subarray(0, 4), (byte) => (byte === 0 ? '0' : 'x')).join('');
  if (startsWith(head, [0xff, 0xfe, 0, 0]) || pattern === 'x000') return 'UTF-32LE';
  if (startsWith(head, [0, 0, 0xfe, 0xff]) || pattern === '000x') return 'UTF-32BE';
  if (startsWith(head, [0xff, 0xfe]) || pattern === 'x0x0') return 'UTF-16LE';
  if (startsWith(head, [0xfe, 0xff]) || pattern === '0x0x') return 'UTF-16BE';
  return undefined;
}

function startsWith(bytes: Buffer, mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

/** The position of the first byte that is not part of valid UTF-8; -1 if there is none. */
export function firstInvalidByte(bytes: Buffer): number {
  if (isAscii(bytes) || isUtf8(bytes)) return -1;
  let from = 0;
  // A line feed is never part of another character, so lines can be checked one by one.
  for (;;) {
    const lineEnd = bytes.indexOf(0x0a, from);
    const to = lineEnd === -1 ? bytes.length : lineEnd + 1;
    if (!isUtf8(bytes.subarray(from, to))) break;
    from = to;
  }
  while (from < bytes.length) {
    const length = characterLength(bytes[from] ?? 0);
    if (!isUtf8(bytes.subarray(from, from + length))) return from;
    from += length;
  }
  return -1;
}

/** How many bytes at the end begin a character that is not complete, which the next piece may continue; at most 3. */
export function incompleteBytes(bytes: Buffer): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count += 1) {
    const byte = bytes[bytes.length - count] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return characterLength(byte) > count ? count : 0;
  }
  return 0;
}

function characterLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** The characters of Windows-1252 at the positions of Latin-1's control characters; a space for unused ones. */
const windows1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/**
 * The character of a byte in Windows-1252, the encoding in which a spreadsheet saves plain "CSV" in western countries;
 * undefined for the few unused bytes, and for ASCII.
 */
function inWindows1252(byte: number): string | undefined {
  if (byte < 0x80) return undefined;
  if (byte >= 0xa0) return String.fromCharCode(byte);
  const found = windows1252[byte - 0x80];
  return found === ' ' ? undefined : found;
}

/** `in Windows-1252 it would be 'é': `, if a byte that is not UTF-8 would be a character there; else empty. */
export function invalidByteLooks(byte: number): string {
  const character = inWindows1252(byte);
  return character === undefined ? '' : `in Windows-1252 it would be '${character}': `;
}

/** A sentence part about a byte that is not UTF-8: what it would be in Windows-1252, and what to do. */
export function describeInvalidByte(byte: number): string {
  return `${invalidByteLooks(byte)}${saveAsCsv}`;
}
