import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  describeParameters,
  requestKinds,
  validateParameters,
  type RequestKind,
} from '../../src/payment-core/index.js';
import { browserRoutes, routes } from '../../src/http/route-table.js';
import { ofProtocol } from './described-answers.js';
import { card, serve, type Served } from './served.js';

/** The document and the server agree: its examples pass, and each constraint that it states is enforced. */

interface Schema {
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly examples?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Of a parameter of the catalogue. */
  readonly 'x-name'?: string;
}

interface KindSchema {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Schema>>;
  readonly patternProperties: Readonly<Record<string, Schema>>;
}

interface QueryParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Omit<Schema, 'x-name'>;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters: readonly QueryParameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<
      Record<
        string,
        {
          readonly schema: KindSchema | { readonly $ref: string };
          readonly example?: Readonly<Record<string, string>>;
        }
      >
    >;
  };
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly description: string };
  readonly 'x-also-accepted': object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, KindSchema>>;
    readonly securitySchemes: object;
    readonly [kind: string]: object;
  };
}

let gateway: Served;
let document: Document;

beforeAll(async () => {
  gateway = await serve();
  const { text } = await gateway.call('GET', '/openapi.json', undefined, { token: null });
  document = JSON.parse(text) as Document;
});
afterAll(() => gateway.close());

const formType = 'application/x-www-form-urlencoded';
/** The catalogue is wanted before the server runs, to name the tests. */
const kinds = requestKinds;

/** A name that a pattern stands for. */
const nameOf = ({ 'x-name': name = '' }: Schema) =>
  name.replaceAll('[n]', '[0]').replace('[key]', '[SHOPPER_key]').replace('<scheme>', 'schemeA');

/** A kind that no path refers to is in no document. */
const schemasOf = (kind: RequestKind): readonly Schema[] =>
  describeParameters(kind).map(({ name, schema }) => ({ ...schema, 'x-name': name }));

const validValue = ({ enum: values, examples, minLength }: Schema) =>
  values?.[0] ?? examples?.[0] ?? 'a'.repeat(Math.max(minLength ?? 1, 1));

/** A value that breaks the constraint of the schema; every parameter has one. */
function invalidValue({ enum: values, pattern, maxLength }: Schema): string {
  if (values !== undefined) return 'none-of-these';
  if (maxLength !== undefined) return 'x'.repeat(maxLength + 1);
  return pattern === undefined ? '' : '\u2603';
}

/** Programs do not use the pages that the script of a checkout opens. */
const ofPrograms = routes.filter((route) => !browserRoutes.includes(route));

test('every path and method is described, and no other', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = ofPrograms
    .filter(({ path }) => path !== '/openapi.json' && path !== '/docs')
    .map(({ method, path }) => `${method} ${path.replace(':id', '{id}')}`);
  expect(described.sort()).toEqual(served.sort());
  expect(document.openapi).toBe('3.1.0');
});

test('a query is described in the order in which payments were stored, since imports store old ones', () => {
  expect(JSON.stringify(document)).not.toContain('newest first');
  expect(document.paths['/v1/query']?.['get']).toMatchObject({
    summary: 'Find payments, the one stored last first',
  });
});

test('every operation has a different id, by which a generated client can name its methods', () => {
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});

test('the description names what HTTP itself refuses, which no operation lists', () => {
  for (const status of ofProtocol) expect(document.info.description).toContain(` ${status} (`);
});

test('every component is used, and every reference leads to one', () => {
  const text = JSON.stringify(document);
  const used = [...text.matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)].map(
    ([, kind, name]) => `${kind ?? ''} ${name ?? ''}`,
  );
  const { securitySchemes: _schemes, ...components } = document.components;
  const given = Object.entries(components).flatMap(([kind, named]) =>
    Object.keys(named).map((name) => `${kind} ${name}`),
  );
  expect(given.sort()).toEqual([...new Set(used)].sort());
  // Generators name types and files by them, and not every file system tells a from A.
  expect(given.filter((name) => !/^\w+ [A-Z][A-Za-z-]+$/.test(name))).toEqual([]);
});

test.each([
  ['PaymentRequest', 'payment'],
  ['ReferenceRequest', 'reference'],
  ['CheckoutRequest', 'checkout'],
  ['RegistrationRequest', 'registration'],
  ['ScheduleRequest', 'job'],
  ['ChargebackRequest', 'chargeback'],
] as const)('the component %s has every parameter of its kind of request', (name, kind) => {
  const schema = document.components.schemas[name];
  const described = [
    ...Object.values(schema?.properties ?? {}),
    ...Object.values(schema?.patternProperties ?? {}),
  ];
  const names = described.map((one) => one['x-name']).filter((one) => one !== undefined);
  expect(names.sort()).toEqual(
    describeParameters(kind)
      .map((one) => one.name)
      .sort(),
  );
});

