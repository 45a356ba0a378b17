import { setTimeout as sleep } from 'node:timers/promises';
import { ReconError } from '../errors.js';
import { isCollision, isConnectionLoss, toReconError } from './database-errors.js';

/** The last pause is long enough for a restart of a server that lost its connections. */
const pausesMs = [20, 100, 400, 1000];

/**
 * Sends one statement that is its own transaction, and whose second execution changes nothing: it inserts rows with
 * ids of the caller's own and skips ids that exist. So when the answer is missing because the connection was lost,
 * nobody has to find out what became of the statement: it is sent again. If the server had stored it, the ids exist. If
 * the server is still storing it, the second execution waits for the first. If the first arrives late, it finds the ids
 * of the second. One round trip replaces the three of a transaction.
 *
 * @throws ReconError of `toReconError`; DATABASE_FAILED, as the message says, when it stays unknown whether it was
 * stored
 */
export async function writeOnce<T>(send: () => Promise<T>): Promise<T> {
  let wasLost = false;
  for (let failures = 0; ; failures += 1) {
    try {
      return await send();
    } catch (thrown) {
      const isLost = isConnectionLoss(thrown);
      wasLost ||= isLost;
      const pauseMs = pausesMs[failures];
      if (pauseMs === undefined || !(wasLost || isCollision(thrown))) {
        throw wasLost ? unknownOutcome(thrown) : (toReconError(thrown) ?? thrown);
      }
      await sleep(pauseMs);
    }
  }
}

function unknownOutcome(thrown: unknown): ReconError {
  return new ReconError(
    'DATABASE_FAILED',
    'The connection to the database was lost while a request was stored, and could not be restored, so it is unknown whether it was stored. Look a payment up before it is sent again.',
    { cause: toReconError(thrown) },
  );
}
