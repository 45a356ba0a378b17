import type { Fragment, Reader } from './client.js';

/*
 * Texts that may be very long, read in pieces. Ordinary rows have less than a thousand bytes, but a row of a file may
 * be a megabyte, and a finding about it has the ids that its sender claims twice: 150 of them at a time were 285 MB.
 */

/** A text of more bytes is sent in pieces. */
const longestBytes = 32_768;

/** As hexadecimal digits, a piece is as long as the longest whole text. */
const pieceBytes = longestBytes / 2;

/** What stands before each piece: whether others follow, or it is the last one. */
const marks = { goesOn: '\u001d', ends: '\u001c' } as const;

/** Characters of the rows of a portion, unless one row has more. */
export const portionLength = 256 * 1024;

/** Divides rows into portions: all that there are, or a few if they are long. */
export function* inPortions<Row>(rows: Iterable<Row>, lengthOf: (row: Row) => number): Generator<Row[]> {
  let portion: Row[] = [];
  let length = 0;
  for (const row of rows) {
    portion.push(row);
    length += lengthOf(row);
    if (length < portionLength) continue;
    yield portion;
    [portion, length] = [[], 0];
  }
  if (portion.length > 0) yield portion;
}

/**
 * For the list of a select: the text, or a row for each of its pieces. The server makes them after it has sorted the
 * rows. They are cut from bytes: a character of a text is found by counting from its beginning, which took 0.5 s for a
 * row of two megabytes.
 *
 * @param text a text that does not begin with one of the marks
 */
export function inPieces(sql: Reader, text: Fragment): Fragment {
  const bytes = sql`${pieceBytes}::integer`;
  return sql`unnest(case when octet_length(${text}) <= ${longestBytes}::integer then array[${text}] else array(
      select case when at + ${bytes} > octet_length(b.bytes) then ${marks.ends} else ${marks.goesOn} end
        || encode(substring(b.bytes from at for ${bytes}), 'hex')
      from (select convert_to(${text}, 'UTF8') as bytes offset 0) b
      cross join lateral generate_series(1, octet_length(b.bytes), ${bytes}) at order by at) end)`;
}

/** {@link inPieces} for a text that may begin with any character; it is marked as a value. */
export function anyInPieces(sql: Reader, text: Fragment): Fragment {
  return inPieces(sql, sql`(chr(31) || ${text})`);
}

/** Puts the pieces of {@link inPieces} together again. */
export class JoinedPieces {
  #pieces: Buffer[] = [];

  /** The whole text once it is known; null while pieces follow. */
  add(text: string): string | null {
    const goesOn = text.startsWith(marks.goesOn);
    if (!goesOn && !text.startsWith(marks.ends)) return text;
    this.#pieces.push(Buffer.from(text.slice(1), 'hex'));
    if (goesOn) return null;
    const joined = Buffer.concat(this.#pieces).toString();
    this.#pieces = [];
    return joined;
  }

  /** The whole text of the pieces of {@link anyInPieces}; null while pieces follow. */
  addAny(text: string): string | null {
    return this.add(text)?.slice(1) ?? null;
  }
}
