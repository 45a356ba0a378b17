import type { FileId, PaymentKey } from '../../values/ids.js';

/** A chargeback that is not linked to a reversal yet. */
export interface OpenChargeback {
  readonly chargebackId: string;
  readonly paymentKey: PaymentKey;
  readonly amountMinor: bigint;
  readonly currency: string;
}

/** A CHARGEBACK REVERSAL record that waits for its chargeback. */
export interface WaitingReversal {
  readonly fileId: FileId;
  readonly line: number;
  readonly paymentKey: PaymentKey;
  readonly amountMinor: bigint;
  readonly currency: string;
}

/** A reversal and the chargeback that it reverses. */
export interface ReversalLink<R extends WaitingReversal> {
  readonly reversal: R;
  readonly chargebackId: string;
}

/**
 * Links each reversal in turn to an open chargeback of its payment (design 4.5): the first of equal amount and
 * currency, else the first. A reversal without an open chargeback stays unlinked.
 *
 * @param reversals in the order of design 4.6, in which they are linked
 * @param chargebacks in that order too, but those that FAILED last
 */
export function linkReversals<R extends WaitingReversal>(
  reversals: readonly R[],
  chargebacks: readonly OpenChargeback[],
): ReversalLink<R>[] {
  const taken = new Set<OpenChargeback>();
  const byPayment = queues(chargebacks, (chargeback) => chargeback.paymentKey.toString());
  const byAmount = queues(chargebacks, amountKey);
  const links: ReversalLink<R>[] = [];
  for (const reversal of reversals) {
    const chargeback =
      firstOpen(byAmount.get(amountKey(reversal)), taken) ??
      firstOpen(byPayment.get(reversal.paymentKey.toString()), taken);
    if (chargeback === undefined) continue;
    taken.add(chargeback);
    links.push({ reversal, chargebackId: chargeback.chargebackId });
  }
  return links;
}

function amountKey(entry: { paymentKey: PaymentKey; amountMinor: bigint; currency: string }): string {
  return `${entry.paymentKey} ${entry.amountMinor} ${entry.currency}`;
}

interface Queue {
  readonly entries: OpenChargeback[];
  /** All entries before this index are taken, so each is skipped only once, however many reversals a payment has. */
  next: number;
}

function queues(
  chargebacks: readonly OpenChargeback[],
  keyOf: (chargeback: OpenChargeback) => string,
): Map<string, Queue> {
  const all = new Map<string, Queue>();
  for (const chargeback of chargebacks) {
    const key = keyOf(chargeback);
    const queue = all.get(key);
    if (queue === undefined) all.set(key, { entries: [chargeback], next: 0 });
    else queue.entries.push(chargeback);
  }
  return all;
}

function firstOpen(queue: Queue | undefined, taken: ReadonlySet<OpenChargeback>): OpenChargeback | undefined {
  if (queue === undefined) return undefined;
  let chargeback = queue.entries[queue.next];
  while (chargeback !== undefined && taken.has(chargeback)) {
    queue.next += 1;
    chargeback = queue.entries[queue.next];
  }
  return chargeback;
}
