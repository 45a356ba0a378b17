import { ReconError } from '../../errors.js';
import { toReconError } from '../../db/database-errors.js';

/**
 * Does the work of an operation. Whatever it throws leaves as a `ReconError`: a program that embeds the core
 * needs to handle one type, and nothing that quotes a request gets out.
 */
export async function guarded<T>(operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw asReconError(operation, thrown);
  }
}

/** The same for work that does not wait. */
export function guardedNow<T>(operation: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw asReconError(operation, thrown);
  }
}

function asReconError(operation: string, thrown: unknown): ReconError {
  const known = toReconError(thrown);
  if (known !== undefined) return known;
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  return new ReconError('INTERNAL_ERROR', `${operation} failed by a defect of recon (${name}).`, {
    cause: placeOf(thrown, name),
  });
}

/** Where it was thrown, without its message: that may quote a card number. */
function placeOf(thrown: unknown, name: string): Error {
  const place = new Error(name);
  const lines = thrown instanceof Error ? (thrown.stack ?? '').split('\n') : [];
  place.stack = [name, ...lines.filter((line) => /^\s+at /.test(line))].join('\n');
  return place;
}
