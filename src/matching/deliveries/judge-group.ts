import { CountingDeliveries, judgePlace, type Delivery, type Uncounted } from './judge-place.js';
import { ReturnedDeliveries } from './returned-deliveries.js';

/** The deliveries of one record and source, judged place by place: each depends on which former ones count. */
export class JudgedGroup {
  readonly #counting = new CountingDeliveries();
  readonly #returned = new ReturnedDeliveries();
  readonly #uncounted = new Map<string, Uncounted>();

  /** @param brought what the file of the next place brings for the first time, in the order of design 4.6 */
  add(brought: readonly Delivery[]): void {
    const [first] = brought;
    if (first === undefined) return;
    this.#judgeReturned(first.place);
    this.#judge(first.place, brought);
  }

  /** @returns those that do not count after all places */
  finish(): Iterable<Uncounted> {
    this.#judgeReturned(Infinity);
    return this.#uncounted.values();
  }

  /** The places before `limit` whose files bring nothing for the first time. */
  #judgeReturned(limit: number): void {
    for (;;) {
      const place = this.#returned.placeBefore(limit);
      if (place === undefined) return;
      this.#judge(place, []);
    }
  }

  #judge(place: number, brought: readonly Delivery[]): void {
    const returned = this.#returned.takeAt(place);
    const later =
      returned.length === 0
        ? brought
        : [...brought, ...returned.map(({ delivery }) => delivery)].sort((a, b) => a.rank - b.rank);
    for (const { delivery } of returned) this.#uncounted.delete(nameOf(delivery));
    for (const each of judgePlace(later, this.#counting)) {
      this.#uncounted.set(nameOf(each.delivery), each);
      if (each.reason === 'SUPERSEDED') this.#returned.noteReplaced(each.delivery, each.other, place);
    }
    for (const { delivery, by } of returned) {
      // One that waits for a decision is still replaced, and a later file may bring it again.
      if (this.#uncounted.has(nameOf(delivery))) this.#returned.noteReplaced(delivery, by, place);
    }
  }
}

const nameOf = ({ fileId, line }: Delivery): string => `${fileId}:${line}`;
