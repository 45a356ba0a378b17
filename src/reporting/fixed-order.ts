import { isObject } from '../values/is-object.js';

/** The names of all members of a value, in the order in which they are written. Of a list: those of its entries. */
export type FixedOrder<Of> = Of extends readonly (infer Entry)[]
  ? FixedOrder<Entry>
  : Of extends object
    ? { readonly [Name in keyof Of]-?: FixedOrder<NonNullable<Of[Name]>> }
    : true;

/**
 * A value whose members are in a fixed order. What was read from the database has lost its order. A member that is
 * missing stays undefined, which JSON leaves out.
 */
export function inFixedOrder<Of>(value: Of, order: FixedOrder<Of>): Of {
  // The order names every member, so the result has the members of the value.
  return ordered(value, order) as Of;
}

function ordered(value: unknown, order: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => ordered(entry, order));
  if (!isObject(value) || !isObject(order)) return value;
  return Object.fromEntries(
    Object.entries(order).map(([name, below]) => [name, ordered(value[name], below)]),
  );
}
