/** C0 and C1 control characters, and marks that change the direction of writing. */
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Text from files and servers for a terminal: characters that move the cursor or hide text are spelled out. */
export function printable(text: string): string {
  return text.replace(unprintable, spelledOut);
}

/** A text of several lines for a terminal: {@link printable} applied to each line. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function spelledOut(character: string): string {
  const names: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  return names[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
