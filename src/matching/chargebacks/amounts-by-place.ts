/** Amounts by their place. The first of more than a limit is found without looking at all of them. */
export class AmountsByPlace {
  readonly #width: number;
  /** A tree: node n has the larger amount of nodes 2n and 2n + 1, and the last `#width` nodes have the amounts. */
  readonly #nodes: bigint[];

  /** @param count of the places; each has the amount 0 at first */
  constructor(count: number) {
    this.#width = 2 ** Math.ceil(Math.log2(Math.max(1, count)));
    this.#nodes = new Array<bigint>(2 * this.#width).fill(0n);
  }

  set(place: number, amount: bigint): void {
    let node = this.#width + place;
    this.#nodes[node] = amount;
    while (node > 1) {
      node = Math.floor(node / 2);
      const [one, other] = [this.#at(2 * node), this.#at(2 * node + 1)];
      this.#nodes[node] = one > other ? one : other;
    }
  }

  /** @param limit at least 0 */
  firstAbove(limit: bigint): number | undefined {
    if (this.#at(1) <= limit) return undefined;
    let node = 1;
    while (node < this.#width) node = this.#at(2 * node) > limit ? 2 * node : 2 * node + 1;
    return node - this.#width;
  }

  #at(node: number): bigint {
    return this.#nodes[node] ?? 0n;
  }
}
