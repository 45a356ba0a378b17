/** The values that are not what was expected, as texts. */
export function compareValues(
  where: string,
  values: Readonly<Record<string, readonly [unknown, unknown]>>,
): string[] {
  return Object.entries(values)
    .map(([name, [is, wanted]]) => [name, JSON.stringify(is), JSON.stringify(wanted)] as const)
    .filter(([, is, wanted]) => is !== wanted)
    .map(([name, is, wanted]) => `${where}: ${name} is ${is} and not ${wanted}`);
}

/** The same of a list of texts whose order says nothing: what it lacks and what it should not have. */
export function compareLists(where: string, is: readonly string[], wanted: readonly string[]): string[] {
  const left = [...wanted];
  const surplus = is.filter((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return [
    ...left.map((text) => `${where} lacks ${text}`),
    ...surplus.map((text) => `${where} should not have ${text}`),
  ];
}
