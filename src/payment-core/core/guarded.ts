import { ReconError } from '../../errors.js';
import { toReconError } from '../../db/database-errors.js';

/**
 * Does the work of an operation and turns every error into a `ReconError`. A program that embeds the core
 * needs to handle one type only, and no error message quotes a request.
 */
export async function guarded<T>(operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw asReconError(operation, thrown);
  }
}

/** The same for synchronous work. */
export function guardedNow<T>(operation: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw asReconError(operation, thrown);
  }
}

function asReconError(operation: string, thrown: unknown): ReconError {
  const translated = toReconError(thrown);
  if (translated !== undefined) return translated;
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  return new ReconError('INTERNAL_ERROR', `${operation} failed because of a defect in recon (${name}).`, {
    cause: placeOf(thrown, name),
  });
}

/** The stack of the error without its message, which may quote a card number. */
function placeOf(thrown: unknown, name: string): Error {
  const place = new Error(name);
  const lines = thrown instanceof Error ? (thrown.stack ?? '').split('\n') : [];
  place.stack = [name, ...lines.filter((line) => /^\s+at /.test(line))].join('\n');
  return place;
}
