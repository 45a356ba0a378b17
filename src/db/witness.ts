import { awaitOutcome, statusOf, type Outcome } from './commit-outcome.js';
import type { WatchedSession } from './watched-session.js';

/**
 * A second session that is there before a transaction commits and can say afterwards what became of it.
 *
 * The database answers by the transaction's number. A server that crashed may give a number that never reached
 * its disk to somebody else; but no session outlives a crash, so the word of one that was there before holds.
 */
export interface Witness {
  /** Makes sure that the session stands; to be called before each transaction. */
  attend(): Promise<void>;
  outcomeOf(transactionId: string): Promise<Outcome>;
  /** Ends the session. Never throws. */
  end(): Promise<void>;
}

export function openWitness(open: () => WatchedSession): Witness {
  let session: WatchedSession | undefined;
  let standing: Promise<unknown> = Promise.resolve();
  return {
    attend: async () => {
      if (session === undefined || session.isLost()) {
        void session?.discard();
        const opened = open();
        session = opened;
        standing = opened.sql`select 1`.catch((thrown: unknown) => {
          opened.lose();
          throw thrown;
        });
      }
      await standing;
    },
    outcomeOf: async (transactionId) => {
      const asked = session;
      if (asked === undefined) return 'unknown';
      return awaitOutcome(async () => {
        if (asked.isLost()) return undefined;
        const status = await Promise.race([statusOf(asked.sql, transactionId), asked.lost]);
        // The driver would ask on a new connection when the old one is gone; that answer does not count.
        return asked.isLost() ? undefined : status;
      });
    },
    end: async () => {
      await session?.discard();
    },
  };
}