test('what older integrations may send is listed', async () => {
  expect(document['x-also-accepted']).toMatchObject({
    renamed: { 'authentication.entityId': 'entityId', 'shipping.surname': 'shipping.customer.surname' },
    ignored: [
      'authentication.userId',
      'authentication.password',
      'authentication.memberId',
      'authentication.channelId',
      'recurringType',
      'threeDSecure.xid',
    ],
  });
  const { text } = await gateway.call('GET', '/docs', undefined, { token: null });
  expect(text).toContain('<code>authentication.entityId</code>');
});

test.each([
  ['POST', '/v1/payments', 'postPayments'],
  ['GET', '/v1/payments/{id}', 'getPaymentsById'],
  ['POST', '/v1/checkouts/{id}/payment', 'postCheckoutsByIdPayment'],
  ['GET', '/v1/query', 'getQuery'],
  ['GET', '/v3/query', 'getV3Query'],
])('%s %s has the operation id %s', (method, path, expected) => {
  expect(document.paths[path]?.[method.toLowerCase()]?.operationId).toBe(expected);
});

describe.each(kinds)('the parameters of a %s request', (kind) => {
  test('have names that their patterns match', () => {
    for (const { name, namePattern } of describeParameters(kind)) {
      if (namePattern !== null) expect(nameOf({ 'x-name': name })).toMatch(new RegExp(namePattern, 'u'));
    }
  });

  test('have valid values that satisfy their schema and the core', () => {
    for (const schema of schemasOf(kind)) {
      const [name, value] = [nameOf(schema), validValue(schema)];
      if (schema.pattern !== undefined) expect(value, name).toMatch(new RegExp(schema.pattern, 'u'));
      const errors = validateParameters(kind, { [name]: value }, { environment: 'test' });
      const ofValue = errors.filter(
        (error) => error.name === name && / (?:must be|may hold|is not) /.test(error.message),
      );
      expect({
        kind,
        name,
        ofValue: ofValue.filter(({ message }) => !/ must be (?:sent|later|after)/.test(message)),
      }).toEqual({
        kind,
        name,
        ofValue: [],
      });
    }
  });

  test('are refused by name when they break their schema', () => {
    const wrong = Object.fromEntries(schemasOf(kind).map((schema) => [nameOf(schema), invalidValue(schema)]));
    const refused = new Set(validateParameters(kind, wrong, { environment: 'test' }).map(({ name }) => name));
    expect(Object.keys(wrong).filter((name) => !refused.has(name))).toEqual([]);
  });
});

test('each violated constraint of a payment is answered with 200.300.404 that names the field', async () => {
  const wrong = Object.fromEntries(
    schemasOf('payment')
      .filter(({ 'x-name': name }) => name !== 'entityId')
      .map((schema) => [nameOf(schema), invalidValue(schema)] as const)
      .filter(([, value]) => value !== ''),
  );
  const { status, body } = await gateway.call('POST', '/v1/payments', wrong);
  expect({ status, code: body.result?.code }).toEqual({ status: 400, code: '200.300.404' });
  const named = new Set(body.result?.parameterErrors?.map(({ name }) => name));
  expect(Object.keys(wrong).filter((name) => !named.has(name))).toEqual([]);
});

test('each missing required parameter is answered with 200.300.404 that names it', async () => {
  const { body } = await gateway.call('POST', '/v1/payments', {});
  const named = body.result?.parameterErrors?.map(({ name }) => name);
  expect(named).toEqual(
    expect.arrayContaining([...(document.components.schemas['PaymentRequest']?.required ?? ['none'])]),
  );
});

/** One request for each, because a request with several mistakes may be refused before all are looked at. */
test('each parameter of a query has a constraint, and a request that breaks it is refused by name', async () => {
  const accepted: string[] = [];
  const token = await gateway.token('--role', 'reports');
  for (const [path, { get }] of Object.entries(document.paths)) {
    if (get === undefined || get.security.length === 0) continue;
    const ofQuery = get.parameters.filter((each) => each.in === 'query' && each.name !== 'entityId');
    for (const { name, description, schema } of ofQuery) {
      const query = new URLSearchParams({ [name]: invalidValue({ ...schema, 'x-name': name }) });
      const target = path.replace('{id}', path.startsWith('/reports/') ? '2026-11-19-EUR' : '0'.repeat(32));
      const { body } = await gateway.call('GET', `${target}?${query.toString()}`, undefined, { token });
      const named = body.result?.parameterErrors?.map((error) => error.name) ?? [];
      if (!named.includes(name) || description === undefined) accepted.push(`${path} ${name}`);
    }
  }
  expect(accepted).toEqual([]);
});

test('the examples of the document work as they are', async () => {
  let payment = '';
  for (const [path, { post }] of Object.entries(document.paths)) {
    const example = post?.requestBody?.content[formType]?.example;
    if (example === undefined) continue;
    const answer = await gateway.call('POST', path.replace('{id}', payment), example);
    expect({ path, status: answer.status }).toEqual({ path, status: 200 });
    if (path === '/v1/payments') payment = answer.body.id ?? '';
  }
  expect(payment).not.toBe('');
});

