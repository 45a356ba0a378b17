import { severities } from '../../findings/discrepancy-codes.js';
import { ageGroup, type AgedItems } from '../../findings/item-ages.js';
import { itemFields } from '../../findings/item-texts.js';
import type { Item } from '../../findings/open-item.js';
import { byBytes } from '../../values/by-bytes.js';
import { cutText } from '../../values/cut-text.js';

/** Money at risk in hundredths: what we should have and do not have, and what we have and should not have. */
export interface MissingAndSurplus {
  missing: bigint;
  surplus: bigint;
}

/** Items that have something in common, with their money by currency. */
export interface ItemGroup {
  readonly code: string;
  readonly severity: Item['severity'];
  count: number;
  oldestDays: number;
  readonly money: Map<string, MissingAndSurplus>;
}

/** Items with one cause (design 4.9). */
export interface PatternGroup extends ItemGroup {
  readonly pattern: string;
  readonly merchantAccountId: string | null;
  /** The sentence of the item with the most money. */
  readonly example: string;
}

/** What the morning page says about the items that are open or waiting. */
export interface PageItems {
  readonly total: number;
  readonly open: readonly AgedItems[];
  readonly waiting: readonly AgedItems[];
  /** Those that the run saw first. */
  readonly new: readonly AgedItems[];
  /** Over all items, in order of the currency. */
  readonly money: ReadonlyMap<string, MissingAndSurplus>;
  /** By code and severity, the most frequent first; among equals, the most severe. */
  readonly byCode: readonly ItemGroup[];
  /** The largest first, and how many there are. */
  readonly patterns: readonly PatternGroup[];
  readonly patternCount: number;
  /** The first items of the report: the most money at risk. */
  readonly largest: readonly Item[];
}

/** The page lists at most this many items; its totals are over all of them. */
const itemsOnPage = 500;
const patternsOnPage = 50;

/**
 * Characters of a text on the page; open-items.csv has more. An ordinary message has a few hundred, but the ids that a
 * sender claims for a row can be a megabyte, and 500 such items took 1.5 GB.
 */
const longestText = 2_000;

/**
 * Adds up the items while the table of open items is written, so that the page reads nothing again. Memory grows with
 * the number of codes, currencies and patterns, and not with the number of items.
 */
export class ItemTally {
  readonly #runId: number;
  readonly #open = new Map<string, MutableAged>();
  readonly #waiting = new Map<string, MutableAged>();
  readonly #new = new Map<string, MutableAged>();
  readonly #money = new Map<string, MissingAndSurplus>();
  readonly #byCode = new Map<string, ItemGroup>();
  readonly #patterns = new Map<string, PatternGroup>();
  readonly #largest: Item[] = [];
  #total = 0;

  /** @param runId 0 for a report that belongs to no run: then nothing is new */
  constructor(runId: number) {
    this.#runId = runId;
  }

  /** The same batches, each counted before it goes on. */
  async *watch<Counted extends Item>(
    batches: AsyncIterable<readonly Counted[]>,
  ): AsyncGenerator<readonly Counted[]> {
    for await (const batch of batches) {
      for (const item of batch) this.#add(item);
      yield batch;
    }
  }

  totals(): PageItems {
    const patterns = [...this.#patterns.values()].sort(
      (a, b) => b.count - a.count || byBytes(a.pattern, b.pattern),
    );
    return {
      total: this.#total,
      open: inOrder(this.#open),
      waiting: inOrder(this.#waiting),
      new: inOrder(this.#new),
      money: new Map([...this.#money].sort(([a], [b]) => byBytes(a, b))),
      byCode: [...this.#byCode.values()].sort(
        (a, b) =>
          b.count - a.count ||
          severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
          byBytes(a.code, b.code),
      ),
      patterns: patterns.slice(0, patternsOnPage),
      patternCount: patterns.length,
      largest: this.#largest,
    };
  }

  #add(item: Item): void {
    this.#total += 1;
    if (this.#largest.length < itemsOnPage) this.#largest.push(withShortTexts(item));
    addAged(item.status === 'WAITING' ? this.#waiting : this.#open, item);
    if (this.#runId !== 0 && item.firstSeenRun === this.#runId) addAged(this.#new, item);
    addMoney(this.#money, item);
    addTo(this.#byCode, `${item.code} ${item.severity}`, item, () => groupOf(item));
    if (item.pattern === null) return;
    const { pattern } = item;
    addTo(this.#patterns, pattern, item, () => {
      const { merchantAccountId, message } = withShortTexts(item);
      return { ...groupOf(item), pattern, merchantAccountId, example: message };
    });
  }
}

/** An item that is kept until the page is written: if it has a long text, a copy that does not keep the whole row. */
function withShortTexts(item: Item): Item {
  const length = item.message.length + (item.expected?.length ?? 0) + (item.actual?.length ?? 0);
  if (length <= longestText) return item;
  // The names are those of an item.
  return Object.fromEntries(itemFields.map((name) => [name, shortened(item[name])])) as unknown as Item;
}

/** A part of a text in V8 keeps the whole text, so it is copied. */
function shortened<Value>(value: Value): Value | string {
  if (typeof value !== 'string') return value;
  return Buffer.from(cutText(value, longestText)).toString();
}

interface MutableAged extends AgedItems {
  count: number;
  missing: bigint;
  surplus: bigint;
}

const groupOf = ({ code, severity }: Item): ItemGroup => ({
  code,
  severity,
  count: 0,
  oldestDays: 0,
  money: new Map<string, MissingAndSurplus>(),
});

function addTo<Group extends ItemGroup>(
  groups: Map<string, Group>,
  key: string,
  item: Item,
  begin: () => Group,
): void {
  const group = groups.get(key) ?? begin();
  groups.set(key, group);
  group.count += 1;
  group.oldestDays = Math.max(group.oldestDays, item.ageDays);
  addMoney(group.money, item);
}

function addMoney(money: Map<string, MissingAndSurplus>, { atRiskMinor, currency }: Item): void {
  if (atRiskMinor === 0n || currency === null) return;
  const sums = money.get(currency) ?? { missing: 0n, surplus: 0n };
  money.set(currency, sums);
  addAmount(sums, atRiskMinor);
}

function addAged(groups: Map<string, MutableAged>, { currency, ageDays, atRiskMinor }: Item): void {
  const age = ageGroup(ageDays);
  const key = `${currency ?? ''} ${age}`;
  const group = groups.get(key) ?? { currency, age, count: 0, missing: 0n, surplus: 0n };
  groups.set(key, group);
  group.count += 1;
  addAmount(group, atRiskMinor);
}

function addAmount(sums: MissingAndSurplus, atRiskMinor: bigint): void {
  if (atRiskMinor > 0n) sums.missing += atRiskMinor;
  else sums.surplus -= atRiskMinor;
}

const inOrder = (groups: ReadonlyMap<string, AgedItems>): AgedItems[] =>
  [...groups].sort(([a], [b]) => byBytes(a, b)).map(([, group]) => group);
