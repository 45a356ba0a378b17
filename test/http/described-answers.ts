import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/http/openapi/openapi-document.js';
import { programRoutes } from '../../src/http/route-table.js';

/** What a program that reads the document expects of an answer. */
interface Described {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly $ref?: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, Described & { readonly $ref?: string }>>;
}

interface Schema {
  readonly properties?: Readonly<Record<string, object>>;
  readonly examples?: readonly unknown[];
}

/** The request that a webhook receives. */
interface Webhook {
  readonly parameters: readonly { readonly name: string; readonly schema: object }[];
  readonly requestBody: { readonly content: Readonly<Record<'text/plain', { readonly schema: object }>> };
}

interface Document {
  readonly webhooks: { readonly notification: { readonly post: Webhook } };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, Described>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** An answer, as far as the document describes it. */
interface Answered {
  readonly method: string;
  /** The path, with its query. */
  readonly target: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What HTTP itself refuses is not part of an operation; the description of the document names it. */
export const ofProtocol: ReadonlySet<number> = new Set([405, 408, 417, 431]);

/**
 * Compares answers with the OpenAPI document. No member may be missing in the document: clients may meet unknown
 * members, but this version sends none.
 */
export class AnswerCheck {
  readonly #document: Document;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  readonly #compiled = new Map<object, ValidateFunction>();
  /** The operations and statuses that were met, such as `POST /v1/payments 400`. */
  readonly met = new Set<string>();

  constructor() {
    // A document as it arrives: no value of it is shared.
    const text = JSON.stringify(openApiDocument(programRoutes));
    this.#document = closed(JSON.parse(text) as Document);
    this.#ajv.addSchema({ $id: 'openapi', ...this.#document });
  }

  /** Every operation and status of the document. */
  get described(): readonly string[] {
    return Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) =>
        Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
      ),
    );
  }

  /** The schemas by their names. */
  get components(): readonly (readonly [string, Schema])[] {
    return Object.entries(this.#document.components.schemas);
  }

  get webhook(): Webhook {
    return this.#document.webhooks.notification.post;
  }

  /** The ways in which an answer differs from its description; none for a path that is not described. */
  differences({ method, target, status, headers, text }: Answered): readonly string[] {
    const [path, operation] = this.#operationOf(method, target);
    if (operation === undefined || ofProtocol.has(status)) return [];
    const where = `${method} ${path} ${status}`;
    const described = this.#resolved(operation.responses[String(status)]);
    if (described === undefined) return [`${where} is not described`];
    this.met.add(where);
    const missing = Object.entries(described.headers ?? {})
      .filter(([name]) => !headers.has(name))
      .map(([name]) => `${where} has no ${name}`);
    const [type = ''] = (headers.get('content-type') ?? '').split(';');
    const content = described.content?.[type];
    if (content === undefined) return [...missing, `${where} has the undescribed type ${type}`];
    const value: unknown = type === 'application/json' ? JSON.parse(text) : text;
    return [...missing, ...this.violations(content.schema, value).map((one) => `${where} ${one}`)];
  }

  /** How a value differs from a schema of the document. */
  violations(schema: object, value: unknown): readonly string[] {
    let validate = this.#compiled.get(schema);
    if (validate === undefined) {
      validate = this.#ajv.compile(absolute(schema));
      this.#compiled.set(schema, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message = '', params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  #operationOf(method: string, target: string): readonly [string, Operation | undefined] {
    const [sent = ''] = target.split('?');
    for (const [path, methods] of Object.entries(this.#document.paths)) {
      const shape = new RegExp(`^${path.replaceAll('.', '\\.').replace('{id}', '[^/]+')}$`);
      if (shape.test(sent)) return [path, methods[method.toLowerCase()]];
    }
    return [sent, undefined];
  }

  #resolved(described: (Described & { readonly $ref?: string }) | undefined): Described | undefined {
    const name = described?.$ref?.replace('#/components/responses/', '');
    return name === undefined ? described : this.#document.components.responses[name];
  }
}

/** A reference to a component of the document, from a schema that is compiled alone. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/')) as object;
}

/**
 * The document without room for members that it does not describe. A part of an `allOf` has only some of the members,
 * so that only the whole is closed.
 */
function closed<Value>(value: Value, isPart = false): Value {
  if (Array.isArray(value)) return value.map((one: unknown) => closed(one, isPart)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, of]) => [name, closed<unknown>(of, name === 'allOf')]),
  );
  const hasMembers = '$ref' in copy || 'properties' in copy || 'allOf' in copy;
  const isSchema = hasMembers && !('additionalProperties' in copy) && !isResponse(copy);
  return (isSchema && !isPart ? { ...copy, unevaluatedProperties: false } : copy) as Value;
}

/** References to answers and headers are none to schemas. */
function isResponse({ $ref }: Readonly<Record<string, unknown>>): boolean {
  return typeof $ref === 'string' && !$ref.startsWith('#/components/schemas/');
}
