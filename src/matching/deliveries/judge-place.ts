import type { FileId } from '../../values/ids.js';

/** A record as a delivery of a source, as far as it decides which deliveries count. */
export interface Delivery {
  readonly fileId: FileId;
  readonly line: number;
  /** The deliveries of one record and source. */
  readonly group: number;
  /** The order of receipt in its group. All deliveries of a place are from one file. */
  readonly place: number;
  /** The order of design 4.6 in its group. */
  readonly rank: number;
  readonly succeeded: boolean;
  /** Amount and currency. */
  readonly money: string;
  /** What its source says about a former record that it is compared with. */
  readonly setting: 'ask' | 'keep' | 'supersede';
  /** What a person decided, which goes before the setting, and the number of that decision. */
  readonly decision: { readonly outcome: 'keep' | 'supersede'; readonly number: number } | null;
  /** With a `keep-both` in effect: between which numbers of decisions it was decided about. */
  readonly decidedSpans: readonly DecidedSpan[] | null;
  /** The later places whose file brings it unchanged, in order. */
  readonly broughtAgain: readonly number[];
}

/** A decision was in effect for those after `from`, up to `until`, the number of the one that took it back. */
export interface DecidedSpan {
  readonly from: number;
  readonly until: number | null;
}

/** What happens if there is a former record that it is compared with. */
export function outcomeOf({ decision, setting }: Delivery): Delivery['setting'] {
  return decision?.outcome ?? setting;
}

/** A delivery that does not count. */
export interface Uncounted {
  readonly delivery: Delivery;
  readonly reason: 'REDELIVERED' | 'SUPERSEDED';
  /** The one that it is compared with, or that supersedes it. */
  readonly other: Delivery;
}

/**
 * The deliveries of one group that count so far, by their place. Successes and failures are apart, because a delivery
 * is compared with one or the other.
 */
export class CountingDeliveries {
  readonly #places = { succeeded: [] as Delivery[][], failed: [] as Delivery[][] };
  readonly #superseded = new Set<Delivery>();
  readonly #kept = new Set<Delivery>();

