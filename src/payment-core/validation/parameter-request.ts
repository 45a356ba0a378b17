import type { CalendarDate } from '../../values/calendar-date.js';
import { positionOf } from '../fields/catalogue.js';
import type { Field } from '../fields/field.js';
import type { ParsedName } from '../fields/parse-parameter-name.js';
import type { ParameterName } from '../fields/parameter-names.js';
import type { Environment, RequestKind } from '../fields/request-kinds.js';
import { schemes, type Scheme } from '../fields/three-d-secure-fields.js';

/** What a validation needs to know beside the parameters. Only the environment must be given. */
export interface ValidationOptions {
  readonly environment: Environment;
  /** `client`: sent by a form in the shopper's browser, where custom parameters begin with SHOPPER_. */
  readonly origin?: 'server' | 'client';
  /** The request goes to a registration, which is its instrument (one-click payment). */
  readonly registration?: boolean;
  /** Only changes are sent (checkout update): nothing is missing, and what creates only is refused. */
  readonly partial?: boolean;
  /** When given, an instrument that expired before this day is refused. */
  readonly today?: CalendarDate;
  /** The network of a brand. Unless given, only the brands schemeA … schemeF are known. */
  readonly schemeOf?: (paymentBrand: string) => Scheme | undefined;
}

/** One parameter of a request that the catalogue knows. */
export interface SentParameter extends ParsedName {
  readonly name: string;
  readonly value: string;
  readonly field: Field;
}

/** A request's known parameters, as rules and defaults read them. Values may be invalid. */
export interface ParameterRequest {
  readonly kind: RequestKind;
  readonly options: ValidationOptions;
  /** In the order of the catalogue, then of their indexes and keys. */
  readonly sent: readonly SentParameter[];
  /** The network, where the brand or the parameters tell. */
  readonly scheme: Scheme | undefined;
  /** A parameter by its name, which need not be one of the catalogue. */
  find(name: string): SentParameter | undefined;
  value(name: ParameterName): string | undefined;
  has(name: ParameterName): boolean;
  /** The parameters whose names begin so, in their order. */
  under(prefix: string): readonly SentParameter[];
}

/** Makes a request readable by name. */
export function openRequest(
  kind: RequestKind,
  sent: readonly SentParameter[],
  options: ValidationOptions,
): ParameterRequest {
  const ordered = [...sent].sort(inOrder);
  const byName: ReadonlyMap<string, SentParameter> = new Map(
    ordered.map((parameter) => [parameter.name, parameter]),
  );
  return {
    kind,
    options,
    sent: ordered,
    scheme: schemeOf(byName, ordered, options),
    find: (name) => byName.get(name),
    value: (name) => byName.get(name)?.value,
    has: (name) => byName.has(name),
    under: (prefix) => ordered.filter(({ name }) => name.startsWith(prefix)),
  };
}

/** Order of the catalogue, then indexes from the outside in, then keys by code unit. */
export function inOrder(a: SentParameter, b: SentParameter): number {
  const byPosition = positionOf(a.field) - positionOf(b.field);
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
  const addressed = new Set(
    sent
      .filter(({ template }) => template.startsWith('threeDSecure.v2.<scheme>'))
      .map(({ name }) => name.split('.')[2]),
  );
  return addressed.size === 1 ? schemes.find((candidate) => addressed.has(candidate)) : undefined;
}
