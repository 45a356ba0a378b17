/** The number of a page as it was sent: undefined if none was, NaN for a text that is no number from 1. */
export function readPageNo(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : NaN;
}
