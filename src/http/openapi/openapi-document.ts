import { readPackageVersion } from '../../package-version.js';
import type { DescribedRoute } from './described-route.js';
import { renamed, retired } from '../compatibility/adapt-pairs.js';
import { webhooks } from './answers/webhook.js';
import { usedBy, type Json, type Schema } from './described.js';
import { operationOf } from './operation.js';
import { responseComponents } from './responses.js';
import { tags } from './subjects.js';

/**
 * The OpenAPI 3.1 document of these routes. Parameters come from the field catalogue of the payment core, and answers
 * from schemas that the compiler compares with the types of the core, so that the document cannot differ from either.
 */
export function openApiDocument(routes: readonly DescribedRoute[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  const described: Schema[] = [webhooks];
  for (const route of routes) {
    const path = route.path.replace(':id', '{id}');
    const operation = operationOf(route);
    described.push(operation);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation.schema };
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Payment gateway',
      version: readPackageVersion().version,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'Requests are forms with dotted names, answers are JSON. New fields may be added to answers at any time; ignore those that you do not know. Rules that involve several parameters are checked by the server and reported as 200.300.404, with every violation in result.parameterErrors. An empty value is an absent one; x-also-accepted lists what older integrations may still send. HTTP itself may refuse a request with an Error before an operation reads it: 405 (Allow lists the methods), 417 (Expect is not 100-continue), and 408 (it did not arrive in time) or 431 (its headers are too large), which also close the connection.',
    },
    servers: [{ url: '/', description: 'The host of this document.' }],
    tags,
    'x-also-accepted': {
      renamed: Object.fromEntries(renamed),
      ignored: [...retired],
    },
    paths,
    webhooks: webhooks.schema,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token of recon tokens create.' },
      },
      ...responseComponents,
      schemas: sorted(usedBy(described)),
    },
  };
}

function sorted(components: Schema['components']): Schema['components'] {
  return Object.fromEntries(Object.entries(components).sort(([left], [right]) => (left < right ? -1 : 1)));
}
