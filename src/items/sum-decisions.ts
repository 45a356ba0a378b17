import { createHash } from 'node:crypto';
import type { Tx } from '../db/client.js';
import { mostNamed } from '../spreadsheet/sheet-problems.js';
import { formatAmount } from '../values/money.js';
import { atRiskOf, type AtRisk, type SumsAtRisk } from './at-risk.js';
import type { Decidable } from './decidable.js';
import type { Deciding } from './decision-request.js';
import type { ReadInBatches } from './in-batches.js';
import { refusalOf } from './refuse-decision.js';
import { isPending, type MadeDecision } from './store-decisions.js';

/** What many decisions come to. */
export interface DecisionSums {
  /** How many decisions; an item of a sheet may have several. */
  readonly decisions: number;
  /** Accepts that count once a second person approved them. */
  readonly pending: number;
  /** The items that were decided about, and what is at risk in them by currency. */
  readonly items: number;
  readonly atRisk: readonly (AtRisk & {
    readonly currency: string;
    /** Missing less surplus. */
    readonly amount: string;
  })[];
  /** The settlement dates of the records whose matching changes with the next run or re-run; null when none does. */
  readonly rerun: { readonly from: string; readonly to: string } | null;
  /** A hash of the items and of what the decisions saw of them: the same as long as none of them changes. */
  readonly basis: string;
  /** The first decisions that cannot be made, with the reason, and how many there are. */
  readonly refused: { readonly first: readonly string[]; readonly count: number };
}

/** Adds decisions up in batches. Those about one item follow each other. */
export async function sumDecisions(
  tx: Tx,
  read: ReadInBatches<MadeDecision>,
  deciding: Deciding,
): Promise<DecisionSums> {
  const adding = new AddingUp();
  for await (const batch of read(tx)) for (const made of batch) adding.add(made, deciding);
  return adding.sums();
}

const changesMatching = ['link', 'unlink', 'supersede', 'keep-both'];

class AddingUp {
  #decisions = 0;
  #pending = 0;
  #items = 0;
  #latest: string | undefined;
  readonly #byCurrency = new Map<string, SumsAtRisk>();
  #rerun: DecisionSums['rerun'] = null;
  readonly #hash = createHash('sha256');
  readonly #refusals: string[] = [];
  #refused = 0;

  add({ item, request: { kind } }: MadeDecision, { author, fourEyesAbove }: Deciding): void {
    this.#decisions += 1;
    if (isPending(kind, item, fourEyesAbove)) this.#pending += 1;
    const refusal = refusalOf(kind, item, author);
    if (refusal !== null) {
      this.#refused += 1;
      if (this.#refusals.length < mostNamed) this.#refusals.push(`${item.name} ${refusal}`);
    }
    if (changesMatching.includes(kind === 'undo' ? (item.undoableKind ?? '') : kind))
      this.#addDate(item.date);
    if (item.item !== this.#latest) this.#addItem(item);
    this.#latest = item.item;
  }

  sums(): DecisionSums {
    return {
      decisions: this.#decisions,
      pending: this.#pending,
      items: this.#items,
      atRisk: [...this.#byCurrency]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([currency, sums]) => ({
          currency,
          amount: formatAmount(sums.missing - sums.surplus),
          ...atRiskOf(sums),
        })),
      rerun: this.#rerun,
      basis: this.#hash.digest('hex').slice(0, 32),
      refused: { first: this.#refusals, count: this.#refused },
    };
  }

  #addDate(date: string | null): void {
    if (date === null) return;
    const { from, to } = this.#rerun ?? { from: date, to: date };
    this.#rerun = { from: date < from ? date : from, to: date > to ? date : to };
  }

  #addItem({ item, facts, lastNumber, currency, atRiskMinor }: Decidable): void {
    this.#items += 1;
    this.#hash.update(`${item} ${facts} ${lastNumber}\n`);
    if (currency === null) return;
    const { missing, surplus } = this.#byCurrency.get(currency) ?? { missing: 0n, surplus: 0n };
    this.#byCurrency.set(currency, {
      missing: atRiskMinor > 0n ? missing + atRiskMinor : missing,
      surplus: atRiskMinor < 0n ? surplus - atRiskMinor : surplus,
    });
  }
}
