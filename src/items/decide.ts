import type { Sql, Tx } from '../db/client.js';
import { inOwnTransaction } from '../db/transaction.js';
import type { PaymentKey } from '../values/ids.js';
import { formatAmount } from '../values/money.js';
import { refusalOf } from './refuse-decision.js';
import { atRiskOf, type AtRisk, type SumsAtRisk } from './at-risk.js';
import type { Decidable } from './decidable.js';
import {
  refuse,
  requestProblem,
  withoutCardNumbers,
  type Deciding,
  type DecisionRequest,
} from './decision-request.js';
import { basisOf, findTarget, type DecisionTarget } from './decision-target.js';
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
  /** See `basisOf`. */
  readonly basis: string;
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
    const items = await findTarget(tx, target, request, deciding);
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
