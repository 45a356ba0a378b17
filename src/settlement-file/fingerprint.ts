import { hash } from 'node:crypto';
import { recordColumnCount } from './columns.js';
import { writeCells } from './write-row.js';

/**
 * Identifies a record, together with its occurrence (design 4.3): the first 128 bits, as 32 hexadecimal digits, of the
 * SHA-256 of its first 33 cells in their canonical form: quoted only where RFC 4180 requires it, joined by `;`, UTF-8.
 * For a line without quotes these are its bytes before the 33rd delimiter.
 */
export function fingerprintOf(cells: readonly string[]): string {
  return fingerprintOfBytes(Buffer.from(writeCells(cells.slice(0, recordColumnCount)), 'utf8'));
}

/** The fingerprint of a record whose first 33 cells are already in canonical form. */
export function fingerprintOfBytes(canonical: Uint8Array): string {
  return hash('sha256', canonical, 'hex').slice(0, 32);
}
