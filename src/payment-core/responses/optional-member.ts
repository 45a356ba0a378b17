/** An object with this member if it has a value; otherwise an empty object. */
export function optional<Name extends string>(
  name: Name,
  value: string | null | undefined,
): Partial<Record<Name, string>> {
  // A computed name widens to an index signature.
  return value === null || value === undefined ? {} : ({ [name]: value } as Record<Name, string>);
}
