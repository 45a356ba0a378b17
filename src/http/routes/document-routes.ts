import type { Route } from '../call.js';
import type { DescribedRoute } from '../openapi/described-route.js';
import { docsPage, docsPolicy } from '../openapi/docs-page.js';
import { openApiDocument } from '../openapi/openapi-document.js';

/**
 * The description of the other routes, for programs and for people. Both are made once, when they are first asked for.
 */
export function documentRoutes(described: readonly DescribedRoute[]): readonly Route[] {
  let document: string | undefined;
  let page: string | undefined;
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      summary: 'Describe the API as OpenAPI 3.1',
      access: 'open',
      parameters: 'none',
      answer: () => ({ status: 200, body: (document ??= JSON.stringify(openApiDocument(described))) }),
    },
    {
      method: 'GET',
      path: '/docs',
      summary: 'Describe the API as a page',
      access: 'open',
      parameters: 'none',
      answer: () => ({
        status: 200,
        body: (page ??= docsPage(described)),
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': docsPolicy },
      }),
    },
  ];
}
