import { fieldsOf } from './catalogue/catalogue.js';
import { keyedContainers } from './containers.js';
import { describeType } from './describe-type.js';
import type { Field } from './field.js';
import type { FieldType } from './field-type.js';
import type { RequestKind } from './request-kinds.js';
import { isForShopper } from './shopper-fields.js';
import { schemes } from './catalogue/three-d-secure-fields.js';

/** A parameter of a kind of request, for documents such as OpenAPI. */
export interface ParameterDescription {
  /** The name as in the catalogue, placeholders included: `cart.items[n].name`. */
  readonly name: string;
  /** Matches every name that it stands for; null for a name without placeholders. */
  readonly namePattern: string | null;
  /** Must be sent in every request of this kind. */
  readonly required: boolean;
  /** Req of the document; a conditional parameter is required where a rule says so. */
  readonly requirement: Field['requirement'];
  /** The document and its section, for example `catalogue 2.1`. */
  readonly section: string;
  /** The valid values in words; completes "must be …". */
  readonly says: string;
  /** A JSON schema that every valid value satisfies. Values are texts, as in a form. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Never shown in an answer or a log. */
  readonly isSecret: boolean;
  /** The form of a shopper may send it to a checkout without a token. */
  readonly isForShopper: boolean;
}

/** The parameters that a kind of request accepts, in the order of the catalogue. */
export function describeParameters(kind: RequestKind): readonly ParameterDescription[] {
  return [...fieldsOf(kind).values()].map((field) => ({
    name: field.name,
    namePattern: namePatternOf(field.name),
    required: field.requiredIn.includes(kind),
    requirement: field.requirement,
    section: field.section,
    says: describeType(field.type),
    schema: schemaOf(field.type),
    isSecret: field.sensitivity !== 'none',
    isForShopper: isForShopper(field.name),
  }));
}

const escaped = (text: string) => text.replace(/[.[\]]/g, '\\$&');

function namePatternOf(name: string): string | null {
  const [container = ''] = name.split('[');
  const key = keyedContainers.get(container);
  if (key !== undefined && name === `${container}[key]`) {
    return `^${escaped(container)}\\[${key.pattern.source.replace(/^\^|\$$/g, '')}\\]$`;
  }
  if (!/\[n\]|<scheme>/.test(name)) return null;
  const pattern = escaped(name)
    .replaceAll('\\[n\\]', '\\[(?:0|[1-9]\\d{0,3})\\]')
    .replace('<scheme>', `(?:${schemes.join('|')})`);
  return `^${pattern}$`;
}

/** JSON Schema has no flags: a dot that matches every character is written as a class. */
function sourceOf({ source, dotAll }: RegExp): string {
  return dotAll ? source.replaceAll('.', '[\\s\\S]') : source;
}

function schemaOf(type: FieldType): Readonly<Record<string, unknown>> {
  switch (type.kind) {
    case 'text':
      return {
        type: 'string',
        minLength: type.min,
        maxLength: type.max,
        ...(type.characters === null
          ? {}
          : {
              pattern: type.characters.pattern.source,
              examples: [type.characters.filler.repeat(Math.max(type.min, 1))],
            }),
      };
    case 'shape':
      return { type: 'string', pattern: sourceOf(type.pattern), examples: [type.example] };
    case 'number':
      return { type: 'string', pattern: `^\\d{1,${type.digits}}$`, examples: [String(type.from)] };
    case 'amount':
      return {
        type: 'string',
        pattern: `^\\d{1,${type.integerDigits}}${type.decimals === 'mandatory' ? '\\.\\d{2}' : '(?:\\.\\d{2})?'}$`,
        examples: ['12.00'],
      };
    case 'enum':
      return { type: 'string', enum: type.values };
    case 'list': {
      const one = `(?:${type.values.join('|')})`;
      return { type: 'string', pattern: `^${one}(?:,${one})*$`, examples: [type.values[0]] };
    }
    case 'boolean':
      return { type: 'string', enum: ['true', 'false'] };
    case 'date':
      return { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2034-01-31'] };
    case 'timestamp':
      return {
        type: 'string',
        pattern: `^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}${type.zoneOffset === 'none' ? '' : '(?: ?[+-]\\d{2}:?\\d{2})?'}$`,
        examples: ['2026-11-20 12:00:00'],
      };
    case 'url':
      return {
        type: 'string',
        format: 'uri',
        minLength: type.min,
        maxLength: type.max,
        examples: ['https://shop.example/back'],
      };
    case 'currency':
      return { type: 'string', pattern: type.anyCase ? '^[A-Za-z]{3}$' : '^[A-Z]{3}$', examples: ['EUR'] };
    case 'country':
      return {
        type: 'string',
        minLength: 2,
        maxLength: 3,
        examples: [type.forms.includes('alpha-2') ? 'DE' : type.forms.includes('alpha-3') ? 'DEU' : '276'],
      };
    case 'cron':
      return { type: 'string', maxLength: type.max, examples: [type.part === 'year' ? '*' : '1'] };
    case 'cron expression':
      return { type: 'string', minLength: 1, maxLength: type.max, examples: ['0 0 5 1 * ? *'] };
  }
}
