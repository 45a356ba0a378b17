import { describeParameters, requestKinds, type RequestKind } from '../../payment-core/index.js';
import { readPackageVersion } from '../../package-version.js';
import type { BodyDifference, Route } from '../call.js';
import { renamed, retired } from '../compatibility/adapt-pairs.js';
import { describeInWords } from './describe-in-words.js';
import { examples } from './examples.js';

type Json = Readonly<Record<string, unknown>>;

const formType = 'application/x-www-form-urlencoded';

/**
 * The OpenAPI 3.1 document of these routes. Parameters come from the field catalogue of the payment core, so the
 * document cannot differ from what the server checks.
 */
export function openApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replace(':id', '{id}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  // A component that no path refers to would be a type that generated clients never use.
  const used = new Set(
    [...JSON.stringify(paths).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name),
  );
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Payment gateway',
      version: readPackageVersion().version,
      description:
        'Requests are forms with dotted names, answers are JSON. New fields may be added to answers at any time; ignore those that you do not know. Rules that involve several parameters are checked by the server and reported as 200.300.404, with every violation in result.parameterErrors. An empty value is an absent one; x-also-accepted lists what older integrations may still send.',
    },
    'x-also-accepted': {
      renamed: Object.fromEntries(renamed),
      ignored: [...retired],
    },
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: {
        ...Object.fromEntries(
          requestKinds.filter((kind) => used.has(kind)).map((kind) => [kind, schemaOf(kind, {})]),
        ),
        answer: answerSchema,
      },
    },
  };
}

function operationOf(route: Route): Json {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 48 } };
  const entity = {
    name: 'entityId',
    in: 'query',
    required: false,
    schema: { type: 'string', pattern: '^[a-f0-9]{32}$' },
  };
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    parameters: [
      ...(route.path.includes(':id') ? [id] : []),
      ...(route.method === 'POST' || route.access === 'open' ? [] : [entity]),
      ...(route.method === 'GET' && route.kind !== undefined ? queryParameters(route.kind) : []),
      ...(route.query ?? []).map((parameter) => ({ ...parameter, in: 'query' })),
      ...(route.method === 'POST' && Array.isArray(route.access) ? [idempotencyKey] : []),
    ],
    ...(route.method === 'POST' ? { requestBody: bodyOf(route) } : {}),
    security: route.access === 'open' ? [] : route.access === 'form' ? [{}, { token: [] }] : [{ token: [] }],
    ...(Array.isArray(route.access) ? { 'x-roles': route.access } : {}),
    responses: responsesOf(route),
  };
}

/** Such as `postCheckoutsByIdPayment`: generators of clients name their methods by it. Version 1 is not named. */
function operationIdOf({ method, path }: Route): string {
  const words = path
    .replace(/^\/v1\//, '/')
    .replace(':id', 'by/id')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same request with the same key is made once. Remembered for 24 hours.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
};

function bodyOf(route: Route): Json {
  const { kind, body } = route;
  const example = examples[`${route.method} ${route.path}`];
  const schema =
    kind === undefined
      ? { type: 'object' }
      : body === undefined
        ? { $ref: `#/components/schemas/${kind}` }
        : schemaOf(kind, body);
  return {
    ...(needsBody(kind, body) ? { required: true } : {}),
    content: { [formType]: { schema, ...(example === undefined ? {} : { example }) } },
  };
}

/** Generators of clients let a body be left out unless the document says that it is needed. */
function needsBody(
  kind: RequestKind | undefined,
  { isPartial = false, own = [] }: BodyDifference = {},
): boolean {
  const described = kind === undefined || isPartial ? [] : describeParameters(kind);
  return [...described, ...own].some(({ required }) => required);
}

function queryParameters(kind: RequestKind): readonly Json[] {
  return describeParameters(kind)
    .filter(({ name }) => name !== 'entityId')
    .map((parameter) => ({
      name: parameter.name,
      in: 'query',
      required: parameter.required,
      description: describeInWords(parameter),
      schema: parameter.schema,
    }));
}

/** Names with a placeholder are patterns; no other name is accepted. */
function schemaOf(kind: RequestKind, difference: BodyDifference): Json {
  const { isPartial = false, byForm = false, own = [], withoutAmount } = difference;
  const described = describeParameters(kind);
  const entries = described.map(
    (parameter) =>
      [
        parameter.namePattern ?? parameter.name,
        {
          ...parameter.schema,
          description: describeInWords(parameter),
          ...(parameter.isSecret ? { writeOnly: true } : {}),
          ...(byForm && !parameter.isForShopper ? { 'x-needs-token': true } : {}),
          'x-name': parameter.name,
          'x-requirement': parameter.requirement,
          'x-section': parameter.section,
        },
        parameter.namePattern !== null,
      ] as const,
  );
  const of = (isPattern: boolean) =>
    Object.fromEntries(
      entries.filter((entry) => entry[2] === isPattern).map(([name, schema]) => [name, schema]),
    );
  const required = [...(isPartial ? [] : described), ...own]
    .filter((parameter) => parameter.required)
    .map(({ name }) => name);
  return {
    type: 'object',
    ...(withoutAmount === undefined ? { required } : requiredUnless(withoutAmount, required)),
    properties: {
      ...of(false),
      ...Object.fromEntries(own.map(({ name, description, schema }) => [name, { ...schema, description }])),
    },
    patternProperties: of(true),
    additionalProperties: false,
  };
}

const money: readonly string[] = ['amount', 'currency'];

/** A request of this payment type needs both of amount and currency or neither, any other needs both. */
function requiredUnless(paymentType: string, required: readonly string[]): Json {
  return {
    required: required.filter((name) => !money.includes(name)),
    if: { properties: { paymentType: { const: paymentType } }, required: ['paymentType'] },
    then: { dependentRequired: { amount: ['currency'], currency: ['amount'] } },
    else: { required: money },
  };
}

const answerSchema: Json = {
  type: 'object',
  required: ['id', 'result', 'buildNumber', 'timestamp', 'ndc'],
  properties: {
    id: { type: 'string' },
    result: {
      type: 'object',
      required: ['code', 'description'],
      properties: {
        code: { type: 'string', pattern: '^[\\d.]{2,11}$' },
        description: { type: 'string' },
        parameterErrors: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'message'],
            properties: {
              name: { type: 'string' },
              value: { type: ['string', 'null'] },
              message: { type: 'string' },
            },
          },
        },
      },
    },
    buildNumber: { type: 'string' },
    timestamp: { type: 'string' },
    ndc: { type: 'string' },
  },
};

const meanings: Readonly<Record<string, string>> = {
  200: 'The request succeeded.',
  400: 'A parameter is invalid, or the payment was declined.',
  401: 'The Authorization header is missing or malformed.',
  403: 'The token is invalid, or may not do this.',
  404: 'The resource does not exist, or belongs to another entity.',
  409: 'The same request is in progress.',
  413: 'The body is too large.',
  415: 'The body is not a form in UTF-8.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'Too many requests; Retry-After says when to try again.',
  503: 'The gateway is stopping, or its database is unreachable.',
};

function responsesOf({ method, access }: Route): Json {
  const withToken = access === 'open' ? [] : ['401', '403', '429', '503'];
  const withBody = method === 'POST' ? ['409', '413', '415', '422'] : [];
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/answer' } } };
  const answer = access === 'open' ? {} : { content };
  const statuses = ['200', '400', '404', ...withToken, ...withBody].sort();
  return Object.fromEntries(
    statuses.map((status) => [status, { description: meanings[status] ?? '', ...answer }]),
  );
}
