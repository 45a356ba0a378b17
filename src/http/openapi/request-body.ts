import { describeParameters, type RequestKind } from '../../payment-core/index.js';
import type { BodyOfRoute } from '../call.js';
import type { DescribedRoute } from './described-route.js';
import { describeInWords } from '../describe-in-words.js';
import { component, type Json, type Schema } from './described.js';
import { examples } from './examples.js';

const formType = 'application/x-www-form-urlencoded';

/** The body of a POST, and its schema as a component. */
export function bodyOf({ kind, body, method, path }: DescribedRoute): Schema {
  const example = examples[`${method} ${path}`];
  if (body === undefined) throw new Error(`${method} ${path} does not name its body`);
  const schema = schemaOf(kind, body);
  const named = component(body.name, { schema, components: {} });
  // Generators of clients let a body be left out unless the document says that it is needed.
  const isNeeded = 'required' in schema && Array.isArray(schema['required']) && schema['required'].length > 0;
  return {
    schema: {
      ...(isNeeded ? { required: true } : {}),
      content: {
        [formType]: { schema: named.schema, ...(example === undefined ? {} : { example }) },
      },
    },
    components: named.components,
  };
}

/** Names with a placeholder are patterns; no other name is accepted. */
function schemaOf(kind: RequestKind | undefined, body: BodyOfRoute): Json {
  const { isPartial = false, byForm = false, own = [], needs = [], withoutAmount } = body;
  const described = kind === undefined ? [] : describeParameters(kind);
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
  const ofKind = isPartial ? [] : described;
  const required = [...ofKind, ...own]
    .filter((parameter) => parameter.required || needs.includes(parameter.name))
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
