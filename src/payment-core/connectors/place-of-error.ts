/** The name and the stack of what was thrown, without its message, which may quote a card number. */
export function placeOfError(thrown: unknown): Error {
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  const place = new Error(name);
  const lines = thrown instanceof Error ? (thrown.stack ?? '').split('\n') : [];
  place.stack = [name, ...lines.filter((line) => /^\s+at /.test(line))].join('\n');
  return place;
}
