import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { instructionCounter, type InstructionCounter } from './instruction-counter.js';

/** What one more row costs, for `count` workers or shards. */
export interface InstructionsMeasurement {
  readonly of: 'workers' | 'shards';
  readonly count: number;
  readonly tool: InstructionCounter['name'];
  /** Two nights were counted; their difference is divided by the rows that one has more. */
  readonly rows: readonly [fewer: number, more: number];
  /** By the processes that executed them. */
  readonly perRow: Readonly<Record<string, number>>;
}

/** How many rows the larger night has, if nothing else is said: a counted process is slow. */
export const usualRows = 8_000;

/**
 * Counts a night and one with a quarter of the rows for each number of workers or shards. The start of the processes,
 * and most of what V8 compiles, is the same in both, so the difference is what rows cost.
 *
 * @throws Error that says why instructions cannot be counted here
 */
export async function countPerRow(
  { of, counts, rows, directory }: CountedSeries,
  countNight: (
    counter: InstructionCounter,
    count: number,
    rows: number,
  ) => Promise<Readonly<Record<string, number>>>,
): Promise<InstructionsMeasurement[]> {
  const folder = path.join(directory, 'counts');
  mkdirSync(folder);
  const counter = instructionCounter(folder);
  const fewer = Math.round(rows / 4);
  const measured: InstructionsMeasurement[] = [];
  for (const count of counts) {
    const small = await countNight(counter, count, fewer);
    const large = await countNight(counter, count, rows);
    const perRow = Object.fromEntries(
      Object.entries(large).map(([name, all]) => [name, (all - (small[name] ?? 0)) / (rows - fewer)]),
    );
    measured.push({ of, count, tool: counter.name, rows: [fewer, rows], perRow });
  }
  return measured;
}

export interface CountedSeries {
  readonly of: InstructionsMeasurement['of'];
  readonly counts: readonly number[];
  readonly rows: number;
  readonly directory: string;
}
