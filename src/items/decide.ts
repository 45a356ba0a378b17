import { createHash } from 'node:crypto';
import type { Sql, Tx } from '../db/client.js';
import { inOwnTransaction } from '../db/transaction.js';
import type { PaymentKey } from '../values/ids.js';
import { listed } from '../spreadsheet/sheet-problems.js';
import { formatAmount } from '../values/money.js';
import { ReconError } from '../errors.js';
import { refusalOf } from './refuse-decision.js';
import { atRiskOf, type AtRisk, type SumsAtRisk } from './at-risk.js';
import { conflictOf, readBasis, readHistories } from './conflict.js';
import { readDecidables, type Decidable } from './decidable.js';
import {
  refuse,
  requestProblem,
  withoutCardNumbers,
  type Deciding,
  type DecisionRequest,
} from './decision-request.js';
import { findItem } from './find-items.js';
import { selectItemIds, type ItemFilter } from './list-items.js';
import {
  lockDecisions,
  storeDecisions,
  type DecisionOrigin,
  type MadeDecision,
  type StoredDecision,
} from './store-decisions.js';

/** What was decided, or would be. */
export interface Decided {
  readonly dryRun: boolean;
  readonly author: string;
  readonly decidedOn: string;
  /** The items that were decided about, and what is at risk in them by currency. */
  readonly items: number;
  readonly atRisk: readonly (AtRisk & {
    readonly currency: string;
    /** Missing less surplus. */
    readonly amount: string;
  })[];
  readonly decisions: readonly StoredDecision[];
  /** The settlement dates of the records whose matching changes with the next run or re-run; null when none does. */
  readonly rerun: { readonly from: string; readonly to: string } | null;
  /** What else a person should know. */
  readonly remarks: readonly string[];
  /** A hash of the items and of what the decision saw of them: the same as long as none of them changes. */
  readonly basis: string;
}

/** The items of a decision: named one by one, all of a filter, or those that a person saw on a page. */
export type DecisionTarget =
  | { readonly named: readonly string[] }
  | { readonly filter: ItemFilter; readonly filterText: string }
  | { readonly seen: readonly SeenItem[] }
  | SeenList;

/** An item as a page showed it. */
export interface SeenItem {
  readonly id: string;
  /** Its `Basis`: the decision is refused if it changed since. */
  readonly basis: string;
}

/** The items of a filter that a page selected. */
export interface SeenList {
  readonly ids: readonly string[];
  readonly filterText: string;
  /** The basis that the dry run returned: the decision is refused if it changed since. Null in the dry run. */
  readonly basis: string | null;
}

const optionNames = {
  until: '--wait DATE',
  linkTo: '--link PAYMENT',
  assignee: '--assign NAME',
  reason: '--reason TEXT',
  note: '--note TEXT',
};

const fieldNames = {
  until: 'the field Until',
  linkTo: 'the field Payment',
  assignee: 'the field Assignee',
  reason: 'the field Reason',
  note: 'the field Note',
};

/**
 * Makes one decision about one item or many (design 4.9), about all of them or about none.
 *
 * @throws ReconError DECISION_REFUSED, DECISION_CONFLICT, ITEM_NOT_FOUND, errors of the database
 */
export async function decide(
  sql: Sql,
  target: DecisionTarget,
  given: DecisionRequest,
  deciding: Deciding,
): Promise<Decided> {
  const request = withoutCardNumbers(given);
  const onPage = 'seen' in target || 'ids' in target;
  const problem = requestProblem(request, deciding.asOf, onPage ? fieldNames : optionNames);
  if (problem !== null) refuse([problem]);
  return inOwnTransaction(sql, async (tx) => {
    await lockDecisions(tx);
    const items = await findItems(tx, target, request, deciding);
    const origin: DecisionOrigin =
      'filterText' in target ? { by: 'filter', name: target.filterText } : { by: 'command' };
    const linkKey = await paymentOf(tx, request);
    const made = items.map((item): MadeDecision => ({ item, request, linkKey, origin }));
    return makeDecisions(tx, made, deciding);
  });
}

/**
 * Stores decisions that were checked, and sums up what they are about.
 *
 * @throws ReconError DECISION_REFUSED when one of them cannot be made
 */
export async function makeDecisions(
  tx: Tx,
  made: readonly MadeDecision[],
  deciding: Deciding,
  remarks: readonly string[] = [],
): Promise<Decided> {
  const refusals = made.flatMap(({ item, request: { kind } }) => {
    const refusal = refusalOf(kind, item, deciding.author);
    return refusal === null ? [] : [`${item.name} ${refusal}`];
  });
  if (refusals.length > 0) refuse(refusals);
  const decisions = await storeDecisions(tx, made, deciding);
  const items = [...new Map(made.map(({ item }) => [item.item, item])).values()];
  return {
    dryRun: deciding.dryRun,
    author: deciding.author,
    decidedOn: deciding.asOf,
    items: items.length,
    atRisk: sumAtRisk(items),
    decisions,
    rerun: datesToRematch(made),
    remarks,
    basis: basisOf(items),
  };
}

function findItems(
  tx: Tx,
  target: DecisionTarget,
  request: DecisionRequest,
  deciding: Deciding,
): Promise<Decidable[]> {
  if ('named' in target) return findNamed(tx, target.named, request, deciding);
  if ('seen' in target) return findSeen(tx, target.seen, deciding);
  if ('ids' in target) return findSeenList(tx, target, request, deciding);
  return findFiltered(tx, target.filter, request, deciding);
}

