import type { Tx } from './client.js';
import type { Database } from './connect.js';
import { toReconError } from './database-errors.js';
import {
  enterFence,
  oneSnapshot,
  rememberIfDivided,
  type Fence,
  type FencedTransactions,
  type Transact,
} from './fence.js';
import { awaitShards, enterShards } from './shards/enter-shards.js';
import { noteDivided } from './shards/is-divided.js';
import { withRetries } from './transaction.js';
import { openWatchedSession } from './sessions/watched-session.js';

/**
 * One transaction around a whole dry run: each step is a savepoint and sees the earlier ones; at the end everything is
 * rolled back.
 *
 * @param giveUp ends the transaction when it is aborted, also while a statement is in progress
 * @throws ReconError if the transaction cannot begin
 */
export async function fencedDryRun(
  database: Database,
  fence: Fence,
  giveUp?: AbortSignal,
): Promise<FencedTransactions> {
  const isOnShards = await rememberIfDivided(database)();
  const session = openWatchedSession((lost) => database.openSession(lost));
  const interrupt = () => void session.discard();
  giveUp?.addEventListener('abort', interrupt, { once: true });
  const discard = () => {
    giveUp?.removeEventListener('abort', interrupt);
    return session.discard();
  };
  const undone = new Error('the dry run is over');
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let outer: Promise<unknown> = Promise.resolve();
  const tx = await new Promise<Tx>((resolve, reject) => {
    outer = session.sql
      .begin(oneSnapshot, (handle) =>
        session.guard(handle, async (guarded) => {
          if (isOnShards) await awaitShards(guarded);
          await enterFence(guarded, fence);
          if (isOnShards) await enterShards(guarded);
          resolve(guarded);
          await ended;
          throw undone;
        }),
      )
      .catch(reject);
  }).catch(async (thrown: unknown) => {
    await discard();
    throw toReconError(thrown) ?? thrown;
  });
  let last: Promise<unknown> = Promise.resolve();
  const transact: Transact = (work) => {
    const inSavepoint = (savepoint: Tx) => {
      noteDivided(savepoint, isOnShards);
      return work(savepoint);
    };
    const unit = last.then(() =>
      // The type of a savepoint unwraps arrays of promises, as that of a transaction does.
      withRetries(() => Promise.race([tx.savepoint(inSavepoint), session.lost]) as ReturnType<typeof work>),
    );
    last = unit.catch(() => undefined);
    return unit;
  };
  return {
    transact,
    end: async () => {
      await last;
      end();
      await Promise.race([outer, session.lost.catch(() => undefined)]);
      await discard();
    },
  };
}
