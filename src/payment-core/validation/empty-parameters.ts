/** A record in which no name means anything but itself, `__proto__` included. */
export function emptyParameters(): Record<string, string> {
  // The annotation of `Object.create` is any.
  return Object.create(null) as Record<string, string>;
}
