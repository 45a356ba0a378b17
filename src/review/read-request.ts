import { z } from 'zod';
import { ReconError } from '../errors.js';
import { itemStatuses } from '../findings/open-item.js';
import { decisionKinds } from '../values/decision-kinds.js';
import { basisPattern } from '../items/conflict.js';
import type { DecisionRequest } from '../items/decision-request.js';
import type { SeenItem } from '../items/decision-target.js';
import type { ItemFilter } from '../items/list-items.js';
import { isStorable } from '../values/storable-text.js';
import { sortKeys, type PagePlace, type PageRequest } from '../items/read-sorted-items.js';

/** The database refuses other texts, which would look like a failure of the database. */
const storable = z.string().refine(isStorable, 'It has a character that cannot be stored');
const text = storable.max(2_000);
const filterSchema = z.strictObject({
  status: z.enum([...itemStatuses, 'LAPSED']).optional(),
  severity: z.enum(['error', 'warning', 'info']).optional(),
  code: text.optional(),
  account: text.optional(),
  currency: text.optional(),
  assignee: text.optional(),
  pattern: text.optional(),
  text: text.optional(),
});

const id = z.string().regex(/^[0-9a-f]{32}$/);
const orderSchema = z.strictObject({
  sort: z.enum(sortKeys).default('atRisk'),
  direction: z.enum(['asc', 'desc']).default('desc'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  after: z.string().max(2_000).optional(),
});
const amount = z.string().regex(/^-?\d{1,18}$/);
const placeSchema = z.strictObject({
  key: storable.max(500),
  weight: amount,
  ageDays: z.int().min(0).max(1_000_000),
  id,
});
/** What a key must be for the database to read it. */
const keySchemas = {
  atRisk: amount,
  age: amount,
  amount,
  // ISO 8601 has a year 0; the database does not.
  date: z.iso.date().refine((day) => day >= '0001', 'There is no year 0'),
  code: text,
  account: text,
  status: text,
};

const decisionSchema = z.strictObject({
  kind: z.enum(decisionKinds),
  until: text.nullable().default(null),
  linkTo: text.nullable().default(null),
  assignee: text.nullable().default(null),
  reason: text.nullable().default(null),
  note: text.nullable().default(null),
  dryRun: z.boolean().default(false),
  target: z.union([
    z.strictObject({
      seen: z
        .array(z.strictObject({ id, basis: z.string().regex(basisPattern) }))
        .min(1)
        .max(5_000),
    }),
    z.strictObject({
      filter: filterSchema,
      /** What the preview returned. */
      basis: z.string().max(64).nullable().default(null),
    }),
  ]),
});

/** A decision as the page sends it. */
export interface SentDecision {
  readonly request: DecisionRequest;
  readonly dryRun: boolean;
  readonly target:
    { readonly seen: readonly SeenItem[] } | { readonly filter: ItemFilter; readonly basis: string | null };
}

/** @throws ReconError USAGE_INVALID */
export function readFilter(query: URLSearchParams): ItemFilter {
  return filterOf(parse(filterSchema, given(query)));
}

/** @throws ReconError USAGE_INVALID */
export function readPageRequest(query: URLSearchParams): PageRequest {
  const all = given(query);
  const isOrder = (name: string) => name in orderSchema.shape;
  const entries = Object.entries(all);
  const order = parse(orderSchema, Object.fromEntries(entries.filter(([name]) => isOrder(name))));
  const filter = parse(filterSchema, Object.fromEntries(entries.filter(([name]) => !isOrder(name))));
  const { sort, direction, limit, after } = order;
  return {
    filter: filterOf(filter),
    sort,
    descending: direction === 'desc',
    after: after === undefined ? null : readPlace(after, sort),
    limit,
  };
}

/** @throws ReconError USAGE_INVALID */
export function readDecision(body: string): SentDecision {
  const { dryRun, target, ...request } = parse(decisionSchema, parseJson(body));
  return {
    request: { ...request, reason: nonEmpty(request.reason), note: nonEmpty(request.note) },
    dryRun,
    target: 'seen' in target ? target : { ...target, filter: filterOf(target.filter) },
  };
}

/** The place as a text that the page gives back. */
export function placeText({ key, weight, ageDays, id }: PagePlace): string {
  return Buffer.from(JSON.stringify({ key, weight, ageDays, id })).toString('base64url');
}

function readPlace(given: string, sort: PageRequest['sort']): PagePlace {
  const place = parse(placeSchema, parseJson(Buffer.from(given, 'base64url').toString()));
  parse(keySchemas[sort], place.key);
  return place;
}

const nonEmpty = (given: string | null) => (given === null || given.trim() === '' ? null : given.trim());

/** Without the parameters that are empty; an empty assignee means nobody. */
function given(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...query].filter(([name, value]) => value !== '' || name === 'assignee'));
}

function filterOf(filter: z.output<typeof filterSchema>): ItemFilter {
  const { status, severity, code, account, currency, assignee, pattern, text: searched } = filter;
  return {
    status: status === undefined || status === 'LAPSED' ? null : status,
    lapsed: status === 'LAPSED',
    severity: severity ?? null,
    code: code ?? null,
    account: account ?? null,
    currency: currency ?? null,
    assignee: assignee ?? null,
    pattern: pattern ?? null,
    text: searched ?? null,
  };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new ReconError('USAGE_INVALID', 'The request is not JSON.');
  }
}

function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw new ReconError(
    'USAGE_INVALID',
    `The request is not valid${where === '' ? '' : ` at ${where}`}: ${issue?.message ?? ''}.`,
  );
}
