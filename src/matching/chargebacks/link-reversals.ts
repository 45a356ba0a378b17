import type { FileId, PaymentKey } from '../../values/ids.js';
import { AmountsByPlace } from './amounts-by-place.js';

/** A chargeback of which something is left, or that no reversal is linked to. */
export interface OpenChargeback {
  readonly chargebackId: string;
  readonly paymentKey: PaymentKey;
  readonly currency: string;
  /** Its amount, less what was returned of it. */
  readonly leftMinor: bigint;
  /** Whether anything of it was returned, by a record or by the back office. */
  readonly hasReversal: boolean;
  readonly hasFailed: boolean;
  /** Whether its record counts. If not, only a reversal that had it takes it. */
  readonly counts: boolean;
}

/** A CHARGEBACK REVERSAL record that waits for its chargeback. */
export interface WaitingReversal {
  readonly fileId: FileId;
  readonly line: number;
  readonly paymentKey: PaymentKey;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** The chargeback id that it had, or that the record had which it superseded; null for nearly all. */
  readonly formerId: string | null;
}

/** A reversal and the chargeback that it reverses. */
export interface ReversalLink<R extends WaitingReversal> {
  readonly reversal: R;
  readonly chargebackId: string;
}

/**
 * Links each reversal in turn to an open chargeback of its payment (design 4.5): the first of which the amount of the
 * reversal is left, else the first without a reversal, else the first of which more is left. A reversal without such a
 * chargeback stays unlinked. Before all others, those that had an id get it again, if that much is left: even if that
 * chargeback does not count now, since an id does not change (design 4.5).
 *
 * @param reversals in the order of design 4.6, in which they are linked
 * @param chargebacks in that order too, but those that FAILED last
 */
export function linkReversals<R extends WaitingReversal>(
  reversals: readonly R[],
  chargebacks: readonly OpenChargeback[],
): ReversalLink<R>[] {
  const open = new OpenChargebacks(chargebacks);
  const taken = new Map<R, OpenChargeback>();
  const take = (reversal: R, entry: Entry | undefined) => {
    if (entry !== undefined) taken.set(reversal, open.take(entry, reversal));
  };
  for (const reversal of reversals) take(reversal, open.formerOf(reversal));
  for (const reversal of reversals) if (!taken.has(reversal)) take(reversal, open.choose(reversal));
  return reversals.flatMap((reversal) => {
    const chargeback = taken.get(reversal);
    return chargeback === undefined ? [] : [{ reversal, chargebackId: chargeback.chargebackId }];
  });
}

/** An open chargeback with what is left of it now. */
interface Entry {
  readonly chargeback: OpenChargeback;
  /** Among those of the payment. */
  readonly place: number;
  left: bigint;
  hasReversal: boolean;
}

/** Chargebacks that reversals are taken from, found without comparing each reversal with each of them. */
class OpenChargebacks {
  readonly #byId = new Map<string, Entry>();
  readonly #whole = new Map<PaymentKey, Queue>();
  readonly #wholeByAmount = new Map<string, Queue>();
  readonly #partsByAmount = new Map<string, Queue>();
  readonly #ofPayment = new Map<PaymentKey, Entry[]>();
  /** What is left of those with a reversal, by payment and currency. */
  readonly #left = new Map<string, AmountsByPlace>();

  constructor(chargebacks: readonly OpenChargeback[]) {
    for (const chargeback of chargebacks) {
      const { chargebackId, paymentKey, currency, leftMinor, hasReversal, counts } = chargeback;
      const others = madeOnce(this.#ofPayment, paymentKey, () => []);
      const entry: Entry = { chargeback, place: others.length, left: leftMinor, hasReversal };
      others.push(entry);
      this.#byId.set(chargebackId, entry);
      if (hasReversal || !counts) continue;
      queueOf(this.#whole, paymentKey).add(entry);
      queueOf(this.#wholeByAmount, keyOf({ paymentKey, currency }, leftMinor)).add(entry);
    }
    for (const entry of this.#byId.values()) if (entry.hasReversal) this.#noteLeft(entry);
  }

  /** The chargeback that a reversal had before, if that much is left of it. */
  formerOf(reversal: WaitingReversal): Entry | undefined {
    const entry = reversal.formerId === null ? undefined : this.#byId.get(reversal.formerId);
    if (entry?.chargeback.paymentKey !== reversal.paymentKey) return undefined;
    const isInCurrency = entry.chargeback.currency === reversal.currency;
    const isEnough = isInCurrency && entry.left > 0n && entry.left >= reversal.amountMinor;
    return isEnough || !entry.hasReversal ? entry : undefined;
  }

  choose(reversal: WaitingReversal): Entry | undefined {
    const { amountMinor: amount } = reversal;
    const key = keyOf(reversal, amount);
    return (
      preferred(
        this.#wholeByAmount.get(key)?.first((entry) => !entry.hasReversal),
        this.#partsByAmount.get(key)?.first((entry) => entry.left === amount),
      ) ??
      preferred(
        this.#whole.get(reversal.paymentKey)?.first((entry) => !entry.hasReversal),
        this.#partOfMore(reversal),
      )
    );
  }

  take(entry: Entry, { amountMinor, currency }: WaitingReversal): OpenChargeback {
    const { chargeback, left } = entry;
    const isNew = !entry.hasReversal;
    entry.hasReversal = true;
    // How much of a chargeback was returned in another currency is unknown, so nothing is left of it.
    entry.left = chargeback.currency === currency ? left - amountMinor : 0n;
    if (isNew || entry.left !== left) this.#noteLeft(entry);
    return chargeback;
  }

  #partOfMore(reversal: WaitingReversal): Entry | undefined {
    const place = this.#left.get(keyOf(reversal))?.firstAbove(reversal.amountMinor);
    return place === undefined ? undefined : this.#ofPayment.get(reversal.paymentKey)?.[place];
  }

  /** Notes what is left of one that has a reversal. */
  #noteLeft(entry: Entry): void {
    const { chargeback, place, left } = entry;
    if (!chargeback.counts) return;
    const count = this.#ofPayment.get(chargeback.paymentKey)?.length ?? 0;
    madeOnce(this.#left, keyOf(chargeback), () => new AmountsByPlace(count)).set(place, left);
    if (left > 0n) queueOf(this.#partsByAmount, keyOf(chargeback, left)).add(entry);
  }
}

/** The first, unless it FAILED and the second did not: the money belongs to a chargeback that took some. */
function preferred(first: Entry | undefined, second: Entry | undefined): Entry | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return first.chargeback.hasFailed && !second.chargeback.hasFailed ? second : first;
}

function keyOf(entry: { paymentKey: PaymentKey; currency: string }, amountMinor?: bigint): string {
  return `${entry.paymentKey} ${entry.currency} ${amountMinor ?? ''}`;
}

function queueOf<Key>(queues: Map<Key, Queue>, key: Key): Queue {
  return madeOnce(queues, key, () => new Queue());
}

function madeOnce<Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}

/** Chargebacks in their order. What is no longer wanted at the beginning is skipped only once. */
class Queue {
  readonly #entries: Entry[] = [];
  #next = 0;

  add(entry: Entry): void {
    let [from, to] = [this.#next, this.#entries.length];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      if ((this.#entries[middle]?.place ?? 0) > entry.place) to = middle;
      else from = middle + 1;
    }
    this.#entries.splice(from, 0, entry);
  }

  first(isWanted: (entry: Entry) => boolean): Entry | undefined {
    for (;;) {
      const entry = this.#entries[this.#next];
      if (entry === undefined || isWanted(entry)) return entry;
      this.#next += 1;
    }
  }
}
