/** Numbers of decisions in the order in which they were stored; those that follow each other take one entry. */
export class DecisionNumbers {
  readonly #rows: { readonly first: bigint; next: bigint }[] = [];

  add(number: bigint): void {
    const row = this.#rows.at(-1);
    if (row?.next === number) row.next += 1n;
    else this.#rows.push({ first: number, next: number + 1n });
  }

  *inOrder(): Generator<bigint, undefined> {
    for (const { first, next } of this.#rows)
      for (let number = first; number < next; number += 1n) yield number;
  }
}
