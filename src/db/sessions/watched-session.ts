import type { Sql } from '../client.js';
import { isConnectionLoss } from '../database-errors.js';
import {
  guardTransaction,
  watchConnection,
  type Connection,
  type GuardTransaction,
} from './guarded-transaction.js';

/** A session that detects the loss of its connection. It must then be discarded. */
export interface WatchedSession extends Connection {
  readonly sql: Sql;
  readonly guard: GuardTransaction;
  /** Ends the connection; the server undoes what was not committed. */
  discard(): Promise<void>;
}

/** @param open opens a client with a single connection that calls back when it is lost */
export function openWatchedSession(open: (lost: () => void) => Sql): WatchedSession {
  const connection = watchConnection();
  const sql = open(connection.lose);
  return {
    ...connection,
    sql,
    guard: (tx, work) =>
      guardTransaction(connection, tx, async (guarded) => {
        try {
          return await work(guarded);
        } catch (thrown) {
          // A COPY stream fails independently of its statement. Discarding a session too often costs little.
          if (isConnectionLoss(thrown)) connection.lose();
          throw thrown;
        }
      }),
    discard: () => sql.end({ timeout: 0 }),
  };
}
