class ReadyHtml {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** HTML that is ready to be written. Only `html` and `trusted` make one, so no other text gets past the escaping. */
export type Html = ReadyHtml;

/** What may stand in a template: HTML as it is, text and numbers escaped, lists joined, nothing for null and false. */
export type Part = Html | string | number | bigint | null | undefined | false | readonly Part[];

/**
 * A template of HTML; every value in it is escaped unless it is HTML already. Attributes stand in double quotes. The
 * indentation of the source is not written.
 */
export function html(source: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const texts = withoutIndentation(source);
  let text = texts[0] ?? '';
  parts.forEach((part, index) => {
    text += textOf(part) + (texts[index + 1] ?? '');
  });
  return new ReadyHtml(text);
}

/** Each template of the source is one array, so this happens once for each and not once for each row. */
const templates = new WeakMap<TemplateStringsArray, readonly string[]>();

function withoutIndentation(source: TemplateStringsArray): readonly string[] {
  const known = templates.get(source);
  if (known !== undefined) return known;
  const texts = source.map((text) => text.replace(/\n\s*/g, '\n'));
  templates.set(source, texts);
  return texts;
}

/** Text of this program that is HTML, CSS or a script; never a text from outside. */
export function trusted(text: string): Html {
  return new ReadyHtml(text);
}

function textOf(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof ReadyHtml) return part.toString();
  if (typeof part === 'object') return part.map(textOf).join('');
  return escapeHtml(String(part));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Control characters are not allowed in HTML, and the marks that change the direction of writing can make a text look
 * like another one: both are replaced.
 */
const unwanted =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

function escapeHtml(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(unwanted, '\uFFFD')
    .replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
