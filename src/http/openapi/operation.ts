import { describeParameters, type RequestKind } from '../../payment-core/index.js';
import type { Route } from '../call.js';
import type { DescribedRoute } from './described-route.js';
import { describeInWords } from '../describe-in-words.js';
import { usedBy, type Json, type Schema } from './described.js';
import { bodyOf } from './request-body.js';
import { responsesOf } from './responses.js';
import { idParameterOf, tagOf } from './subjects.js';

/** A path and method: what it takes, and what it answers. */
export function operationOf(route: DescribedRoute): Schema {
  const { method, path, access, kind } = route;
  const responses = responsesOf(route);
  const body = method === 'POST' ? bodyOf(route) : undefined;
  return {
    schema: {
      operationId: operationIdOf(route),
      tags: [tagOf(path)],
      summary: route.summary,
      description: needs(access),
      parameters: [
        ...(path.includes(':id') ? [idParameterOf(path)] : []),
        ...(method === 'POST' || access === 'open' ? [] : [entity]),
        ...(method === 'GET' && kind !== undefined ? queryParameters(kind) : []),
        ...(route.query ?? []).map((parameter) => ({ ...parameter, in: 'query' })),
        ...(method === 'POST' && access !== 'open' ? [idempotencyKey] : []),
      ],
      ...(body === undefined ? {} : { requestBody: body.schema }),
      security: access === 'open' ? [] : access === 'form' ? [{}, { token: [] }] : [{ token: [] }],
      ...(Array.isArray(access) ? { 'x-roles': access } : {}),
      responses: responses.schema,
    },
    components: usedBy(body === undefined ? [responses] : [responses, body]),
  };
}

/** Who may use it, in words. */
function needs(access: Route['access']): string {
  if (access === 'open') return 'Needs no token.';
  if (access === 'form') {
    return 'Needs no token: the form of the shopper sends it. With a token of the role payments, it may send everything.';
  }
  const [last = '', ...others] = [...access].reverse();
  const roles = others.length === 0 ? last : `${others.reverse().join(', ')} or ${last}`;
  return `Needs a token with the role ${roles}.`;
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

const entity = {
  name: 'entityId',
  in: 'query',
  required: false,
  description: 'The entity that the request is for. Needed only with a token of several entities.',
  schema: { type: 'string', pattern: '^[a-f0-9]{32}$' },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'The same request with the same key is made once. Remembered for 24 hours. Ignored without a token.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
};

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
