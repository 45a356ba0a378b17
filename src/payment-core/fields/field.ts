import type { FieldType } from './field-type.js';
import type { Environment, RequestKind } from './request-kinds.js';

/**
 * `required`: must be sent in the kinds of `requiredIn`; if that is empty, as soon as another parameter of its
 * structure is sent. `conditional`: required under conditions that a rule or the payment method sets.
 * `optional`: may be omitted.
 */
export type Requirement = 'required' | 'conditional' | 'optional';

/**
 * How secret a value is. `account`: an account or card number, stored encrypted or not at all, shown truncated or not
 * at all. `authentication`: a code or cryptogram that authenticates somebody, never stored, never shown.
 */
export type Sensitivity = 'none' | 'account' | 'authentication';

/** The declaration of a field, without its name. */
export interface FieldRow {
  readonly requirement: Requirement;
  readonly type: FieldType;
  /** The kinds of request that accept it; null: those of the structure. */
  readonly kinds: readonly RequestKind[] | null;
  readonly requiredIn: readonly RequestKind[];
  /** The only environment that accepts it; null for both. */
  readonly environment: Environment | null;
  readonly sensitivity: Sensitivity;
  /** The documented default, in words or as a value; null if there is none. */
  readonly fallback: string | null;
  readonly note: string | null;
}

/** A field of the specification. */
export interface Field<Name extends string = string> extends Omit<FieldRow, 'kinds'> {
  /**
   * The name with placeholders: `cart.items[n].name`, `customParameters[key]`, `threeDSecure.v2.<scheme>.requestorId`.
   */
  readonly name: Name;
  readonly kinds: readonly RequestKind[];
  /** The document and its section, for example `catalogue 2.1`. */
  readonly section: string;
}

type RowOptions = Partial<Omit<FieldRow, 'requirement' | 'type'>>;

function row(requirement: Requirement, type: FieldType, options: RowOptions): FieldRow {
  const { kinds = null, requiredIn = [], environment = null, sensitivity = 'none' } = options;
  const { fallback = null, note = null } = options;
  return { requirement, type, kinds, requiredIn, environment, sensitivity, fallback, note };
}

/** A field that must be sent; see {@link Requirement}. */
export const required = (type: FieldType, options: RowOptions = {}): FieldRow =>
  row('required', type, options);
/** A field that a rule or the payment method can require. */
export const conditional = (type: FieldType, options: RowOptions = {}): FieldRow =>
  row('conditional', type, options);
/** A field that may be left out. */
export const optional = (type: FieldType, options: RowOptions = {}): FieldRow =>
  row('optional', type, options);

interface Structure<Prefix extends string> {
  readonly section: string;
  /** The prefix of every name. */
  readonly prefix: Prefix;
  readonly kinds: readonly RequestKind[];
}

/** Declares the fields of a structure in the order of its table. */
export function declareFields<const Prefix extends string, const Name extends string>(
  structure: Structure<Prefix>,
  rows: Readonly<Record<Name, FieldRow>>,
): readonly Field<`${Prefix}${Name}`>[] {
  // `Object.entries` loses the type of the names, which are the keys of `rows`.
  const entries = Object.entries(rows) as [Name, FieldRow][];
  return entries.map(([name, declared]) => ({
    ...declared,
    name: `${structure.prefix}${name}` as const,
    kinds: declared.kinds ?? structure.kinds,
    section: structure.section,
  }));
}

/** Several fields that share a row of a table. */
export function each<const Name extends string>(
  names: readonly Name[],
  declared: FieldRow,
): Readonly<Record<Name, FieldRow>> {
  // `Object.fromEntries` loses the type of the names.
  return Object.fromEntries(names.map((name) => [name, declared])) as Record<Name, FieldRow>;
}

/** The same fields with another prefix, all optional: shipping.customer.*, merchant.billing.* … */
export function repeatFields<const Prefix extends string, Name extends string, Left extends Name = never>(
  structure: Structure<Prefix>,
  fields: readonly Field<Name>[],
  without: readonly Left[] = [],
): readonly Field<`${Prefix}${Exclude<Name, Left>}`>[] {
  const left: ReadonlySet<string> = new Set(without);
  return (
    fields
      .filter((field) => !left.has(field.name))
      // The filter removed the values that the type excludes.
      .map((field) => field as unknown as Field<Exclude<Name, Left>>)
      .map((field) => ({
        ...field,
        name: `${structure.prefix}${field.name}` as const,
        kinds: structure.kinds,
        section: structure.section,
        requirement: 'optional',
      }))
  );
}
