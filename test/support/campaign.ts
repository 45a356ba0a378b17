/** A number for every random choice of a test: the same seed makes the same choices. */
export interface Chance {
  /** At least 0, less than 1. */
  fraction(): number;
  /** A whole number from `from` to `to`, both included. */
  integer(from: number, to: number): number;
  pick<T>(choices: readonly T[]): T;
}

export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0;
  // A mixed counter (the finalizer of MurmurHash3): small, and every seed starts well.
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
  const integer = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    fraction: next,
    integer,
    pick: (choices) => {
      const choice = choices[integer(0, choices.length - 1)];
      if (choice === undefined) throw new Error('there is nothing to choose from');
      return choice;
    },
  };
}

/** `SEED` of the environment replays a run; without it every run draws its own. */
export const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** A test of a campaign plays many scenes, and may take this long. */
export const campaignTimeoutMs = 3_600_000;

/** How often a random test repeats: its own number, times `SCALE` of the environment. */
export function repetitions(count: number): number {
  return Math.max(1, Math.round(count * Number(process.env['SCALE'] ?? 1)));
}

/** Names a random test so that its failure tells how to see it again: `F74 … (seed 12)`. */
export function seeded(name: string): string {
  return `${name} (seed ${seed})`;
}

/** Prints the counts of a campaign on one line. */
export function reportCounts(name: string, counts: Readonly<Record<string, number>>): void {
  const parts = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  process.stdout.write(`${name}: ${parts.join(', ')} (seed ${seed})\n`);
}