async function findNamed(
  tx: Tx,
  named: readonly string[],
  { kind }: DecisionRequest,
  deciding: Deciding,
): Promise<Decidable[]> {
  const items: Decidable[] = [];
  for (const name of named) items.push(await findItem(tx, deciding, name, kind));
  return [...new Map(items.map((item) => [item.item, item])).values()];
}

/** @throws ReconError DECISION_CONFLICT that names the items that others decided meanwhile, ITEM_NOT_FOUND */
async function findSeen(tx: Tx, seen: readonly SeenItem[], deciding: Deciding): Promise<Decidable[]> {
  const items = await readByIds(
    tx,
    seen.map(({ id }) => id),
    deciding,
  );
  const histories = await readHistories(
    tx,
    items.map(({ item }) => item),
  );
  const bases = new Map(seen.map(({ id, basis }) => [id, readBasis(basis)]));
  const conflicts = items.flatMap((item) => {
    const basis = bases.get(item.item);
    const conflict =
      basis === undefined ? null : conflictOf(item, histories.get(item.item) ?? [], basis, 'of the page');
    return conflict === null ? [] : [conflict];
  });
  if (conflicts.length > 0)
    throw new ReconError('DECISION_CONFLICT', listed('Nothing was decided', conflicts));
  const missing = seen.find(({ id }) => !items.some(({ item }) => item === id));
  if (missing !== undefined)
    throw new ReconError('ITEM_NOT_FOUND', `No item has the DiscrepancyId ${missing.id}.`);
  return items;
}

async function findSeenList(
  tx: Tx,
  { ids, basis }: SeenList,
  request: DecisionRequest,
  deciding: Deciding,
): Promise<Decidable[]> {
  const items = applicable(await readByIds(tx, ids, deciding), request);
  if (basis === null || basis === basisOf(items)) return items;
  const [last] = await tx<{ kind: string; author: string; on: string }[]>`
    select kind::text, author, decided_on::text as on from decisions
    where item = any (string_to_array(${ids.join(',')}, ',')) order by number desc limit 1`;
  const latest =
    last === undefined ? '' : ` The latest decision is ${last.kind} by ${last.author} on ${last.on}.`;
  throw new ReconError(
    'DECISION_CONFLICT',
    `Nothing was decided: the items of the filter changed after the preview.${latest}`,
  );
}

async function findFiltered(
  tx: Tx,
  filter: ItemFilter,
  request: DecisionRequest,
  deciding: Deciding,
): Promise<Decidable[]> {
  const ids = await selectItemIds(tx, deciding, filter);
  return applicable(await readByIds(tx, ids, deciding), request);
}

function readByIds(tx: Tx, ids: readonly string[], deciding: Deciding): Promise<Decidable[]> {
  const listed = tx`any (string_to_array(${ids.join(',')}, ','))`;
  return readDecidables(tx, deciding, tx`d.id = ${listed}`);
}

/** Among many items, approve applies to those that wait for it and undo to those with a decision. */
function applicable(items: Decidable[], { kind }: DecisionRequest): Decidable[] {
  if (kind === 'approve') return items.filter(({ pending }) => pending);
  return kind === 'undo' ? items.filter(({ undoable }) => undoable !== null) : items;
}

function basisOf(items: readonly Decidable[]): string {
  const hash = createHash('sha256');
  for (const { item, facts, lastNumber } of items) hash.update(`${item} ${facts} ${lastNumber}\n`);
  return hash.digest('hex').slice(0, 32);
}

/** The payment that a link names, by its id or by the DiscrepancyId of its MISSING_SETTLEMENT. */
export async function paymentOf(tx: Tx, { kind, linkTo }: DecisionRequest): Promise<PaymentKey | null> {
  if (kind !== 'link') return null;
  const [payment] = await tx<{ key: PaymentKey; booked: boolean }[]>`
    select key, payment_type in ('CB', 'CR') as booked from payments where id = ${linkTo}
    union all
    select payment_key, false from discrepancies where id = ${linkTo} and code = 'MISSING_SETTLEMENT'
    limit 1`;
  if (payment === undefined) refuse([`No payment ${linkTo ?? ''} is stored.`]);
  if (payment.booked) {
    refuse([`${linkTo ?? ''} is a booked chargeback; link the record to the payment that was charged back.`]);
  }
  return payment.key;
}

function sumAtRisk(items: readonly Decidable[]): Decided['atRisk'] {
  const byCurrency = new Map<string, SumsAtRisk>();
  for (const { currency, atRiskMinor } of items) {
    if (currency === null) continue;
    const { missing, surplus } = byCurrency.get(currency) ?? { missing: 0n, surplus: 0n };
    byCurrency.set(currency, {
      missing: atRiskMinor > 0n ? missing + atRiskMinor : missing,
      surplus: atRiskMinor < 0n ? surplus - atRiskMinor : surplus,
    });
  }
  return [...byCurrency]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, sums]) => ({
      currency,
      amount: formatAmount(sums.missing - sums.surplus),
      ...atRiskOf(sums),
    }));
}

const changesMatching = ['link', 'unlink', 'supersede', 'keep-both'];

function datesToRematch(made: readonly MadeDecision[]): Decided['rerun'] {
  const dates = made
    .filter(({ item, request: { kind } }) =>
      changesMatching.includes(kind === 'undo' ? (item.undoableKind ?? '') : kind),
    )
    .flatMap(({ item: { date } }) => (date === null ? [] : [date]))
    .sort();
  const [from, to] = [dates[0], dates.at(-1)];
  return from === undefined || to === undefined ? null : { from, to };
}
