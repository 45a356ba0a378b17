import { currencyOf, type Finding } from './findings.js';
import { paymentOf } from './check-sums.js';
import { judge, type Judgement } from './judge.js';
import type { ChargebackHistory } from './link-chargebacks.js';
import { readPayment, storePayments, type Payment, type StoredPayments } from './payments.js';
import {
  compareTexts,
  deliveryOf,
  enterCorrection,
  loadFile,
  placeOf,
  rejectedRowsOf,
  type LoadedFile,
  type RejectedRow,
  type RowOutcome,
  type SettlementRecord,
} from './records.js';
import type { DeliveryDecision } from './judge-deliveries.js';
import { dayAfter, firstDay, type DeliveredFile, type Settings } from './world.js';
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
  /** An accept that waits for its second person. */
  readonly isPending: boolean;
}

/** The days that a re-run is about. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

export type ItemStatus = 'OPEN' | 'WAITING' | 'ACCEPTED' | 'RESOLVED';

/** A loaded file with its valid rows. */
export interface ReadFile {
  readonly file: LoadedFile;
  /** Corrected rows are added to them. */
  readonly rows: RowOutcome[];
}

/** What the oracle expects of one run. */
export interface ExpectedRun extends Judgement {
  readonly run: number;
  readonly asOf: string;
  /** The days that it reports; undefined of a run, which reports what it looked at. */
  readonly days: Days | undefined;
  /** Whether a finding is about a record or payment of these days. */
  readonly isReported: (finding: Finding) => boolean;
  readonly loaded: readonly ReadFile[];
  /** All files that were loaded until now. */
  readonly files: readonly ReadFile[];
  readonly rejected: readonly RejectedRow[];
  readonly items: readonly Item[];
  readonly new: readonly Item[];
  readonly resolved: number;
}

/** Whether a finding compares all such records of its payment: then each of them was looked at for it. */
function sumsUp(code: string, { type }: SettlementRecord): boolean {
  if (code === 'CHARGEBACK_EXCEEDS_PAYMENT') return type.startsWith('CHARGEBACK');
  return (
    ['AMOUNT_MISMATCH', 'DUPLICATE_SETTLEMENT', 'SETTLEMENT_FAILED'].includes(code) && type === 'SETTLED'
  );
}

/** Both ends included; everything is within no days at all. */
export function isWithin(days: Days | undefined, day = ''): boolean {
  return days === undefined || (days.from <= day && day <= days.to);
}

/** Whether these days do not include all records. */
export function isPart(days: Days | undefined): boolean {
  return days !== undefined && days.from > firstDay;
}

/** The files that are reported: those that a run read, or those of the days of a re-run that are not withdrawn. */
export function filesOfReport({ loaded, files }: ExpectedRun, wasRerun: boolean): readonly ReadFile[] {
  return wasRerun ? files.filter(({ file }) => !file.isWithdrawn) : loaded;
}

