import { countBelow, isBroughtAgain, outcomeOf, type Delivery } from './judge-place.js';

/** A delivery that does not count because of another one. */
interface Replaced {
  readonly delivery: Delivery;
  readonly by: Delivery;
}

/**
 * The replaced deliveries of a group that a later file brings again as they were: its sender has taken the correction
 * back. Such a delivery is judged again in the place of that file (design 4.8), with two exceptions: the file brings
 * the correction again too, and so says nothing new; or the source adds up deliveries of one id.
 */
export class ReturnedDeliveries {
  /** By the next place in which each of them is brought again. */
  readonly #returning = new Map<number, Replaced[]>();
  /** The keys of the map, ascending. */
  readonly #places: number[] = [];
  /** Each returned delivery as it was first, with what was decided about it. */
  readonly #originals = new Map<Delivery, Delivery>();

  /** @param place the place in which it was replaced, or waits for a decision about its return */
  noteReplaced(replaced: Delivery, by: Delivery, place: number): void {
    const delivery = this.#originals.get(replaced) ?? replaced;
    const { broughtAgain } = delivery;
    const next = broughtAgain[countBelow(broughtAgain, place + 1)];
    if (next === undefined) return;
    const returning = this.#returning.get(next);
    if (returning !== undefined) {
      returning.push({ delivery, by });
      return;
    }
    this.#returning.set(next, [{ delivery, by }]);
    this.#places.splice(countBelow(this.#places, next), 0, next);
  }

  /** The next place with such deliveries that comes before `limit`. */
  placeBefore(limit: number): number | undefined {
    const [next] = this.#places;
    return next !== undefined && next < limit ? next : undefined;
  }

  /**
   * Those that return in a place, which must be the next one. What was decided about them before they were replaced was
   * about another former record.
   */
  takeAt(place: number): Replaced[] {
    if (this.#places[0] !== place) return [];
    this.#places.shift();
    const returning = this.#returning.get(place) ?? [];
    this.#returning.delete(place);
    const returned: Replaced[] = [];
    for (const { delivery, by } of returning) {
      const isLater = (number: number) => number > (by.decision?.number ?? 0);
      const stands = delivery.decision !== null && isLater(delivery.decision.number);
      const again = stands
        ? { ...delivery, place }
        : { ...delivery, place, decision: null, decidedSpans: null };
      if (isBroughtAgain(by, place) || (!stands && outcomeOf(again) === 'keep')) {
        this.noteReplaced(delivery, by, place);
        continue;
      }
      this.#originals.set(again, delivery);
      returned.push({ delivery: again, by });
    }
    return returned;
  }
}
