import type { Writable } from 'node:stream';
import { writePiece } from '../disk/write-piece.js';
import { limitHeapGrowth } from './limit-heap-growth.js';

/** Writes a long answer in pieces, so that it is never one text. */
export async function writeTexts(out: Writable, texts: AsyncIterable<string>): Promise<void> {
  limitHeapGrowth();
  for await (const text of texts) await writePiece(out, text);
}

/** A JSON array on one line, written batch by batch: a list may be longer than the memory. */
export async function* jsonArray(batches: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  yield* arrayTexts(batches);
  yield '\n';
}

/** One document on one line. A member that can be iterated asynchronously is an array, read in batches. */
export async function* jsonDocument(document: object): AsyncGenerator<string> {
  let separator = '{';
  for (const [name, value] of Object.entries(document) as [string, unknown][]) {
    yield `${separator}${JSON.stringify(name)}:`;
    if (isInBatches(value)) yield* arrayTexts(value);
    else yield JSON.stringify(value);
    separator = ',';
  }
  yield '}\n';
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

function isInBatches(value: unknown): value is AsyncIterable<readonly unknown[]> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
