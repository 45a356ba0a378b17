/**
 * Characters that no cell may contain: control characters (a line feed inside quotes, alone or after a carriage return,
 * is the exception), no-break and zero-width spaces, soft hyphens, marks of writing direction and the BOM character.
 * They make two different references look equal, so cells with them are rejected; they are never removed.
 */
const refused =
  '[\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u00a0\\u00ad\\u061c\\u180e\\u200b-\\u200f' +
  '\\u2028-\\u202f\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]|\\u034f|\\r(?!\\n)';

/** Every refused character; a carriage return only when no line feed follows. */
export const invisibleCharacters = new RegExp(refused, 'g');

const anyInvisible = new RegExp(refused);

/** Whether the text contains a character that no cell may contain. */
export function holdsInvisible(text: string): boolean {
  return anyInvisible.test(text);
}

const names: Readonly<Record<string, string>> = {
  '\t': 'a tab',
  '\r': 'a carriage return',
  '\u00a0': 'a no-break space',
  '\u00ad': 'a soft hyphen',
  '\u200b': 'a zero-width space',
  '\u202f': 'a narrow no-break space',
  '\ufeff': 'a byte order mark',
};

/** `a no-break space (U+00A0) as character 7`: the first forbidden character, for a message. */
export function describeInvisible(text: string): string {
  const at = text.search(anyInvisible);
  const found = text.charAt(at);
  const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  const place = Array.from(text.slice(0, at)).length + 1;
  return `${names[found] ?? 'a control or invisible character'} (U+${code}) as character ${place}`;
}
