import type { Sql } from '../client.js';
import type { WatchedSession } from './watched-session.js';

/** The sessions in use that were opened like a client, by the options of the client. */
const inUse = new WeakMap<object, Set<WatchedSession>>();

/** Remembers a session until it is discarded. */
export function rememberSession(client: Sql, session: WatchedSession): WatchedSession {
  const sessions = inUse.get(client.options) ?? new Set();
  inUse.set(client.options, sessions);
  const remembered = {
    ...session,
    discard: () => {
      sessions.delete(remembered);
      return session.discard();
    },
  };
  sessions.add(remembered);
  return remembered;
}

/**
 * Ends the transactions on sessions like this client: they fail as after a lost connection. The driver does not know
 * that these clients belong together.
 */
export async function loseSessions(client: Sql): Promise<void> {
  const sessions = [...(inUse.get(client.options) ?? [])];
  await Promise.all(
    sessions.map((session) => {
      session.lose();
      return session.discard();
    }),
  );
}
