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
  decision?: Decision;
}

/** What a person decided, and the facts that the decision is bound to. */
export interface Decision {
  readonly kind: 'accept' | 'wait';
  readonly facts: string;
  /** The day on which a waiting item is open again. */
  readonly until: string;
}

export type ItemStatus = 'OPEN' | 'WAITING' | 'ACCEPTED' | 'RESOLVED';

/** What the oracle expects of one run. */
export interface ExpectedRun extends Judgement {
  readonly run: number;
  readonly asOf: string;
  readonly loaded: readonly { readonly file: LoadedFile; readonly rows: readonly RowOutcome[] }[];
  readonly items: readonly Item[];
  readonly new: readonly Item[];
  readonly resolved: number;
}

/** All that an installation of recon knows, kept in memory and evaluated again in every run. */
export class Books {
  readonly #payments: StoredPayments = new Map();
  readonly #files: LoadedFile[] = [];
  readonly #records: SettlementRecord[] = [];
  readonly #waiting: DeliveredFile[] = [];
  readonly #history: ChargebackHistory = { assigned: new Map(), reversalOf: new Map() };
  readonly #items = new Map<string, Item>();
  readonly #linked = new Map<string, string>();
  readonly #unlinked = new Map<string, Set<string>>();
  #runs = 0;
  #asOf = '';

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
      .filter((item) => statusOf(item, this.#asOf) === 'OPEN')
      .sort((one, other) => compareTexts(one.finding.key, other.finding.key));
  }

  decide(item: Item, kind: Decision['kind'], until = ''): void {
    item.decision = { kind, facts: factsOf(item), until };
  }

  /** The record of an item belongs to a payment, from the next run on. */
  link(item: Item, choice: number): string | undefined {
    const { record } = item.finding;
    const ids = [...this.#payments.keys()].sort();
    const id = ids[choice % Math.max(1, ids.length)];
    if (record === undefined || id === undefined) return undefined;
    this.#linked.set(record.place, id);
    this.#unlinked.get(record.place)?.delete(id);
    return id;
  }

  /** The record of an item does not belong to the payment that it was matched to, from the next run on. */
  unlink(item: Item): void {
    const { record } = item.finding;
    if (record === undefined) return;
    this.#linked.delete(record.place);
    const barred = this.#unlinked.get(record.place) ?? new Set();
    this.#unlinked.set(record.place, barred.add(item.candidates));
  }

  /** A run, or a re-run over all days, which does not fetch. */
  run(asOf: string, fetches: boolean): ExpectedRun {
    this.#runs += 1;
    this.#asOf = asOf;
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
      linked: this.#linked,
      unlinked: this.#unlinked,
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

/** A wait that has ended is over, whatever happened to the facts. */
function standing(item: Item, asOf: string): Decision | undefined {
  const { decision } = item;
  return decision?.kind === 'wait' && decision.until <= asOf ? undefined : decision;
}

export function isLapsed(item: Item, asOf: string): boolean {
  const decision = standing(item, asOf);
  return item.isOpen && decision !== undefined && decision.facts !== factsOf(item);
}

export function statusOf(item: Item, asOf: string): ItemStatus {
  if (!item.isOpen) return 'RESOLVED';
  const decision = standing(item, asOf);
  if (decision === undefined || isLapsed(item, asOf)) return 'OPEN';
  return decision.kind === 'wait' ? 'WAITING' : 'ACCEPTED';
}
