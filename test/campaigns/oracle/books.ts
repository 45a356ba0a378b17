import type { Finding } from './findings.js';
import { judge, type Judgement } from './judge.js';
import type { ChargebackHistory } from './link-chargebacks.js';
import { readPayment, storePayments, type StoredPayments } from './payments.js';
import {
  compareTexts,
  deliveryOf,
  loadFile,
  type LoadedFile,
  type RowOutcome,
  type SettlementRecord,
} from './records.js';
import { settings, type DeliveredFile } from './world.js';
import { fileOfRows, type Cells } from '../../support/settlement-rows.js';

/** An item of design 4.9. */
export interface Item {
  finding: Finding;
  /** The payments that the record belongs to, or could belong to. */
  candidates: string;
  readonly firstRun: number;
  readonly since: string;
  isOpen: boolean;
  decision?: { readonly kind: 'accept'; readonly facts: string };
}

export type ItemStatus = 'OPEN' | 'ACCEPTED' | 'RESOLVED';

/** What the oracle expects of one run. */
export interface ExpectedRun extends Judgement {
  readonly run: number;
  readonly asOf: string;
  readonly loaded: readonly { readonly file: LoadedFile; readonly rows: readonly RowOutcome[] }[];
  readonly items: readonly Item[];
  readonly new: readonly Item[];
  readonly resolved: number;
}

/** All that an installation of recon knows, kept in memory and evaluated anew in every run. */
export class Books {
  readonly #payments: StoredPayments = new Map();
  readonly #files: LoadedFile[] = [];
  readonly #records: SettlementRecord[] = [];
  readonly #waiting: DeliveredFile[] = [];
  readonly #history: ChargebackHistory = { assigned: new Map(), reversalOf: new Map() };
  readonly #items = new Map<string, Item>();
  #runs = 0;

  importPayments(lines: readonly Cells[]): void {
    storePayments(this.#payments, lines);
  }

  deliver(file: DeliveredFile): void {
    this.#waiting.push(file);
  }

  file(name: string): LoadedFile | undefined {
    return this.#files.find(({ delivered }) => delivered.name === name);
  }

  /** What a person could decide about now, in an order that does not depend on ids. */
  openItems(): Item[] {
    return [...this.#items.values()]
      .filter((item) => statusOf(item) === 'OPEN')
      .sort((one, other) => compareTexts(one.finding.key, other.finding.key));
  }

  accept(item: Item): void {
    item.decision = { kind: 'accept', facts: factsOf(item) };
  }

  /** A run, or a re-run over all days, which does not fetch. */
  run(asOf: string, fetches: boolean): ExpectedRun {
    this.#runs += 1;
    const loaded = fetches ? this.#load() : [];
    const judgement = judge({
      records: this.#records.filter((record) => deliveryOf(record) !== undefined),
      counts: () => true,
      world: this.#matchingWorld(),
      history: this.#history,
      asOf,
    });
    const changed = this.#keepItems(judgement, asOf);
    return { ...judgement, ...changed, run: this.#runs, asOf, loaded, items: [...this.#items.values()] };
  }

  #load(): ExpectedRun['loaded'] {
    const loaded: { file: LoadedFile; rows: RowOutcome[] }[] = [];
    const waiting = this.#waiting
      .splice(0)
      .sort((one, other) => compareTexts(one.source, other.source) || compareTexts(one.name, other.name));
    for (const delivered of waiting) {
      const bytes = fileOfRows(delivered.rows);
      // The same bytes again, under any name, are a duplicate.
      if (this.#files.some((file) => fileOfRows(file.delivered.rows) === bytes)) continue;
      const file = { delivered, received: this.#files.length, isWithdrawn: false };
      this.#files.push(file);
      loaded.push({ file, rows: loadFile(this.#records, file) });
    }
    return loaded;
  }

  #matchingWorld() {
    const { assigned } = this.#history;
    return {
      payments: new Map([...this.#payments].map(([id, cells]) => [id, readPayment(cells)])),
      maxPaymentsPerKey: settings.maxPaymentsPerKey,
      linked: new Map<string, string>(),
      unlinked: new Map<string, Set<string>>(),
      kept: new Map([...assigned].map(([record, match]) => [record.place, match])),
    };
  }

  #keepItems({ findings, matches }: Judgement, asOf: string): Pick<ExpectedRun, 'new' | 'resolved'> {
    const candidatesOf = ({ record }: Finding) =>
      (record &&
        matches
          .get(record)
          ?.payments.map(({ id }) => id)
          .join()) ??
      '';
    const found = new Map(findings.map((finding) => [finding.key, finding]));
    let resolved = 0;
    for (const item of this.#items.values()) {
      const finding = found.get(item.finding.key);
      if (item.isOpen && finding === undefined) resolved += 1;
      item.isOpen = finding !== undefined;
      if (finding === undefined) continue;
      item.finding = finding;
      item.candidates = candidatesOf(finding);
    }
    const added = findings
      .filter(({ key }) => !this.#items.has(key))
      .map((finding): Item => ({
        finding,
        candidates: candidatesOf(finding),
        firstRun: this.#runs,
        since: asOf,
        isOpen: true,
      }));
    for (const item of added) this.#items.set(item.finding.key, item);
    return { new: added, resolved };
  }
}

/** What a decision is bound to: it lapses when one of these changes (design 4.9). */
function factsOf({ finding: { expected, actual, difference }, candidates }: Item): string {
  return JSON.stringify([expected, actual, difference, candidates]);
}

export function isLapsed(item: Item): boolean {
  return item.isOpen && item.decision !== undefined && item.decision.facts !== factsOf(item);
}

export function statusOf(item: Item): ItemStatus {
  if (!item.isOpen) return 'RESOLVED';
  return item.decision !== undefined && !isLapsed(item) ? 'ACCEPTED' : 'OPEN';
}
