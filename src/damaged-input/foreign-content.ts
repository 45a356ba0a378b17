import { wideEncoding } from './encoding.js';
import { saveAsCsv } from './save-as-csv.js';

/** How many bytes of the beginning of a file `foreignContent` needs; fewer only if the file is shorter. */
export const headBytes = 512;

/** Content that is not a CSV file at all. Both texts complete a sentence: "The file is <what>: <advice>." */
export interface ForeignContent {
  readonly what: string;
  readonly advice: string;
  /** Set for the archives that the settlement files of a source may come in. */
  readonly packed?: 'gzip' | 'zip';
}

const exportFromSpreadsheet = 'open it in the spreadsheet and save the sheet as "CSV UTF-8" with semicolons';
const unpack = 'unpack it and take the CSV file inside';
const askForCsv = 'ask the sender for the CSV file';
const fetchAgain = 'so fetch the file again from the place where it is kept';

const signedOnly: ForeignContent = {
  what: 'an OpenPGP message that is signed and not encrypted',
  advice: 'ask the sender to encrypt it as well, or to send the CSV file',
};

const signatures: readonly (readonly [bytes: readonly number[], content: ForeignContent])[] = [
  [[0x1f, 0x8b], { what: 'a gzip archive', advice: unpack, packed: 'gzip' }],
  [[0x42, 0x5a, 0x68], { what: 'a bzip2 archive', advice: unpack }],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], { what: 'an xz archive', advice: unpack }],
  [[0x28, 0xb5, 0x2f, 0xfd], { what: 'a Zstandard archive', advice: unpack }],
  [[0x37, 0x7a, 0xbc, 0xaf], { what: 'a 7z archive', advice: unpack }],
  [[0xd0, 0xcf, 0x11, 0xe0], { what: 'an old Excel workbook (.xls)', advice: exportFromSpreadsheet }],
  // A compressed message (three algorithms), as GnuPG signs, and one that begins with its signature.
  [[0xa3, 0x01], signedOnly],
  [[0xa3, 0x02], signedOnly],
  [[0xa3, 0x03], signedOnly],
  [[0x90, 0x0d, 0x03], signedOnly],
  [[0x25, 0x50, 0x44, 0x46, 0x2d], { what: 'a PDF document', advice: askForCsv }],
  [[0x52, 0x61, 0x72, 0x21, 0x1a, 0x07], { what: 'a RAR archive', advice: unpack }],
  [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a], { what: 'a picture (PNG)', advice: askForCsv }],
  [[0xff, 0xd8, 0xff], { what: 'a picture (JPEG)', advice: askForCsv }],
];

const zip = [0x50, 0x4b];

/**
 * The kind of a file, by its first bytes, if it is not a CSV file: an archive, a workbook, a web page, text in a wide
 * encoding, binary data. Without this check, such a file would fail later, with a message about its first line.
 */
export function foreignContent(head: Buffer): ForeignContent | undefined {
  const wide = wideEncoding(head);
  if (wide !== undefined) return { what: wide, advice: saveAsCsv };
  const begins = (bytes: readonly number[]) => bytes.every((byte, index) => head[index] === byte);
  const known = signatures.find(([bytes]) => begins(bytes));
  if (known !== undefined) return known[1];
  const text = head.subarray(0, headBytes).toString('latin1');
  if (begins(zip) && /^PK(?:\x03\x04|\x05\x06)/.test(text)) return zipContent(text);
  const start = text.replace(/^\xef\xbb\xbf/, '').trimStart();
  if (/^<(?:!doctype html|html|head|body|!--)/i.test(start)) {
    return { what: 'a web page (HTML)', advice: `it may be a login or error page, ${fetchAgain}` };
  }
  if (start.startsWith('-----BEGIN PGP SIGNED MESSAGE-----')) return signedOnly;
  if (/^<\?xml/i.test(start)) return { what: 'an XML document', advice: askForCsv };
  if (/^(?:\{\s*"|\[\s*[{["])/.test(start)) {
    return { what: 'a JSON document', advice: `it may be an error message, ${fetchAgain}` };
  }
  return isBinary(text) ? { what: 'binary data', advice: askForCsv } : undefined;
}

/**
 * Whether more than a twentieth of the bytes are control characters, which text does not contain; of random bytes it is
 * a tenth. Single ones are left to the checks of the cells, whose messages name the place. NUL does not count: a packed
 * file of zeros is refused for its size.
 */
function isBinary(head: string): boolean {
  const controls = head.match(/[\x01-\x08\x0b\x0c\x0e-\x1f]/g)?.length ?? 0;
  return controls >= 8 && controls * 20 > head.length;
}

function zipContent(text: string): ForeignContent {
  if (text.includes('opendocument')) {
    return { what: 'an OpenDocument spreadsheet (.ods)', advice: exportFromSpreadsheet };
  }
  if (/\[Content_Types\]\.xml|_rels\/|docProps\/|xl\//.test(text)) {
    return { what: 'an Excel workbook (.xlsx)', advice: exportFromSpreadsheet };
  }
  return { what: 'a ZIP archive', advice: unpack, packed: 'zip' };
}
