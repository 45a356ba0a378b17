import { cutText } from '../values/cut-text.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';

/** What to do with a name in a listing. */
export type NameVerdict = 'take' | 'ignore' | 'unsafe';

/** Names that programs give to files they are still writing, and hidden files. */
const temporary = /^\.|~$|\.(?:tmp|temp|part|partial|filepart|crdownload|sw[a-p]|lock|writing)$/i;

/**
 * Letters, marks, digits, punctuation, symbols and plain blanks. Excluded are control and format characters (ESC, CR,
 * LF, bidirectional overrides), surrogates, private use, path separators, and the character that stands for bytes which
 * were not UTF-8.
 */
const safe = /^(?:(?![/\\\ufffd])[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}])+$/u;
const unsafeCharacters = /(?![\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}])[^]|[/\\\ufffd]/gu;

/** The longest name of the usual file systems, in bytes. */
const longestName = 255;

/** Whether no file can have this name, because it is longer than the usual file systems allow. */
export function isTooLongName(name: string): boolean {
  return Buffer.byteLength(name) > longestName;
}

/**
 * Decides by its name alone what happens to a file. A file that would match without its dangerous characters is
 * reported, not skipped silently, so the pattern is also tried on the name without them.
 */
export function judgeName(name: string, filePattern: string): NameVerdict {
  if (name === '.' || name === '..') return 'ignore';
  if (isTooLongName(name)) {
    return matchesGlob(filePattern, name.slice(-longestName)) ? 'unsafe' : 'ignore';
  }
  if (!safe.test(name)) {
    const harmless = name.replace(unsafeCharacters, '');
    return matchesGlob(filePattern, name) || matchesGlob(filePattern, harmless) ? 'unsafe' : 'ignore';
  }
  return !temporary.test(name) && matchesGlob(filePattern, name) ? 'take' : 'ignore';
}

/** Whether a name is a plain file name without dangerous characters. */
export function isSafeName(name: string): boolean {
  return name !== '.' && name !== '..' && !isTooLongName(name) && safe.test(name);
}

/** The name under which a file is stored and reported: a card number in it is truncated. */
export function storedName(name: string): string {
  return maskCardNumbers(name);
}

/** A name that is safe in a message: dangerous characters spelled out, a card number in it truncated. */
export function showName(name: string): string {
  const shown = maskCardNumbers(name).replace(
    unsafeCharacters,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
  return shown.length > 120 ? cutText(shown, 118) : shown;
}

/** A path fit for a message: each name of it as `showName` shows it. */
export function showPath(file: string): string {
  return file.split('/').map(showName).join('/');
}

/**
 * `*` matches any text, `?` any one character, everything else itself. Not a regular expression, because a long
 * name and several stars could keep one busy for hours.
 */
export function matchesGlob(glob: string, text: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let starred = 0;
  while (at < text.length) {
    if (glob[next] === '*') {
      star = next;
      starred = at;
      next += 1;
    } else if (next < glob.length && (glob[next] === '?' || glob[next] === text[at])) {
      next += 1;
      at += 1;
    } else if (star >= 0) {
      // Let the last star match one more character and try the rest again.
      starred += 1;
      at = starred;
      next = star + 1;
    } else return false;
  }
  while (glob[next] === '*') next += 1;
  return next === glob.length;
}

/**
 * `settlement.csv`, `3f9c…` → `settlement-3f9c0a11.csv`: for a second file of the same name. The end of a name that
 * would become too long for the disk is left out.
 */
export function nameWithHash(name: string, sha256: string, digits = 8): string {
  const mark = `-${sha256.slice(0, digits)}`;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? name.slice(dot) : '';
  const ending = Buffer.byteLength(mark + extension) < longestName ? mark + extension : mark;
  const base = name.slice(0, name.length - extension.length);
  return `${cutToBytes(base, longestName - Buffer.byteLength(ending))}${ending}`;
}

/** The beginning of a text, of at most so many bytes and without a part of a character. */
function cutToBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most;
  // The bytes of a character after its first one begin with the bits 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
