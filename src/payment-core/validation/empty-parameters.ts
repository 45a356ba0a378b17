/** A record without prototype: even `__proto__` is an ordinary name in it. */
export function emptyParameters(): Record<string, string> {
  // `Object.create` returns any.
  return Object.create(null) as Record<string, string>;
}
