import type { FieldName } from './catalogue/catalogue.js';
import type { Scheme } from './catalogue/three-d-secure-fields.js';

/** The name of a field with its placeholders filled in. */
type Filled<Name extends string> = Name extends `${infer Before}[n]${infer After}`
  ? `${Before}[${number}]${Filled<After>}`
  : Name extends `${infer Before}[key]${infer After}`
    ? `${Before}[${string}]${Filled<After>}`
    : Name extends `${infer Before}<scheme>${infer After}`
      ? `${Before}${Scheme}${Filled<After>}`
      : Name;

/** Every name that a request may send: `card.number`, `cart.items[0].name`, `customParameters[SHOPPER_note]`. */
export type ParameterName = Filled<FieldName>;

/** The names without index or key. */
export type StaticParameterName = Exclude<
  ParameterName,
  `${string}[${string}` | `${string}.${Scheme}.${string}`
>;

/** The flat parameters of a request, for use in a program: a misspelt name does not compile. */
export type Parameters = { readonly [Name in ParameterName]?: string };
