/**
 * Where the linked payments of a page go on: the page by its first and its last key, so that payments which are added
 * meanwhile do not move it, and the key of the linked payment that was returned last.
 */
export interface LinkedCursor {
  readonly firstKey: string;
  readonly lastKey: string;
  readonly linkedKey: string;
}

/** The cursor as `next` of a page: three keys, where the beginning of a page is one. */
export function writeLinkedCursor({ firstKey, lastKey, linkedKey }: LinkedCursor): string {
  return `${firstKey}.${lastKey}.${linkedKey}`;
}

/** The cursor of a value of `after`; undefined for any other value. */
export function readLinkedCursor(after: unknown): LinkedCursor | undefined {
  const [, firstKey, lastKey, linkedKey] =
    typeof after === 'string' ? (/^(\d{1,18})\.(\d{1,18})\.(\d{1,18})$/.exec(after) ?? []) : [];
  return firstKey === undefined || lastKey === undefined || linkedKey === undefined
    ? undefined
    : { firstKey, lastKey, linkedKey };
}
