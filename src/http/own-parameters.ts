import { describeParameters, type RequestKind } from '../payment-core/index.js';
import { describeInWords } from './describe-in-words.js';

/** A parameter of a query that belongs to no kind of request, as the OpenAPI document describes it. */
export interface OwnParameter {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  /** Values are texts, as in a form. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Of the script of a checkout, which has no other parameter. */
export const checkoutIdParameter: OwnParameter = {
  name: 'checkoutId',
  required: true,
  description: 'The id of the checkout.',
  schema: { type: 'string', minLength: 1 },
};

const registrationId = {
  name: 'registrationId',
  schema: { type: 'string', pattern: '^[A-Za-z0-9]{32}$' },
} as const;

/** The registration that a schedule pays with. */
export const plannedRegistration: OwnParameter = {
  ...registrationId,
  required: true,
  description: 'The registration that pays.',
};

/** The registration that the shopper chose. */
export const chosenRegistration: OwnParameter = {
  ...registrationId,
  required: false,
  description: 'The registration that pays, instead of a card or an account.',
};

/** Narrows the sums, which a range of dates selects. */
export const currencyParameter = optional(
  'currency',
  'Only what was settled in this currency: a code of ISO 4217 in capitals.',
  { pattern: '^[A-Z]{3}$', examples: ['EUR'] },
);

/**
 * Of the lists that count their pages (`/v3/query`, `/reports/v2`): 1 to 1,000,000. The catalogue has no such
 * parameter.
 */
export const pageNoParameter = optional(
  'pageNo',
  'The number of the page, from 1. Numbered pages shift when something is added meanwhile.',
  { pattern: '^([1-9]\\d{0,5}|1000000)$', examples: ['1'] },
);

const beforeNext = 'What next was in the page before. Nothing is skipped or repeated.';

/** Of the query; the cursor also says how far the linked payments were read. */
export const afterPaymentParameter = optional(
  'after',
  `${beforeNext} A payment that is linked to one of another page is also on that page. Cannot be sent with pageNo. ` +
    'After a page with moreLinked, it needs includeLinkedTransactions=true, as that page did.',
  { pattern: '^\\d{1,18}(\\.\\d{1,18}\\.\\d{1,18})?$' },
);

/** Of the records of a report. */
export const afterRecordParameter = optional('after', beforeNext, { pattern: '^[A-Za-z0-9_-]+$' });

/** How the records of one date and currency are sorted; the dates themselves are in the path. */
export const sortParameters = optionalOf('reporting', ['sortValue', 'sortOrder']);

/** Accepted on every path that needs a token. */
export const everywhereParameters = optionalOf('chargeback', ['entityId', 'testMode']);

/** These parameters of a kind of request, none of which is required. */
function optionalOf(kind: RequestKind, names: readonly string[]): readonly OwnParameter[] {
  return describeParameters(kind)
    .filter(({ name }) => names.includes(name))
    .map((parameter) => ({
      name: parameter.name,
      required: false,
      description: describeInWords(parameter),
      schema: parameter.schema,
    }));
}

function optional(name: string, description: string, schema: OwnParameter['schema']): OwnParameter {
  return { name, required: false, description, schema: { type: 'string', ...schema } };
}
