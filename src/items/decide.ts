import type { Reader, Sql, Tx } from '../db/client.js';
import { inOwnSession } from '../db/transaction.js';
import type { PaymentKey } from '../values/ids.js';
import { findLinkedPayment } from './linked-payment.js';
import { refuse, requestProblem, asStored, type Deciding, type DecisionRequest } from './decision-request.js';
import { findTarget, listTarget, refuseIfChanged, type DecisionTarget } from './decision-target.js';
import type { ReadInBatches } from './in-batches.js';
import {
  lockDecisions,
  storeDecisions,
  storedDecisions,
  type DecisionOrigin,
  type MadeDecision,
  type StoredDecision,
} from './store-decisions.js';
import { sumDecisions, withdrawnRemarks, type DecisionSums } from './sum-decisions.js';

/** The result of `recon decide` and of its methods in the library; with `dryRun`, what it would be. */
export interface Decided extends Pick<DecisionSums, 'items' | 'atRisk' | 'rerun' | 'basis'> {
  /** True: everything was checked, and nothing was stored. */
  readonly dryRun: boolean;
  /** Who decided, as it was given. */
  readonly author: string;
  /** The as-of date of the decision, `yyyy-MM-dd`. */
  readonly decidedOn: string;
  /** In the order of the items, or of the rows of the sheet. */
  readonly decisions: readonly StoredDecision[];
  /** What else a person should know. */
  readonly remarks: readonly string[];
}

/** {@link Decided} with the decisions in batches, because there may be one for each item that is open. */
export interface DecidedInBatches {
  /** What `Decided` has, in its order. */
  readonly decided: Omit<Decided, 'decisions'> & {
    /** To be read once. */
    readonly decisions: AsyncIterable<readonly StoredDecision[]>;
  };
  readonly sums: DecisionSums;
}

/** Called when the decisions are stored, or were checked in a dry run. */
export type UseDecided<Result> = (decided: DecidedInBatches) => Promise<Result>;

/** The result with all decisions in memory, for a program that asked for it. */
export async function wholeDecided({ decided }: DecidedInBatches): Promise<Decided> {
  return { ...decided, decisions: await firstDecisions(decided.decisions, Infinity) };
}

/** The first decisions, `most` at most. */
export async function firstDecisions(
  batches: AsyncIterable<readonly StoredDecision[]>,
  most: number,
): Promise<StoredDecision[]> {
  const first: StoredDecision[] = [];
  for await (const batch of batches) {
    for (const decision of batch.slice(0, most - first.length)) first.push(decision);
    if (first.length >= most) break;
  }
  return first;
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

/** One decision, what it is about, and who makes it. */
export interface DecisionToMake {
  readonly target: DecisionTarget;
  readonly request: DecisionRequest;
  readonly deciding: Deciding;
}

/**
 * Makes one decision about one item or many (design 4.9), about all of them or about none.
 *
 * @throws ReconError DECISION_REFUSED, DECISION_CONFLICT, ITEM_NOT_FOUND, errors of the database
 */
export async function decide<Result>(
  sql: Sql,
  { target, request: given, deciding }: DecisionToMake,
  use: UseDecided<Result>,
): Promise<Result> {
  const request = asStored(given);
  const onPage = 'seen' in target || 'giveIds' in target;
  const problem = requestProblem(request, deciding.asOf, onPage ? fieldNames : optionNames);
  if (problem !== null) refuse([problem]);
  const transact = async (tx: Tx) => {
    // Before the lock, because the list of the page may have to be read first.
    await listTarget(tx, target);
    await lockDecisions(tx);
    const items = await findTarget(tx, target, request, deciding);
    const origin: DecisionOrigin =
      'filterText' in target ? { by: 'filter', name: target.filterText } : { by: 'command' };
    const linkKey = await paymentOf(tx, request);
    const decisions: ReadInBatches<MadeDecision> = async function* (reader) {
      for await (const batch of items(reader))
        yield batch.map((item) => ({ item, request, linkKey, origin }));
    };
    const confirm = ({ basis }: DecisionSums) => refuseIfChanged(tx, target, basis);
    return makeDecisions(tx, decisions, deciding, { confirm });
  };
  return inOwnSession(sql, transact, (session, readDecided) => use(readDecided(session)));
}

/** Reads what was decided, on the session that decided it: the items are in its temporary tables. */
type ReadDecided = (session: Reader) => DecidedInBatches;

/**
 * Checks decisions, sums up what they are about, and stores them.
 *
 * @param options.confirm throws if the sums are not those that a person saw
 * @throws ReconError DECISION_REFUSED when one of them cannot be made
 */
export async function makeDecisions(
  tx: Tx,
  decisions: ReadInBatches<MadeDecision>,
  deciding: Deciding,
  { remarks = [], confirm }: { remarks?: readonly string[]; confirm?: (sums: DecisionSums) => Promise<void> },
): Promise<ReadDecided> {
  const sums = await sumDecisions(tx, decisions, deciding);
  await confirm?.(sums);
  if (sums.refused.count > 0) refuse(sums.refused.first, sums.refused.count);
  const numbers = deciding.dryRun ? null : await storeDecisions(tx, decisions, deciding);
  const { items, atRisk, rerun, basis } = sums;
  const { dryRun, author, asOf: decidedOn } = deciding;
  const allRemarks = [...remarks, ...withdrawnRemarks(sums)];
  const head = { dryRun, author, decidedOn, items, atRisk, rerun, remarks: allRemarks, basis };
  return (session) => ({
    decided: { ...head, decisions: storedDecisions(session, decisions, numbers, deciding) },
    sums,
  });
}

/** The payment that a link names; null for another decision. */
async function paymentOf(tx: Tx, { kind, linkTo }: DecisionRequest): Promise<PaymentKey | null> {
  if (kind !== 'link') return null;
  const found = await findLinkedPayment(tx, linkTo ?? '');
  if ('problem' in found) refuse([found.problem]);
  return found.key;
}
