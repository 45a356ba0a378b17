import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { RunOutcome } from '../src/outcome.js';

/**
 * Compares our reconciled file with that of the reference, row by row: matching status and matched transactions
 * (the last two cells before the chargeback id) and the settlement transaction that they belong to.
 *
 * @throws when a single row differs
 */
export async function compareOutcomes(outcome: RunOutcome, nativeFile: string): Promise<void> {
  const ours = createInterface({ input: createReadStream(outcome.reports?.reconciled[0] ?? '') })[
    Symbol.asyncIterator
  ]();
  const theirs = createInterface({ input: createReadStream(nativeFile) })[Symbol.asyncIterator]();
  await ours.next(); // our header
  for (let row = 1; ; row += 1) {
    const [left, right] = [await ours.next(), await theirs.next()];
    if (left.done === true && right.done === true) return;
    const [a, b] = [answerOf(left), answerOf(right)];
    if (a !== b) throw new Error(`row ${row} differs from the reference: ${a} and ${b}`);
  }
}

function answerOf(read: IteratorResult<string, undefined>): string {
  if (read.done === true) return 'no row';
  const line = read.value;
  const transaction = /STL-\d{9}/.exec(line)?.[0] ?? '';
  const tail = line.replaceAll('"', '').split(';').slice(-3, -1).join(';');
  return `${transaction};${tail}`;
}
