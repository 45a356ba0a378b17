import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../client.js';

/** What happened to a transaction, according to the database. */
export type Outcome = 'committed' | 'undone' | 'unknown';

const askEveryMs = 100;
/** A server that has not noticed the end of our connection may still be committing. */
const giveUpAfterMs = 30_000;

/** Asks repeatedly until the transaction has ended. */
export async function awaitOutcome(ask: () => Promise<string | undefined>): Promise<Outcome> {
  const deadline = performance.now() + giveUpAfterMs;
  while (performance.now() < deadline) {
    const status = await ask().catch(() => undefined);
    if (status === undefined) return 'unknown';
    if (status !== 'in progress') return status === 'committed' ? 'committed' : 'undone';
    await sleep(askEveryMs);
  }
  return 'unknown';
}

/** The server's answer, from a session that is known to be older than the transaction. */
export async function statusOf(sql: Sql, transactionId: string): Promise<string | undefined> {
  const [row] = await sql<
    { status: string | null }[]
  >`select pg_xact_status(${transactionId}::xid8) as status`;
  return row?.status ?? undefined;
}

/**
 * Asks on any connection of a pool.
 *
 * After a crash, a server may assign a transaction number that never reached its disk to another transaction. No
 * session survives a crash, so "committed" counts only from a connection that is older than the transaction.
 *
 * @param begunAt the server's time when the transaction began
 */
export async function poolOutcome(sql: Sql, transactionId: string, begunAt: string): Promise<Outcome> {
  return awaitOutcome(async () => {
    const [row] = await sql<{ status: string | null; older: boolean | null }[]>`
      select pg_xact_status(${transactionId}::text::xid8) as status,
        (select backend_start < ${begunAt}::text::timestamptz from pg_stat_activity
          where pid = pg_backend_pid()) as older`;
    if (row?.status === 'committed' && row.older !== true) return undefined;
    return row?.status ?? undefined;
  });
}
