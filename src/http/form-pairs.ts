/** A name and a value of a form, in the order in which they were sent: a repeated name stays visible. */
export type Pair = readonly [name: string, value: string];

/** Without a state between two forms, since each is decoded whole. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads `application/x-www-form-urlencoded` bytes: a body, or the query of a URL. Nothing is replaced: bytes that are
 * not UTF-8, raw or percent-encoded, and a `%` without two digits make the whole form unreadable, because a replaced
 * character would be stored and charged as if the merchant had sent it.
 *
 * @returns the pairs, or undefined if the form cannot be read
 */
export function readForm(bytes: Uint8Array): readonly Pair[] | undefined {
  if (bytes.length === 0) return [];
  try {
    return pairsOf(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

/** `readForm` of the query of a request's URL: Node reads the request line as Latin-1. */
export function readQuery(url: string): readonly Pair[] | undefined {
  const at = url.indexOf('?');
  if (at === -1) return [];
  const query = url.slice(at + 1);
  // A query without other characters, as nearly every one is, needs no decoding.
  if (!isAscii.test(query)) return readForm(Buffer.from(query, 'latin1'));
  try {
    return pairsOf(query);
  } catch {
    return undefined;
  }
}

// A control character never arrives: Node refuses the request.
const isAscii = /^[ -~]*$/;

/** @throws URIError */
function pairsOf(text: string): readonly Pair[] {
  return text
    .split('&')
    .filter((part) => part !== '')
    .map((part): Pair => {
      const at = part.indexOf('=');
      return at === -1 ? [decoded(part), ''] : [decoded(part.slice(0, at)), decoded(part.slice(at + 1))];
    });
}

/** @throws URIError for an escape that is malformed or not UTF-8 */
function decoded(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decodeURIComponent(spaced) : spaced;
}