/** All that an installation of recon knows, kept in memory and evaluated again in every run. */
export class Books {
  readonly #payments: StoredPayments = new Map();
  readonly #files: ReadFile[] = [];
  readonly #rejected: RejectedRow[] = [];
  readonly #records: SettlementRecord[] = [];
  readonly #waiting: DeliveredFile[] = [];
  readonly #history: ChargebackHistory = { assigned: new Map(), reversalOf: new Map() };
  readonly #items = new Map<string, Item>();
  readonly #linked = new Map<string, string>();
  readonly #unlinked = new Map<string, Set<string>>();
  readonly #deliveries = new Map<string, DeliveryDecision>();
  readonly #settings: Settings;
  #runs = 0;
  #asOf = '';

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  importPayments(lines: readonly Cells[]): void {
    storePayments(this.#payments, lines);
  }

  deliver(file: DeliveredFile): void {
    this.#waiting.push(file);
  }

  file(name: string): LoadedFile | undefined {
    return this.#files.find(({ file }) => file.delivered.name === name)?.file;
  }

  /** What a person could decide about now, in an order that does not depend on ids. */
  openItems(): Item[] {
    return [...this.#items.values()]
      .filter((item) => statusOf(item, this.#asOf) === 'OPEN')
      .sort((one, other) => compareTexts(one.finding.key, other.finding.key));
  }

  decide(item: Item, kind: Decision['kind'], until = ''): void {
    const isPending = kind === 'accept' && this.#needsSecondPerson(item);
    item.decision = { kind, facts: factsOf(item), until, isPending };
  }

  /** A second person agrees to an accept. */
  approve(item: Item): void {
    if (item.decision !== undefined) item.decision = { ...item.decision, isPending: false };
  }

  /** The limit is in EUR, and so is the money of the item then. */
  #needsSecondPerson({ finding }: Item): boolean {
    return currencyOf(finding) === 'EUR' && Math.abs(finding.atRisk) > this.#settings.fourEyesAbove;
  }

  /** Which of two deliveries of a record counts, from the next run on. */
  decideDelivery(item: Item, kind: DeliveryDecision['kind']): void {
    const { record } = item.finding;
    if (record !== undefined) this.#deliveries.set(record.place, { kind, number: this.#deliveries.size });
  }

  /** The rejected rows that a person can correct now. */
  rejectedRows(): RejectedRow[] {
    return this.#rejected
      .filter(({ file, isCorrected }) => !isCorrected && !file.isWithdrawn)
      .sort((one, other) => compareTexts(placeOf(one), placeOf(other)));
  }

  /** A rejected row is given back with these cells. */
  correct(row: RejectedRow, cells: Cells): void {
    const record = enterCorrection(this.#records, row, cells);
    this.#files.find(({ file }) => file === row.file)?.rows.push({ record, alreadyKnown: false });
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

  /**
   * A run, or a re-run, which does not fetch. A re-run over days that do not include all records follows a run, so that
   * it finds nothing that another re-run would find.
   */
  run(asOf: string, days: Days | undefined): ExpectedRun {
    this.#runs += 1;
    this.#asOf = asOf;
    const loaded = days === undefined ? this.#load() : [];
    const judgement = judge({
      records: this.#records.filter((record) => deliveryOf(record) !== undefined),
      deliveryDecisions: this.#deliveries,
      settings: this.#settings,
      world: this.#matchingWorld(),
      history: this.#history,
      asOf,
      isInScope: (payment) => this.#isMissed(payment) || this.#isLookedAt(payment, asOf, days),
    });
    const changed = this.#keepItems(judgement, asOf);
    const [files, rejected, items] = [[...this.#files], [...this.#rejected], [...this.#items.values()]];
    const isReported = (finding: Finding) =>
      days === undefined ||
      this.#isOfDays(finding, days) ||
      [...judgement.matches].some(
        ([record, match]) =>
          sumsUp(finding.code, record) &&
          isWithin(days, record.cells['SettlementDate']) &&
          paymentOf(match) !== undefined &&
          paymentOf(match) === finding.payment,
      );
    const report = { run: this.#runs, asOf, days, isReported, loaded, files, rejected, items };
    return { ...judgement, ...changed, ...report };
  }

  /** What is reported stays so, whatever its age. */
  #isMissed({ id }: Payment): boolean {
    return this.#items.get(`MISSING_SETTLEMENT ${id}`)?.isOpen === true;
  }

  #isLookedAt({ day }: Payment, asOf: string, days: Days | undefined): boolean {
    const { settlementDueDays, lookbackDays } = this.#settings;
    if (days === undefined) return day >= dayAfter(asOf, -lookbackDays);
    return isWithin(days, dayAfter(day, settlementDueDays));
  }

  #isOfDays({ record, payment }: Finding, days: Days): boolean {
    const due = payment && dayAfter(payment.day, this.#settings.settlementDueDays);
    return isWithin(days, record?.cells['SettlementDate'] ?? due);
  }

  #load(): ExpectedRun['loaded'] {
    const loaded: ReadFile[] = [];
    const waiting = this.#waiting
      .splice(0)
      .sort((one, other) => compareTexts(one.source, other.source) || compareTexts(one.name, other.name));
    for (const delivered of waiting) {
      const bytes = fileOfRows(delivered.rows);
      // The same bytes again, under any name, are a duplicate.
      if (this.#files.some(({ file }) => fileOfRows(file.delivered.rows) === bytes)) continue;
      const file = { delivered, received: this.#files.length, isWithdrawn: false };
      const read = { file, rows: loadFile(this.#records, file) };
      this.#rejected.push(...rejectedRowsOf(file));
      this.#files.push(read);
      loaded.push(read);
    }
    return loaded;
  }

  #matchingWorld() {
    const { assigned } = this.#history;
    return {
      payments: new Map(
        [...this.#payments].map(([id, cells]) => [id, readPayment(cells, this.#settings.timezone)]),
      ),
      settings: this.#settings,
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

/** Whether an accept that still holds waits for its second person. */
export function isPending(item: Item, asOf: string): boolean {
  return item.isOpen && item.decision?.isPending === true && !isLapsed(item, asOf);
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
  if (decision === undefined || isLapsed(item, asOf) || decision.isPending) return 'OPEN';
  return decision.kind === 'wait' ? 'WAITING' : 'ACCEPTED';
}
