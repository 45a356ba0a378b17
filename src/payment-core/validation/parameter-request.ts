import type { CalendarDate } from '../../values/calendar-date.js';
import type { Field } from '../fields/field.js';
import type { ParsedName } from '../fields/parse-parameter-name.js';
import type { ParameterName } from '../fields/parameter-names.js';
import type { Environment, RequestKind } from '../fields/request-kinds.js';
import { schemes, type Scheme } from '../fields/catalogue/three-d-secure-fields.js';

/** The options of a validation, besides the parameters. Only the environment is required. */
export interface ValidationOptions {
  /** testMode is valid in `test` only (operations 1). */
  readonly environment: Environment;
  /** `client`: sent by a form in the shopper's browser, where custom parameters begin with SHOPPER_. */
  readonly origin?: 'server' | 'client';
  /** The request pays with a registration (one-click payment). */
  readonly registration?: boolean;
  /** The parameter with the account number of this registration, such as `bankAccount.iban`, if it is known. */
  readonly registeredAccount?: string;
  /**
   * The request contains changes only (checkout update): nothing is required, create-only parameters are refused. Rules
   * about several parameters apply to what is stored with these changes, so the caller validates that too.
   */
  readonly partial?: boolean;
  /** The request is for everything that is left: amount and currency are not required. */
  readonly remaining?: boolean;
  /** If given, an instrument that expired before this day is refused. */
  readonly today?: CalendarDate;
  /** The network of a brand. Without it, only the brands schemeA … schemeF have a network. */
  readonly schemeOf?: (paymentBrand: string) => Scheme | undefined;
}

/** A parameter of a request that is in the catalogue. Its value may be invalid; a very long one is cut. */
export interface SentParameter extends ParsedName {
  readonly name: string;
  readonly value: string;
  readonly field: Field;
  /** Of the field in the catalogue. */
  readonly position: number;
}

/** The parameters of a request that are in the catalogue, for rules and defaults. Values may be invalid. */
export interface ParameterRequest {
  readonly kind: RequestKind;
  readonly options: ValidationOptions;
  /** In the order of the catalogue, then of indexes and keys. */
  readonly sent: readonly SentParameter[];
  /** The network, if the brand or the parameters determine it. */
  readonly scheme: Scheme | undefined;
  /** The parameter that was sent with this name, which may be any text. */
  find(name: string): SentParameter | undefined;
  value(name: ParameterName): string | undefined;
  has(name: ParameterName): boolean;
  /** Whether it has a parameter of one of these structures, or one with such a name. */
  hasAny(structures: readonly string[]): boolean;
  /** The parameters whose names begin with this prefix, in their order. */
  under(prefix: string): readonly SentParameter[];
}

/** Gives access to the parameters of a request by name. */
export function openRequest(
  kind: RequestKind,
  sent: readonly SentParameter[],
  options: ValidationOptions,
): ParameterRequest {
  const ordered = [...sent].sort(inOrder);
  const byName = new Map<string, SentParameter>();
  const structures = new Set<string>();
  for (const parameter of ordered) {
    byName.set(parameter.name, parameter);
    structures.add(structureOf(parameter.template));
  }
  return {
    kind,
    options,
    sent: ordered,
    scheme: schemeOf(byName, structures.has('threeDSecure') ? ordered : none, options),
    find: (name) => byName.get(name),
    value: (name) => byName.get(name)?.value,
    has: (name) => byName.has(name),
    hasAny: (names) => names.some((name) => structures.has(name)),
    // Most rules are about structures that a request does not have.
    under: (prefix) =>
      structures.has(structureOf(prefix)) ? ordered.filter(({ name }) => name.startsWith(prefix)) : none,
  };
}

const none: readonly SentParameter[] = [];

/** A sender can only name those of the catalogue. */
const knownStructures = new Map<string, string>();

/** The structure of a template or prefix: `card` of `card.number`. */
export function structureOf(name: string): string {
  const before = knownStructures.get(name);
  if (before !== undefined) return before;
  const [structure = ''] = name.split(/[.[]/);
  knownStructures.set(name, structure);
  return structure;
}

/** The order: the catalogue, then the indexes from the outermost inward, then the keys by code unit. */
export function inOrder(a: SentParameter, b: SentParameter): number {
  const byPosition = a.position - b.position;
  if (byPosition !== 0) return byPosition;
  for (const [depth, index] of a.indexes.entries()) {
    const byIndex = index - (b.indexes[depth] ?? 0);
    if (byIndex !== 0) return byIndex;
  }
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function schemeOf(
  byName: ReadonlyMap<string, SentParameter>,
  sent: readonly SentParameter[],
  options: ValidationOptions,
): Scheme | undefined {
  const brand = byName.get('paymentBrand')?.value;
  const named =
    brand === undefined ? undefined : (options.schemeOf?.(brand) ?? schemes.find((s) => s === brand));
  if (named !== undefined) return named;
  if (sent.length === 0) return undefined;
  const addressed = new Set(
    sent
      .filter(({ template }) => template.startsWith('threeDSecure.v2.<scheme>'))
      .map(({ name }) => name.split('.')[2]),
  );
  return addressed.size === 1 ? schemes.find((candidate) => addressed.has(candidate)) : undefined;
}
