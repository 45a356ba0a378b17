import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { RunOutcome } from '../src/outcome.js';

/**
 * Compares our reconciled file with that of a reference, row by row: matching status and matched transactions
 * (the last two cells before the chargeback id) and the settlement transaction that they belong to.
 *
 * @param expectedRows how many rows the reference must have; without it, as many as we have
 * @throws when a single row differs
 */
export async function compareOutcomes(
  outcome: RunOutcome,
  referenceFile: string,
  expectedRows = Infinity,
): Promise<void> {
  const ours = linesOf(outcome.reports?.reconciled[0] ?? '');
  const theirs = linesOf(referenceFile);
  await ours.next(); // our header
  for (let row = 1; ; row += 1) {
    const [left, right] = [await ours.next(), await theirs.next()];
    if (right.done === true && (left.done === true || row > expectedRows)) return;
    const [a, b] = [answerOf(left), answerOf(right)];
    if (a !== b) throw new Error(`row ${row} differs from ${referenceFile}: ${a} and ${b}`);
  }
}

function linesOf(file: string): AsyncIterator<string, undefined> {
  return createInterface({ input: createReadStream(file) })[Symbol.asyncIterator]();
}

function answerOf(read: IteratorResult<string, undefined>): string {
  if (read.done === true) return 'no row';
  const line = read.value;
  const transaction = /STL-\d{9}/.exec(line)?.[0] ?? '';
  const tail = line.replaceAll('"', '').split(';').slice(-3, -1).join(';');
  return `${transaction};${tail}`;
}
