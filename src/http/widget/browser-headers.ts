/** The headers of a page, script or style. A page has nothing but what its policy allows. */
export function browserHeaders(
  type: string,
  policy: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const directives = { 'default-src': "'none'", 'base-uri': "'none'", ...policy };
  return {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': Object.entries(directives)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
    'referrer-policy': 'no-referrer',
  };
}
