import { setMaxListeners } from 'node:events';
import type { Database } from '../db/connect.js';
import { toReconError } from '../db/database-errors.js';
import { ReconError } from '../errors.js';

/** Does the work of an operation while recon is open, and rejects only with a `ReconError`. */
export type Guarded = <T>(operation: string, work: () => Promise<T>) => Promise<T>;

/** Refuses operations after `close`, lets `close` wait for those in progress, and gives every failure a code. */
export function guardOperations(database: Database): {
  guarded: Guarded;
  /** Aborts when `close` is called. */
  closing: AbortSignal;
  close: () => Promise<void>;
} {
  const active = new Set<Promise<unknown>>();
  const closing = new AbortController();
  // Each loop over rows listens, and a program may have any number of them.
  setMaxListeners(0, closing.signal);
  let closed: Promise<void> | undefined;
  const guarded: Guarded = async (operation, work) => {
    if (closed !== undefined) throw new ReconError('USAGE_INVALID', 'recon was closed; open it again.');
    const running = work().catch((thrown: unknown) => {
      const known = toReconError(thrown);
      throw known === undefined ? defectOf(operation, thrown) : database.explain(known);
    });
    active.add(running);
    try {
      return await running;
    } finally {
      active.delete(running);
    }
  };
  const close = () =>
    (closed ??= (async () => {
      closing.abort();
      await Promise.allSettled(active);
      await database.close();
    })());
  return { guarded, closing: closing.signal, close };
}

function defectOf(operation: string, thrown: unknown): ReconError {
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  return new ReconError('INTERNAL_ERROR', `${operation} failed because of a defect in recon (${name}).`, {
    cause: thrown,
  });
}
