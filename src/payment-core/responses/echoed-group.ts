import type { FieldName } from '../fields/catalogue/catalogue.js';
import type { Scheme } from '../fields/catalogue/three-d-secure-fields.js';

/*
 * The types of what a response repeats, made from the names of the catalogue: `cart.items[n].name` is the member `name`
 * of the places of a list `items` in `cart`. Without them, a program had to distinguish texts, lists and groups
 * before it could read a member that the catalogue describes.
 */

type FirstOf<Path extends string> = Path extends `${infer First}.${string}` ? First : Path;

type BelowOf<Path extends string, First extends string> = Path extends `${First}.${infer Below}`
  ? Below
  : never;

type NameOf<First extends string> = First extends '<scheme>'
  ? Scheme
  : First extends `${infer Name}[${string}]`
    ? Name
    : First;

type ValueOf<Below extends string> = [Below] extends [never] ? string : Nested<Below>;

type MemberOf<First extends string, Below extends string> = First extends `${string}[n]`
  ? readonly ValueOf<Below>[]
  : First extends `${string}[${string}]`
    ? Readonly<Record<string, string>>
    : ValueOf<Below>;

type Nested<Path extends string> = {
  readonly [First in FirstOf<Path> as NameOf<First>]?: MemberOf<First, BelowOf<Path, First>>;
};

/** What a response repeats of the parameters that begin with a name: `EchoedGroup<'cart'>` has `items`. */
export type EchoedGroup<Name extends string> = Nested<BelowOf<FieldName, Name>>;
