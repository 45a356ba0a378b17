import type { Writable } from 'node:stream';
import { writePiece } from '../disk/write-piece.js';
import { limitHeapGrowth } from './limit-heap-growth.js';

/** Writes a long answer in pieces, so that it is never one text. */
export async function writeTexts(out: Writable, texts: AsyncIterable<string>): Promise<void> {
  limitHeapGrowth();
  for await (const text of texts) await writePiece(out, text);
}

/** One array on one line. */
export async function* jsonArray(batches: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  yield* arrayTexts(batches);
  yield '\n';
}

async function* arrayTexts(batches: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let separator = '[';
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield separator + batch.map((entry) => JSON.stringify(entry)).join(',');
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}
