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
import { withdrawnRecords, type WithdrawnRecord } from './withdrawn-records.js';

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
  /** The decisions that would change the matching of a record that does not count, because its file is withdrawn. */
  readonly withdrawn: {
    readonly count: number;
    /** The names of the first files, and how many more there are. */
    readonly files: readonly string[];
    readonly moreFiles: number;
  };
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
  const findWithdrawn = await withdrawnRecords(tx);
  for await (const batch of read(tx)) {
    const withdrawn = await findWithdrawn(batch.filter(changesMatching).map(({ item }) => item));
    for (const made of batch) adding.add(made, deciding, withdrawn.get(made.item.item));
  }
  return adding.sums();
}

/** What the answer says about decisions that have no effect for now: the files of their records are withdrawn. */
export function withdrawnRemarks({ decisions, withdrawn }: DecisionSums): string[] {
  const { count, files, moreFiles } = withdrawn;
  if (count === 0) return [];
  const [first = ''] = files;
  if (decisions === 1)
    return [
      `${first} is withdrawn: the decision changes nothing until the file is restored (recon files restore).`,
    ];
  const subject = `Of the ${decisions} decisions, ${count} ${count === 1 ? 'changes' : 'change'} nothing`;
  if (files.length === 1)
    return [`${subject} until the withdrawn file ${first} is restored (recon files restore).`];
  const named = `${files.join(', ')}${moreFiles === 0 ? '' : ` and ${moreFiles} more`}`;
  return [`${subject} until withdrawn files are restored (recon files restore): ${named}.`];
}

const kindsChangingMatching = ['link', 'unlink', 'supersede', 'keep-both'];

function changesMatching({ item, request: { kind } }: MadeDecision): boolean {
  return kindsChangingMatching.includes(kind === 'undo' ? (item.undoableKind ?? '') : kind);
}

class AddingUp {
  #decisions = 0;
  #pending = 0;
  #items = 0;
  #latest: string | undefined;
  readonly #byCurrency = new Map<string, SumsAtRisk>();
  #rerun: DecisionSums['rerun'] = null;
  #withdrawn = 0;
  readonly #withdrawnFiles = new Set<string>();
  readonly #hash = createHash('sha256');
  readonly #refusals: string[] = [];
  #refused = 0;

  /** @param withdrawn if its record does not count because its file is withdrawn */
  add(made: MadeDecision, { author, fourEyesAbove }: Deciding, withdrawn: WithdrawnRecord | undefined): void {
    const { item, request } = made;
    this.#decisions += 1;
    if (isPending(request.kind, item, fourEyesAbove)) this.#pending += 1;
    const refusal = refusalOf(request.kind, item, author);
    if (refusal !== null) {
      this.#refused += 1;
      if (this.#refusals.length < mostNamed) this.#refusals.push(`${item.name} ${refusal}`);
    }
    if (changesMatching(made)) {
      if (withdrawn === undefined) this.#addDate(item.date);
      else this.#addWithdrawn(withdrawn);
    }
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
      withdrawn: {
        count: this.#withdrawn,
        files: [...this.#withdrawnFiles].slice(0, mostNamed),
        moreFiles: Math.max(this.#withdrawnFiles.size - mostNamed, 0),
      },
      basis: this.#hash.digest('hex').slice(0, 32),
      refused: { first: this.#refusals, count: this.#refused },
    };
  }

  #addWithdrawn({ file }: WithdrawnRecord): void {
    this.#withdrawn += 1;
    this.#withdrawnFiles.add(file);
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
