import type { StoredBytes } from '../../archive/stored-bytes.js';

/** What is inside a packed file, in the order in which it is stored there. */
export interface PackedEntry {
  /** A plain file name, checked. */
  readonly name: string;
  /** Read once, and completely before the next entry. */
  readonly bytes: AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** A file in the archive that contains others: gzip, ZIP or OpenPGP. */
export interface PackedFile {
  readonly name: string;
  readonly bytes: StoredBytes;
  readonly sizeBytes: number;
}

/** The forms that are recognised by their first bytes. */
export type PackedForm = 'gzip' | 'zip' | 'openpgp';

const extensions: Readonly<Record<PackedForm, RegExp>> = {
  gzip: /\.gz(?:ip)?$/i,
  zip: /\.zip$/i,
  openpgp: /\.(?:pgp|gpg|asc)$/i,
};

/** `settlement.csv.gz` → `settlement.csv`; a name without such an extension stays as it is. */
export function nameInside(name: string, form: PackedForm): string {
  const inside = name.replace(extensions[form], '');
  return inside === '' ? name : inside;
}

/** The name that a packed settlement file probably has inside: all extensions of packed forms are taken off. */
export function probableNameInside(name: string): string {
  const inside = Object.values(extensions).reduce((rest, extension) => rest.replace(extension, ''), name);
  return inside === '' || inside === name ? name : probableNameInside(inside);
}

/** Whether a file of this name may contain several files, and their totals. */
export function isNameOfZip(name: string): boolean {
  return extensions.zip.test(nameInside(name, 'openpgp'));
}
