import type { Json } from './described.js';

/** What a group of paths is about. */
interface Subject {
  readonly tag: string;
  readonly description: string;
  /** The `{id}` in its paths. */
  readonly id?: string;
  readonly example?: string;
}

/** By the first word of a path, after its version. */
const subjects: Readonly<Record<string, Subject>> = {
  payments: {
    tag: 'Payments',
    description: 'Preauthorisations, debits and credits, and their captures, reversals and refunds.',
    id: 'The id of the payment.',
  },
  registrations: {
    tag: 'Registrations',
    description: 'Stored cards and accounts, and payments with them.',
    id: 'The id of the registration.',
  },
  checkouts: {
    tag: 'Checkouts',
    description: 'Payments that are prepared by the merchant, and paid in the form of the shopper.',
    id: 'The id of the checkout.',
  },
  query: { tag: 'Query', description: 'Searches for payments.', id: 'The id of the payment.' },
  reports: {
    tag: 'Reports',
    description: 'What was settled, by date and currency.',
    id: 'The date and currency: the id of an aggregation.',
    example: '2026-11-19-EUR',
  },
  scheduling: {
    tag: 'Schedules',
    description: 'Payments that are planned with a registration.',
    id: 'The id of the schedule.',
  },
  chargebacks: {
    tag: 'Chargebacks',
    description: 'Chargebacks that the back office books.',
    id: 'The id of the payment.',
  },
  resultcodes: { tag: 'Result codes', description: 'The codes of results, and their texts.' },
};

const belongsTo: Readonly<Record<string, string>> = { paymentWidgets: 'checkouts' };

function subjectOf(path: string): Subject {
  const [, word = ''] = /^\/(?:v\d+\/)?([A-Za-z]+)/.exec(path) ?? [];
  const subject = subjects[belongsTo[word] ?? word];
  if (subject === undefined) throw new Error(`${path} has no subject`);
  return subject;
}

/** The group in which the documentation lists a path. */
export function tagOf(path: string): string {
  return subjectOf(path).tag;
}

/** The description of `{id}` in a path: what it names follows from the path. */
export function idParameterOf(path: string): Json {
  const { id, example } = subjectOf(path);
  return {
    name: 'id',
    in: 'path',
    required: true,
    description: path.endsWith('/reversal') ? 'The id of the chargeback.' : id,
    schema: { type: 'string', maxLength: 48, ...(example === undefined ? {} : { examples: [example] }) },
  };
}

/** Every tag, with what its operations are about. */
export const tags = [
  ...Object.values(subjects).map(({ tag, description }) => ({ name: tag, description })),
  { name: 'Webhooks', description: 'What a receiver of notifications gets.' },
];