  /** Adds those of the next place, in the order of design 4.6. */
  add(deliveries: readonly Delivery[]): void {
    for (const [list, succeeded] of [
      [this.#places.succeeded, true],
      [this.#places.failed, false],
    ] as const) {
      const own = deliveries.filter((each) => each.succeeded === succeeded);
      if (own.length > 0) list.push(own);
    }
    for (const each of deliveries) if (each.decidedSpans !== null) this.#kept.add(each);
  }

  /** @returns whether it counted until now */
  supersede(delivery: Delivery): boolean {
    if (this.#superseded.has(delivery)) return false;
    this.#superseded.add(delivery);
    this.#kept.delete(delivery);
    return true;
  }

  /** Those with a `keep-both` in effect. */
  kept(): Iterable<Delivery> {
    return this.#kept;
  }

  /** The successes, or the failures, place by place, the newest first; no place is empty. */
  *newestFirst(succeeded: boolean): Generator<readonly Delivery[]> {
    const places = succeeded ? this.#places.succeeded : this.#places.failed;
    for (let index = places.length - 1; index >= 0; index -= 1) {
      const counting = (places[index] ?? []).filter((each) => !this.#superseded.has(each));
      // What was superseded is not looked at again, however many places follow.
      if (counting.length === 0) places.splice(index, 1);
      else {
        places[index] = counting;
        yield counting;
      }
    }
  }
}

/**
 * Judges the deliveries of a place (design 4.8), and adds those that count. A file may bring several records of one
 * key, so they are compared by what is in them, never by their lines:
 *
 * 1. Earlier records that the file brings again unchanged are not corrected by it. Nor does a `supersede` replace a
 *    record that only a later `keep-both` made count: the person who decided compared with another one.
 * 2. A SUCCESS is compared with a SUCCESS; a FAILED with a FAILED if one of the newest file counts, else with a SUCCESS
 *    that came back. Without such a record of the newest file, it is a repeat and compared with nothing.
 * 3. Of these, the newest are taken, file by file, until there is one for each.
 * 4. First those of equal amount and currency are paired, then the others, the newest file first and in the order of
 *    design 4.6. What is left over is compared with the last of them in that order.
 *
 * @param later all deliveries of the place, in the order of design 4.6; none of them counts so far
 * @param counting those of the former places that count
 * @returns those that do not count from now on
 */
export function judgePlace(later: readonly Delivery[], counting: CountingDeliveries): Uncounted[] {
  const partners = new Map<Delivery, Delivery>();
  for (const { of, kept } of kindsOf(later, counting)) {
    for (const [each, partner] of pair(of, formersOf(of, kept, counting))) partners.set(each, partner);
  }
  const waiting: Uncounted[] = [];
  const superseded: Uncounted[] = [];
  for (const each of later) {
    const partner = partners.get(each);
    if (partner === undefined) continue;
    const outcome = outcomeOf(each);
    if (outcome === 'ask') waiting.push({ delivery: each, reason: 'REDELIVERED', other: partner });
    if (outcome === 'supersede' && counting.supersede(partner))
      superseded.push({ delivery: partner, reason: 'SUPERSEDED', other: each });
  }
  const doNotCount = new Set(waiting.map(({ delivery }) => delivery));
  counting.add(later.filter((each) => !doNotCount.has(each)));
  return [...waiting, ...superseded];
}

/** Deliveries of a place that are compared together. */
interface Kind {
  readonly of: Delivery[];
  /** The former ones that they do not replace. */
  readonly kept: ReadonlySet<Delivery>;
}

function kindsOf(later: readonly Delivery[], counting: CountingDeliveries): Kind[] {
  const keptFor = keptSets(later, counting);
  const kinds = new Map<string, Kind>();
  for (const each of later) {
    const { id, kept } = keptFor(each);
    const key = `${each.succeeded} ${id}`;
    const kind = kinds.get(key);
    if (kind === undefined) kinds.set(key, { of: [each], kept });
    else kind.of.push(each);
  }
  return [...kinds.values()];
}

/** A set of former deliveries; equal ids mean equal sets. */
interface KeptSet {
  readonly id: string;
  readonly kept: ReadonlySet<Delivery>;
}

const nothingKept: KeptSet = { id: '', kept: new Set() };

/**
 * For each later delivery, the former ones that its `supersede` does not replace: nobody had decided about them by
 * then. Those of one place were usually decided together, so the set is made once between two other decisions.
 */
function keptSets(later: readonly Delivery[], counting: CountingDeliveries): (each: Delivery) => KeptSet {
  const supersedeOf = ({ decision }: Delivery) =>
    decision?.outcome === 'supersede' ? decision.number : null;
  const deciding = later.filter((each) => supersedeOf(each) !== null).length;
  if (deciding === 0) return () => nothingKept;
  const place = later[0]?.place ?? 0;
  const former = [...counting.kept()].filter((each) => !isBroughtAgain(each, place));
  if (former.length === 0) return () => nothingKept;
  const moments = deciding === 1 ? [] : momentsOf(former);
  const sets = new Map<number, KeptSet>();
  return (each) => {
    const supersede = supersedeOf(each);
    if (supersede === null) return nothingKept;
    const passed = countBelow(moments, supersede);
    const known = sets.get(passed);
    if (known !== undefined) return known;
    const members = former.flatMap((one, index) => (wasDecided(one, supersede) ? [] : [{ one, index }]));
    const made = {
      id: members.map(({ index }) => index).join(),
      kept: new Set(members.map(({ one }) => one)),
    };
    sets.set(passed, made);
    return made;
  };
}

/** When somebody decided about them, or took it back, in order. */
function momentsOf(deliveries: readonly Delivery[]): number[] {
  const spans = deliveries.flatMap(({ decidedSpans }) => decidedSpans ?? []);
  return spans.flatMap(({ from, until }) => (until === null ? [from] : [from, until])).sort((a, b) => a - b);
}

/** How many of the ascending numbers are lower than `limit`. */
export function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function wasDecided({ decidedSpans }: Delivery, moment: number): boolean {
  return (decidedSpans ?? []).some(({ from, until }) => from < moment && (until === null || until >= moment));
}

/** Whether the file of a later place brings it unchanged. */
export function isBroughtAgain({ broughtAgain }: Delivery, place: number): boolean {
  const index = countBelow(broughtAgain, place);
  return broughtAgain[index] === place;
}

/** The steps 1 to 3: the records that deliveries of one kind may be paired with, the newest file first. */
function formersOf(
  of: readonly Delivery[],
  kept: ReadonlySet<Delivery>,
  counting: CountingDeliveries,
): Delivery[] {
  const place = of[0]?.place ?? 0;
  const eligible = function* (succeeded: boolean): Generator<Delivery[]> {
    for (const former of counting.newestFirst(succeeded)) {
      const ofPlace = former.filter((each) => !kept.has(each) && !isBroughtAgain(each, place));
      if (ofPlace.length > 0) yield ofPlace;
    }
  };
  const newest = (succeeded: boolean) => first(eligible(succeeded))?.[0]?.place ?? 0;
  const [succeededAt, failedAt] = [newest(true), newest(false)];
  const wantsSuccess = of[0]?.succeeded === true || failedAt < succeededAt;
  if (wantsSuccess && succeededAt < failedAt) return [];
  const taken: Delivery[] = [];
  for (const ofPlace of eligible(wantsSuccess)) {
    for (const each of ofPlace) taken.push(each);
    if (taken.length >= of.length) break;
  }
  return taken;
}

function first<Value>(values: Iterable<Value>): Value | undefined {
  for (const value of values) return value;
  return undefined;
}

/** Step 4. Both lists are in their order. */
function pair(later: readonly Delivery[], former: readonly Delivery[]): [Delivery, Delivery][] {
  const last = former.at(-1);
  if (last === undefined) return [];
  const byMoney = new Map<string, { readonly of: Delivery[]; used: number }>();
  for (const each of former) {
    const same = byMoney.get(each.money);
    if (same === undefined) byMoney.set(each.money, { of: [each], used: 0 });
    else same.of.push(each);
  }
  const pairs: [Delivery, Delivery][] = [];
  const unequal: Delivery[] = [];
  const used = new Set<Delivery>();
  for (const each of later) {
    const same = byMoney.get(each.money);
    const partner = same?.of[same.used];
    if (same === undefined || partner === undefined) unequal.push(each);
    else {
      same.used += 1;
      used.add(partner);
      pairs.push([each, partner]);
    }
  }
  const free = former.filter((each) => !used.has(each));
  unequal.forEach((each, index) => pairs.push([each, free[index] ?? last]));
  return pairs;
}
