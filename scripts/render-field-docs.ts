import { catalogue, fieldsOf } from '../src/payment-core/fields/catalogue/catalogue.js';
import { indexedContainers, keyedContainers } from '../src/payment-core/fields/containers.js';
import { describeType } from '../src/payment-core/fields/describe-type.js';
import type { Field } from '../src/payment-core/fields/field.js';
import { requestKinds } from '../src/payment-core/fields/request-kinds.js';
import { isForShopper } from '../src/payment-core/fields/shopper-fields.js';
import { mostParameters } from '../src/payment-core/validation/receive-parameters.js';
import { rules } from '../src/payment-core/validation/rules/all-rules.js';
import { fieldDocsChoices } from './field-docs-choices.js';

/** The names of the structures in the documents, by section. */
const titles: Readonly<Record<string, string>> = {
  'operations 2.2': 'Core payment fields',
  'operations 2.3': 'Card on file',
  'catalogue 2.1': 'Card account',
  'catalogue 2.2': 'Device wallets',
  'catalogue 2.3': 'Virtual account',
  'catalogue 2.4': 'Bank account',
  'catalogue 2.5': 'Token account',
  'catalogue 2.6': 'Customer',
  'catalogue 2.7': 'Shipping customer',
  'catalogue 2.8': 'Billing address',
  'catalogue 2.9': 'Merchant billing address',
  'catalogue 2.10': 'Shipping address, merchant shipping address',
  'catalogue 2.11': 'Corporate',
  'catalogue 2.12': 'Sender',
  'catalogue 2.13': 'Recipient',
  'catalogue 2.14': 'Merchant',
  'catalogue 2.15': 'Cart items',
  'catalogue 2.16': 'Cart payments',
  'catalogue 2.17': 'Marketplace',
  'catalogue 2.18': 'Airline',
  'catalogue 2.19': 'Recurring migration (deprecated)',
  'catalogue 2.20': '3D Secure',
  'catalogue 2.21': 'Custom parameters and scheme data',
  'catalogue 2.22': 'Risk',
  'catalogue 2.23': 'Gift card',
  'catalogue 2.24': 'Scheduling',
  'catalogue 2.25': 'Reporting',
  'catalogue 2.26': 'Query',
};

/** The documentation of the core's parameters, written from the declarations that validate them. */
export function renderFieldDocs(): string {
  const sections = [...new Set(catalogue.map(({ section }) => section))];
  return [
    introduction(),
    ...sections.map((section) => sectionTable(section)),
    ruleTable(),
    nameTable(),
    shopperForm(),
    choices(),
  ].join('\n');
}

function introduction(): string {
  return `# Parameters of the payment core

<!-- Written by scripts/write-field-docs.ts from src/payment-core/fields and src/payment-core/validation. -->

\`validateParameters(kind, parameters, { environment })\` checks a flat record of the parameters below and
returns every violation as \`{ name, value, message }\`; the list is empty for a valid request. \`value\` is null if
the parameter is missing; secrets are hidden or truncated.

Sections named "operations" refer to the document on operations, "catalogue" to the field catalogue.
\`[n]\` is an index from 0 without gaps, \`[key]\` a key that you choose, \`<scheme>\` one of schemeA to schemeF.
Required: must be sent in the kinds named, or otherwise whenever another parameter of its structure is sent.
Conditional: required by a rule below or by the payment method. An empty value counts as a value: it is refused
unless the length may be 0. Lengths are in characters.

Kinds of request: ${requestKinds.map((kind) => `\`${kind}\``).join(', ')}.
`;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

function table(header: readonly string[], lines: readonly (readonly string[])[]): string {
  const rule = header.map(() => '---');
  return [header, rule, ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n') + '\n';
}

function sectionTable(section: string): string {
  const fields = catalogue.filter((field) => field.section === section);
  const lines = fields.map((field) => [
    `\`${field.name}\``,
    cell(describeType(field.type)),
    requirement(field),
    field.kinds.length === requestKinds.length ? 'all' : field.kinds.join(', '),
    cell(remarks(field)),
  ]);
  const title = titles[section];
  if (title === undefined) throw new Error(`no title is given for ${section}`);
  return `## ${title} (${section})\n\n${table(['Parameter', 'Value', 'Requirement', 'Accepted in', 'Remarks'], lines)}`;
}

function requirement({ requirement: how, requiredIn }: Field): string {
  return requiredIn.length === 0 ? how : `${how} in ${requiredIn.join(', ')}`;
}

function remarks({ environment, fallback, note, sensitivity }: Field): string {
  const parts = [
    environment === null ? null : `${environment} environment only`,
    fallback === null ? null : `default ${fallback}`,
    sensitivity === 'account' ? 'secret: stored encrypted or not at all' : null,
    sensitivity === 'authentication' ? 'secret: never stored, never shown' : null,
    note,
  ];
  return parts.filter((part) => part !== null).join('; ');
}

function ruleTable(): string {
  const lines = rules.map((rule) => [
    rule.name,
    cell(rule.statement),
    rule.kinds.length === requestKinds.length ? 'all' : rule.kinds.join(', '),
    rule.section,
  ]);
  return `## Rules between parameters\n\n${table(['Rule', 'Requirement', 'Kinds', 'Section'], lines)}`;
}

function nameTable(): string {
  const indexes = [...indexedContainers].map(([name, highest]) => [`\`${name}[n]\``, `0 to ${highest}`]);
  const keys = [...keyedContainers].map(([name, { says }]) => [`\`${name}[key]\``, says]);
  return `## Names

A name has at most 200 bytes and 8 levels. Indexes are written without sign, leading zero or exponent.
\`__proto__\`, \`constructor\` and \`prototype\` are refused in every position. A request has at most ${mostParameters} parameters, each
of them once.

${table(['Name', 'Index or key'], [...indexes, ...keys])}`;
}

function shopperForm(): string {
  const names = [...fieldsOf('payment').keys()].filter(isForShopper).map((name) => `- \`${name}\``);
  return `## What the form of a shopper may send

Without a token, the payment of a checkout accepts these parameters only. Any other that the checkout does not set is
refused with 200.300.404. One that the checkout sets may be repeated, but not changed.

${names.join('\n')}
`;
}

function choices(): string {
  const lines = fieldDocsChoices.map(({ about, choice }) => `- **${about}** ${choice}`);
  return `## Where the documents are ambiguous\n\n${lines.join('\n')}\n`;
}
