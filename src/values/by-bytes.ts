/** Text order by bytes, as the database sorts with collation "C". */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
