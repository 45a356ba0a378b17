import { ReconError } from '../../errors.js';
import { toReconError } from '../../db/database-errors.js';
import { placeOfError } from '../connectors/place-of-error.js';

/**
 * Does the work of an operation and turns every error into a `ReconError`. A program that embeds the core
 * needs to handle one type only, and no error message quotes a request.
 */
async function guarded<T>(operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw asReconError(operation, thrown);
  }
}

/** Does synchronous work of an operation, and turns every error into a `ReconError`. */
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
  const cause = placeOfError(thrown);
  const what = `${operation} failed because of a defect in recon (${cause.message}).`;
  return new ReconError('INTERNAL_ERROR', what, { cause });
}

/** Operations until the core is closed. */
export interface Guard {
  /** `guarded`, for the operations of the core. Refused after `close`. */
  readonly during: <T>(operation: string, work: () => Promise<T>) => Promise<T>;
  /** Waits for operations in progress, then ends what they use. */
  readonly close: () => Promise<void>;
}

/** Lets `close` wait for operations in progress, so that a payment at its acquirer still gets its outcome. */
export function guardUntilClosed(end: () => Promise<void>): Guard {
  const active = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;
  return {
    during: async (operation, work) => {
      if (closed !== undefined) {
        throw new ReconError('USAGE_INVALID', 'The payment core was closed; open it again.');
      }
      const running = guarded(operation, work);
      active.add(running);
      try {
        return await running;
      } finally {
        active.delete(running);
      }
    },
    close: () =>
      (closed ??= (async () => {
        await Promise.allSettled(active);
        await guarded('close', end);
      })()),
  };
}
