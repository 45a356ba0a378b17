import { PassThrough } from 'node:stream';
import { writePiece } from '../disk/write-piece.js';
import { ReconError } from '../errors.js';
import type { Guarded } from './guarded.js';

/** Gives rows to the loop that reads them, and waits until it has taken most of those before. */
export type PassRows<Row> = (rows: readonly Row[]) => Promise<void>;

/**
 * Rows that an operation passes while a program takes them. Each loop starts the operation again. A loop that is left
 * early ends the operation, and a failure of the operation ends the loop with its `ReconError`.
 */
export type StreamRows = <Row>(
  operation: string,
  work: (pass: PassRows<Row>) => Promise<void>,
) => AsyncIterable<Row>;

/** @param closing aborts when recon is closed: a loop that somebody forgot must not keep `close` waiting */
export function streamingRows(guarded: Guarded, closing: AbortSignal): StreamRows {
  return (operation, work) => ({
    [Symbol.asyncIterator]: () => readRows(guarded, closing, operation, work),
  });
}

/**
 * Work in a transaction is a function that must end before the transaction does, and a loop may take its next row at
 * any time. The stream between them lets the first wait for the second.
 */
async function* readRows<Row>(
  guarded: Guarded,
  closing: AbortSignal,
  operation: string,
  work: (pass: PassRows<Row>) => Promise<void>,
): AsyncGenerator<Row, void, undefined> {
  const passed = new PassThrough({ objectMode: true, highWaterMark: 1 });
  const onClosing = () => passed.destroy(closedMeanwhile(operation));
  closing.addEventListener('abort', onClosing, { once: true });
  const working = guarded(operation, () => work((rows) => writePiece(passed, rows))).then(
    () => passed.end(),
    // Always a ReconError. Without effect if the loop was left: then it only says that nobody reads.
    (thrown: unknown) => passed.destroy(thrown as ReconError),
  );
  try {
    for await (const rows of passed as AsyncIterable<readonly Row[]>) yield* rows;
  } finally {
    closing.removeEventListener('abort', onClosing);
    passed.destroy();
    await working;
  }
}

const closedMeanwhile = (operation: string) =>
  new ReconError('USAGE_INVALID', `recon was closed while ${operation} was being read.`);
