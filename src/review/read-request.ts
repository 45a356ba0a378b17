import * as z from 'zod';
import { severities } from '../findings/discrepancy-codes.js';
import { itemStatuses } from '../findings/open-item.js';
import { decisionKinds } from '../values/decision-kinds.js';
import { basisPattern } from '../items/conflict.js';
import type { DecisionRequest } from '../items/decision-request.js';
import type { SeenItem } from '../items/decision-target.js';
import type { ItemFilter } from '../items/list-items.js';
import { sortKeys, type PageRequest } from '../items/read-sorted-items.js';
import { readPlace } from './page-place.js';
import { discrepancyIdText, parseJson, parseSent, text } from './sent-values.js';

const filterSchema = z.strictObject({
  status: z.enum([...itemStatuses, 'LAPSED']).optional(),
  severity: z.enum(severities).optional(),
  code: text.optional(),
  account: text.optional(),
  currency: text.optional(),
  assignee: text.optional(),
  pattern: text.optional(),
  text: text.optional(),
});

const orderSchema = z.strictObject({
  sort: z.enum(sortKeys).default('atRisk'),
  direction: z.enum(['asc', 'desc']).default('desc'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  after: z.string().max(2_000).optional(),
});

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
        .array(z.strictObject({ id: discrepancyIdText, basis: z.string().regex(basisPattern) }))
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

/**
 * Which items a browser asks for. `LAPSED` is a status here and a property of an item elsewhere.
 *
 * @throws ReconError USAGE_INVALID
 */
export function readFilter(query: URLSearchParams): ItemFilter {
  return filterOfPage(parseSent(filterSchema, given(query)));
}

/**
 * One page of such items, 50 unless the browser asks for another number, the most money at risk first.
 *
 * @throws ReconError USAGE_INVALID
 */
export function readPageRequest(query: URLSearchParams): PageRequest {
  const all = given(query);
  const isOrder = (name: string) => name in orderSchema.shape;
  const entries = Object.entries(all);
  const order = parseSent(orderSchema, Object.fromEntries(entries.filter(([name]) => isOrder(name))));
  const filter = parseSent(filterSchema, Object.fromEntries(entries.filter(([name]) => !isOrder(name))));
  const { sort, direction, limit, after } = order;
  return {
    filter: filterOfPage(filter),
    sort,
    descending: direction === 'desc',
    after: after === undefined ? null : readPlace(after, sort),
    limit,
  };
}

/**
 * What a person decided, from the body of a request. A reason or a note of blanks only is none.
 *
 * @throws ReconError USAGE_INVALID
 */
export function readDecision(body: string): SentDecision {
  const { dryRun, target, ...request } = parseSent(decisionSchema, parseJson(body));
  return {
    request: { ...request, reason: nonEmpty(request.reason), note: nonEmpty(request.note) },
    dryRun,
    target: 'seen' in target ? target : { ...target, filter: filterOfPage(target.filter) },
  };
}

const nonEmpty = (given: string | null) => (given === null || given.trim() === '' ? null : given.trim());

/** Without the parameters that are empty; an empty assignee means nobody. */
function given(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...query].filter(([name, value]) => value !== '' || name === 'assignee'));
}

function filterOfPage(filter: z.output<typeof filterSchema>): ItemFilter {
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
