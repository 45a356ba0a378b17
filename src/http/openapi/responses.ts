import type { DescribedRoute } from './described-route.js';
import { error } from './answers/error.js';
import { anyOf, type Json, type Schema } from './described.js';

const header = (type: string, description: string, more: Json = {}) => ({
  description,
  required: true,
  schema: { type, ...more },
});

const retryAfter = header('integer', 'The seconds to wait.', { minimum: 1 });

/** An answer that several operations have, with the name by which they refer to it. */
interface Shared {
  readonly name: string;
  readonly description: string;
  readonly headers?: Json;
}

/** The answers that are an `Error`, by status. */
const shared = {
  400: {
    name: 'InvalidRequest',
    description: 'A parameter is invalid; result.parameterErrors names all that are.',
  },
  401: {
    name: 'Unauthorized',
    description: 'The Authorization header is missing or malformed; result.parameterErrors says why.',
    headers: { 'WWW-Authenticate': header('string', 'The scheme: Bearer.') },
  },
  403: {
    name: 'Forbidden',
    description: 'The token is invalid, or may not do this; result.parameterErrors says why.',
  },
  404: {
    name: 'NotFound',
    description:
      'The resource does not exist, or belongs to another entity. If the path is wrong, result.parameterErrors names it.',
  },
  409: {
    name: 'InProgress',
    description: 'The same request is in progress, or the checkout was changed while it was being paid.',
  },
  413: { name: 'TooLarge', description: 'The body is too large.' },
  415: { name: 'UnsupportedType', description: 'The body is not a form in UTF-8.' },
  422: { name: 'KeyUsed', description: 'The Idempotency-Key was used for another request.' },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests; Retry-After says when to try again.',
    headers: { 'Retry-After': retryAfter },
  },
  500: { name: 'Failed', description: 'The gateway failed. Whether something was stored can be queried.' },
  503: {
    name: 'Unavailable',
    description: 'The gateway is stopping, or its database is unreachable.',
    headers: { 'Retry-After': retryAfter },
  },
} as const satisfies Readonly<Record<number, Shared>>;

type SharedStatus = keyof typeof shared;

/** The components that the answers of operations refer to. */
export const responseComponents = {
  headers: {
    'X-Request-Id': header(
      'string',
      'Identifies the request in the log: the one that was sent, or a new one.',
    ),
  },
  responses: Object.fromEntries(
    Object.values<Shared>(shared).map((one) => [one.name, responseOf(one.description, error, one.headers)]),
  ),
};

/** The answers of an operation by status, and the schemas that they refer to. */
export function responsesOf(route: DescribedRoute): Schema {
  const { answers } = route;
  const ok = responseOf('The request succeeded.', answers[200], headersOf(answers.headers), answers.type);
  const own: Record<number, Json> = { 200: ok };
  if (answers[400] !== undefined) {
    const description = 'The payment was declined, or a parameter is invalid.';
    own[400] = responseOf(description, anyOf(answers[400], error));
  }
  if (answers[404] !== undefined && answers[404] !== error) {
    own[404] = responseOf('Nothing was found.', answers[404]);
  }
  const others = statusesOf(route).map((status) => {
    const ref = { $ref: `#/components/responses/${shared[status].name}` };
    return [status, ref] as const;
  });
  const used = [answers[200], answers[400], answers[404], error].filter((one) => one !== undefined);
  return {
    schema: { ...Object.fromEntries(others), ...own },
    components: Object.assign({}, ...used.map(({ components }) => components)) as Schema['components'],
  };
}

/** The answers that are an `Error`. */
function statusesOf({ method, path, access, answers }: DescribedRoute): readonly SharedStatus[] {
  const ofToken = access === 'open' ? [] : ([401, 403, 429] as const);
  const ofBody = method === 'POST' ? ([409, 413, 415, 422] as const) : [];
  const ofId = path.includes(':id') || answers[404] !== undefined ? ([404] as const) : [];
  return [400, ...ofId, ...ofToken, ...ofBody, 500, 503];
}

function responseOf(
  description: string,
  { schema }: Schema,
  headers: Json = {},
  type = 'application/json',
): Json {
  return {
    description,
    headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' }, ...headers },
    content: { [type]: { schema } },
  };
}

function headersOf(descriptions: Readonly<Record<string, string>> = {}): Json {
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [name, header('string', description)]),
  );
}
