/** What a name in a listing is to us. */
export type NameVerdict = 'take' | 'ignore' | 'unsafe';

/** Names that programs give to files they are still writing, and hidden files. */
const temporary = /^\.|~$|\.(?:tmp|temp|part|partial|filepart|crdownload|swp|lock|writing)$/i;

/** Control characters, bidirectional overrides, path separators, and what is left of bytes that were not UTF-8. */
const dangerous = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd/\\]/;

/**
 * Decides by its name alone what happens to a file. A file that would be taken but for a dangerous name is
 * told, not skipped in silence.
 */
export function judgeName(name: string, filePattern: string): NameVerdict {
  if (name === '.' || name === '..' || temporary.test(name)) return 'ignore';
  if (!globToPattern(filePattern).test(name)) return 'ignore';
  const isUnsafe = dangerous.test(name) || Buffer.byteLength(name) > 255;
  return isUnsafe ? 'unsafe' : 'take';
}

/** A name fit for a message: dangerous characters are spelled out. */
export function showName(name: string): string {
  const shown = name.replace(
    new RegExp(dangerous.source, 'g'),
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return shown.length > 120 ? `${shown.slice(0, 117)}…` : shown;
}

/** `*` is any text, `?` any character; everything else is itself. */
export function globToPattern(glob: string): RegExp {
  const body = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${body}$`, 's');
}
