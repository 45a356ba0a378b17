import { awaitOutcome, statusOf, type Outcome } from './commit-outcome.js';
import type { WatchedSession } from './watched-session.js';

/**
 * A second session that exists before a transaction commits and can find out the outcome afterwards.
 *
 * It asks the database by the transaction's number. After a crash, a server may assign a number that never reached its
 * disk to another transaction; but no session survives a crash, so the answer of an older session is reliable.
 */
export interface OutcomeSession {
  /** Opens the session if it is not open; call it before each transaction. */
  keepOpen(): Promise<void>;
  outcomeOf(transactionId: string): Promise<Outcome>;
  /** Ends the session. Never throws. */
  end(): Promise<void>;
}

/** @param open opens a session; the first one is opened by the first call of `keepOpen` */
export function openOutcomeSession(open: () => WatchedSession): OutcomeSession {
  let session: WatchedSession | undefined;
  let standing: Promise<unknown> = Promise.resolve();
  return {
    keepOpen: async () => {
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
        // If the old connection is lost, the driver would ask on a new one; that answer does not count.
        return asked.isLost() ? undefined : status;
      });
    },
    end: async () => {
      await session?.discard();
    },
  };
}
