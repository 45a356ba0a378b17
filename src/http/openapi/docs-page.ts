import { createHash } from 'node:crypto';
import { describeParameters, requestKinds, type RequestKind } from '../../payment-core/index.js';
import type { DescribedRoute } from './described-route.js';
import { renamed, retired } from '../compatibility/adapt-pairs.js';
import { describedTypes, namesIn, type DescribedType } from './described-types.js';

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
code{font-family:ui-monospace,monospace;font-size:.9em}table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #8886}
summary{cursor:pointer;padding:.25rem 0}`;

/** The page needs nothing but its own style: no script, no font, no other host. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The paths and parameters as a page to read, made from the same catalogue as the OpenAPI document. */
export function docsPage(routes: readonly DescribedRoute[]): string {
  const rows = routes.map((route) => [
    `<code>${route.method} ${escape(route.path.replace(':id', '{id}'))}</code>`,
    escape(route.summary),
    escape(Array.isArray(route.access) ? route.access.join(', ') : 'no token'),
    route.kind === undefined ? '' : `<a href="#${route.kind}">${route.kind}</a>`,
    namesIn(route.answers[200].schema).map(linkTo).join(', '),
  ]);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Payment gateway</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style>${style}</style></head>
<body><h1>Payment gateway</h1>
<p>Requests are forms in UTF-8 with dotted names, answers are JSON. Send <code>Authorization: Bearer TOKEN</code>.
The machine-readable form of this page is <a href="openapi.json">openapi.json</a>; <a href="v1/resultcodes">resultcodes</a> lists the codes.</p>
<h2>Paths</h2>${table(['path', 'does', 'roles', 'parameters', 'answer'], rows)}
<h2>Older names</h2><p>An empty value is an absent one. These names of older versions are still accepted.</p>
${table(['name', 'now'], olderNames())}
<h2>Parameters</h2>${requestKinds.map(parametersOf).join('\n')}
<h2>Answers</h2><p>A request that is refused gets an <a href="#Error">Error</a>. A declined payment is answered with 400 and the payment itself.</p>
${describedTypes(routes).map(membersOf).join('\n')}
</body></html>
`;
}

function olderNames(): readonly (readonly string[])[] {
  const code = (name: string) => `<code>${escape(name)}</code>`;
  return [
    ...[...renamed].map(([before, now]) => [code(before), code(now)]),
    ...[...retired].map((name) => [code(name), 'ignored']),
  ];
}

const linkTo = (name: string) => `<a href="#${name}">${name}</a>`;

function membersOf({ name, description, members }: DescribedType): string {
  const rows = members.map((member) => [
    `<code>${escape(member.name)}</code>`,
    member.isAlways ? 'always' : 'sometimes',
    member.types.map(linkTo).join(', '),
    escape(member.description),
  ]);
  return `<details id="${name}"><summary>${name}: ${escape(description)}</summary>${table(['name', 'sent', 'type', 'is'], rows)}</details>`;
}

function parametersOf(kind: RequestKind): string {
  const rows = describeParameters(kind).map(({ name, required, requirement, says, section }) => [
    `<code>${escape(name)}</code>`,
    required ? 'required' : requirement,
    escape(says),
    escape(section),
  ]);
  return `<details id="${kind}"><summary>${kind}: ${rows.length} parameters</summary>${table(['name', 'requirement', 'must be', 'section'], rows)}</details>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${line(head, 'th')}</thead><tbody>${rows.map((row) => line(row, 'td')).join('\n')}</tbody></table>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
