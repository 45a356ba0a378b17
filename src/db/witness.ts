import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from './transaction.js';
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

const askEveryMs = 100;
/** A server that does not yet know of our connection's end may still be at the commit. */
const patienceMs = 30_000;

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
      const deadline = Date.now() + patienceMs;
      while (!asked.isLost() && Date.now() < deadline) {
        const status = await Promise.race([statusOf(asked, transactionId), asked.lost]).catch(
          () => undefined,
        );
        // The driver would ask on a new connection when the old one is gone; that answer does not count.
        if (asked.isLost() || status === undefined) return 'unknown';
        if (status !== 'in progress') return status === 'committed' ? 'committed' : 'undone';
        await sleep(askEveryMs);
      }
      return 'unknown';
    },
    end: async () => {
      await session?.discard();
    },
  };
}

async function statusOf({ sql }: WatchedSession, transactionId: string): Promise<string | undefined> {
  const [row] = await sql<
    { status: string | null }[]
  >`select pg_xact_status(${transactionId}::xid8) as status`;
  return row?.status ?? undefined;
}
