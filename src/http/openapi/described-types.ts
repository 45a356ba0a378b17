import type { DescribedRoute } from './described-route.js';
import type { Json } from './described.js';
import { responsesOf } from './responses.js';

/** A member of an answer, for the page. */
interface DescribedMember {
  readonly name: string;
  readonly isAlways: boolean;
  /** The named types in it. */
  readonly types: readonly string[];
  readonly description: string;
}

/** A named type of the answers. */
export interface DescribedType {
  readonly name: string;
  readonly description: string;
  readonly members: readonly DescribedMember[];
}

/** The named types of the answers of these routes, in the order of their names. */
export function describedTypes(routes: readonly DescribedRoute[]): readonly DescribedType[] {
  const all = new Map(routes.flatMap((route) => Object.entries(responsesOf(route).components)));
  return [...all]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, schema]) => ({ name, description: textOf(schema), members: membersOf(schema) }));
}

/** A schema that consists of others has the members that it adds. */
function membersOf(schema: Json): readonly DescribedMember[] {
  const parts = (schema['allOf'] ?? [schema]) as readonly Json[];
  return parts.flatMap((part) => {
    const required = new Set((part['required'] ?? []) as readonly string[]);
    return Object.entries((part['properties'] ?? {}) as Readonly<Record<string, Json>>).map(([name, of]) => ({
      name,
      isAlways: required.has(name),
      types: namesIn(of),
      description: textOf(of),
    }));
  });
}

function textOf({ description }: Json): string {
  return typeof description === 'string' ? description : '';
}

/** The names of the types that a schema refers to. */
export function namesIn(schema: Json): readonly string[] {
  const found = JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  return [...new Set([...found].map(([, name = '']) => name))];
}
