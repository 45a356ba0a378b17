/** The most UTF-16 units of a cell: spreadsheets split a longer one. */
export const longestCell = 32_767;

/**
 * A text of at most `longest` UTF-16 units, which ends with `…` if it was longer. A character of two units is never
 * halved: the rest of it would be written as `�`.
 */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = longest - 1;
  const isHalved = highSurrogate.test(text.charAt(end - 1));
  return `${text.slice(0, isHalved ? end - 1 : end)}…`;
}

/** The first unit of a character of two. */
const highSurrogate = /[\uD800-\uDBFF]/;
