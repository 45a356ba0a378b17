/** A JSON schema, and other parts of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** For the compiler only: no object has it. */
declare const valueType: unique symbol;

/**
 * The schema of a value of this type. The compiler compares the type with the one of the program that makes the
 * values, so a member that is added there must be described here.
 */
export interface Described<Value> extends Schema {
  readonly [valueType]?: (value: Value) => Value;
}

/** A JSON schema, with the named schemas of the document that it refers to. */
export interface Schema {
  readonly schema: Json;
  readonly components: Readonly<Record<string, Json>>;
}

/** A member that some values have. */
interface Sometimes<Value> {
  readonly sometimes: Described<Value>;
}

/** A description of each member: one that may be missing may be described as one that is always there. */
export type Members<Value> = {
  readonly [Name in keyof Value]-?: object extends Pick<Value, Name>
    ? Described<Exclude<Value[Name], undefined>> | Sometimes<Exclude<Value[Name], undefined>>
    : Described<Value[Name]>;
};

/** A member that some values have. */
export function sometimes<Value>(described: Described<Value>): Sometimes<Value> {
  return { sometimes: described };
}

/** An object. Others may follow: clients ignore the members that they do not know (operations 1). */
export function object<Value extends object>(description: string, members: Members<Value>): Described<Value> {
  // The members of a mapped type are known to the compiler one by one only.
  const entries = Object.entries(members as Readonly<Record<string, Schema | Sometimes<unknown>>>);
  const described = entries.map(([name, member]) => [
    name,
    'sometimes' in member ? member.sometimes : member,
  ]);
  return objectOf(
    description,
    // Each pair has a name and its schema.
    Object.fromEntries(described) as Readonly<Record<string, Schema>>,
    entries.filter(([, member]) => !('sometimes' in member)).map(([name]) => name),
  );
}

/** An object with these members, of which some are always there. */
export function objectOf(
  description: string,
  members: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema {
  return {
    schema: {
      type: 'object',
      ...saying(description),
      ...(required.length === 0 ? {} : { required }),
      properties: Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema])),
    },
    components: usedBy(Object.values(members)),
  };
}

/** Adds a value that has this schema. */
export function withExample<Value>(
  { schema, components }: Described<Value>,
  example: NoInfer<Value>,
): Described<Value> {
  return { schema: { ...schema, examples: [example] }, components };
}

/** Gives a schema a name, by which others refer to it. */
export function component<Value>(name: string, { schema, components }: Described<Value>): Described<Value> {
  return { schema: { $ref: `#/components/schemas/${name}` }, components: { ...components, [name]: schema } };
}

/** The components of several schemas. */
export function usedBy(schemas: readonly Schema[]): Schema['components'] {
  const all: Record<string, Json> = {};
  for (const { components } of schemas) Object.assign(all, components);
  return all;
}

/** The schema of a list whose members have this schema. */
export function listOf<Value>(
  description: string,
  { schema, components }: Described<Value>,
): Described<readonly Value[]> {
  return { schema: { type: 'array', description, items: schema }, components };
}

/** The schema of a value that has one of several forms; with one form, that form alone. */
export function anyOf(...schemas: readonly Schema[]): Schema {
  const [first] = schemas;
  if (first !== undefined && schemas.length === 1) return first;
  return { schema: { anyOf: schemas.map(({ schema }) => schema) }, components: usedBy(schemas) };
}

/** The schema of a text. `more` are keywords such as `pattern` and `examples`. */
export function text(description: string, more: Json = {}): Described<string> {
  return { schema: { type: 'string', description, ...more }, components: {} };
}

/** A text that is one of these, with what each of them means. */
export function choice<Value extends string>(
  description: string,
  meanings: Readonly<Record<Value, string>>,
): Described<Value> {
  const listed = Object.entries<string>(meanings).map(([value, meaning]) => `${value}: ${meaning}.`);
  return {
    schema: {
      type: 'string',
      description: [description, ...listed].join(' '),
      enum: Object.keys(meanings),
    },
    components: {},
  };
}

/** The schema of a whole number from 0. */
export function count(description: string): Described<number> {
  return { schema: { type: 'integer', minimum: 0, description }, components: {} };
}

/** The schema of `true` or `false` as JSON, not as a text. */
export function flag(description: string): Described<boolean> {
  return { schema: { type: 'boolean', description }, components: {} };
}

/** Values of one kind by name. */
export function recordOf<Value>(
  description: string,
  { schema, components }: Described<Value>,
): Described<Readonly<Record<string, Value>>> {
  return { schema: { type: 'object', ...saying(description), additionalProperties: schema }, components };
}

function saying(description: string): Json {
  return description === '' ? {} : { description };
}