test('what the form, a change and a schedule send is what their schemas allow', async () => {
  const amount = { paymentType: 'DB', amount: '5.00', currency: 'EUR' };
  const idOf = async (path: string, form: Readonly<Record<string, string>>) =>
    (await gateway.call('POST', path, form)).body.id ?? '';
  const checkout = await idOf('/v1/checkouts', amount);
  const registrationId = await idOf('/v1/registrations', card);
  const requests = [
    ['/v1/checkouts/{id}', { amount: '6.00' }],
    ['/v1/checkouts/{id}/payment', { registrationId }],
    ['/scheduling/v1/schedules', { registrationId, ...amount, 'job.expression': '0 0 6 1 * ? *' }],
  ] as const;
  for (const [path, form] of requests) {
    const { required = [], properties } = bodySchema(path);
    const sent = Object.keys(form);
    expect({ path, unknown: sent.filter((name) => !(name in properties)) }).toEqual({ path, unknown: [] });
    expect({ path, missing: required.filter((name) => !sent.includes(name)) }).toEqual({ path, missing: [] });
    expect((await gateway.call('POST', path.replace('{id}', checkout), form)).status).toBe(200);
  }
  expect([...(bodySchema('/scheduling/v1/schedules').required ?? [])].sort()).toEqual([
    ...['amount', 'currency', 'registrationId'],
  ]);
});

test('a reversal of all that is left needs no amount, a capture does, in the document as at the gateway', async () => {
  const path = '/v1/payments/{id}';
  const schema = bodySchema(path);
  expect(schema.required).toEqual(['paymentType']);
  expect(schema).toMatchObject({
    if: { properties: { paymentType: { const: 'RV' } } },
    then: { dependentRequired: { amount: ['currency'], currency: ['amount'] } },
    else: { required: ['amount', 'currency'] },
  });
  const money = { amount: '1.00', currency: 'EUR' };
  const { body } = await gateway.call('POST', '/v1/payments', { paymentType: 'PA', ...money, ...card });
  const statusOf = async (form: Readonly<Record<string, string>>) =>
    (await gateway.call('POST', path.replace('{id}', body.id ?? ''), form)).status;
  expect(await statusOf({ paymentType: 'CP' })).toBe(400);
  expect(await statusOf({ paymentType: 'RV', amount: '1.00' })).toBe(400);
  expect(await statusOf({ paymentType: 'RV' })).toBe(200);
});

test('a body is required in the document where a request without one is refused for what is missing', () => {
  const posts = Object.entries(document.paths).filter(([, methods]) => 'post' in methods);
  const differing = posts.filter(([path, { post }]) => {
    const isNeeded = (bodySchema(path).required ?? []).length > 0;
    return (post?.requestBody?.required ?? false) !== isNeeded;
  });
  expect(differing.map(([path]) => path)).toEqual([]);
  expect(document.paths['/v1/payments']?.['post']?.requestBody?.required).toBe(true);
  expect(document.paths['/v1/checkouts/{id}']?.['post']?.requestBody?.required).toBeUndefined();
});

/** The schema of a POST's body, wherever the document has it. */
function bodySchema(path: string): KindSchema {
  const schema = document.paths[path]?.['post']?.requestBody?.content[formType]?.schema;
  const found =
    schema !== undefined && '$ref' in schema
      ? document.components.schemas[schema.$ref.replace('#/components/schemas/', '')]
      : schema;
  if (found === undefined) throw new Error(`no schema for ${path}`);
  return found;
}

test('each list says what it holds, also an empty one: generators of clients need it', () => {
  const lists: string[] = [];
  const visit = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('type' in value && value.type === 'array') lists.push(`${place}: ${'items' in value}`);
    for (const [name, member] of Object.entries(value)) visit(member, `${place}.${name}`);
  };
  visit(document, 'document');
  expect(lists.length).toBeGreaterThan(5);
  expect(lists.filter((list) => list.endsWith('false'))).toEqual([]);
});

test('what needs a token is protected, and what needs none is not', async () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { security }] of Object.entries(methods)) {
      const form = method === 'post' ? '' : undefined;
      const target = path.replace('{id}', '0'.repeat(32));
      const { status } = await gateway.call(method.toUpperCase(), target, form, { token: null });
      const isOpen = security.length === 0 || security.some((way) => Object.keys(way).length === 0);
      expect({ path, method, isRefused: status === 401 }).toEqual({ path, method, isRefused: !isOpen });
    }
  }
});

test('/docs needs nothing from other hosts and runs no script', async () => {
  const answer = await gateway.call('GET', '/docs', undefined, { token: null });
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(answer.text).not.toMatch(/<script|https?:\/\/|<link/);
  // A proxy may add a prefix to the paths.
  expect(answer.text).not.toContain('href="/');
  for (const { path } of ofPrograms)
    expect(answer.text.includes(path.replace(':id', '{id}')) || /openapi|docs/.test(path)).toBe(true);
  expect(answer.text).toContain('<code>card.number</code>');
});
