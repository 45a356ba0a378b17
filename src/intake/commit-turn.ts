import { sqlStateOf } from '../db/database-errors.js';
import type { Tx } from '../db/client.js';
import { waitingForLocks } from '../db/fence.js';
import { tableOfPart, type RecordPart } from '../db/parts/record-parts.js';

/** The place of a file among those that a run loads at once. */
export interface Turn {
  /**
   * Resolves when every earlier file is finished. Rejects when one of them failed: then this one must not be stored.
   */
  come(): Promise<void>;
}

/** How often a file that waits checks whether another transaction waits for it. */
const lookEveryMs = 50;

/**
 * Waits for the turn of a file whose rows are stored, but not committed.
 *
 * If an earlier file brings one of these rows too, it waits for this transaction, which waits for that file: a deadlock
 * that the server does not detect. So this function looks for it, and the caller undoes its rows when another
 * transaction waits for them.
 *
 * @throws InTheWay when another transaction waits
 */
export async function awaitTurn(tx: Tx, turn: Turn): Promise<void> {
  await whileWaiting(turn, async () => {
    const [row] = await tx<{ waited: boolean }[]>`
      select exists (select from pg_locks l
        where l.locktype = 'transactionid' and not l.granted
          and pg_backend_pid() = any (pg_blocking_pids(l.pid))) as waited`;
    if (row?.waited === true) throw new InTheWay();
  });
}

/**
 * Waits for the turn of a file for which no other waits. The statements keep the server from ending an idle
 * transaction.
 */
export async function keepWaiting(tx: Tx, turn: Turn): Promise<void> {
  await whileWaiting(turn, () => tx`select 1`);
}

/**
 * Stores rows in a table that files share. Another file that is being copied may bring one of them. That file undoes
 * its row in the end, but this may take as long as its copying, so the wait has no limit. Another program that locks a
 * whole table is not waited for longer than usual.
 */
export async function besideOtherFiles(tx: Tx, part: RecordPart, store: () => Promise<void>): Promise<void> {
  await tx`lock table only settlement_records, only ${tx(tableOfPart(part))}, rejected_rows in row exclusive mode`;
  await waitingForLocks(tx, store);
}

/** Another transaction waits for rows of the file. */
class InTheWay extends Error {}

/** Two files that are copied at once wait for each other. */
const deadlock = '40P01';

/** Whether a file must undo its rows, because it and another file that is loaded at once bring the same ones. */
export function isInTheWay(thrown: unknown): boolean {
  return thrown instanceof InTheWay || sqlStateOf(thrown) === deadlock;
}

async function whileWaiting(turn: Turn, look: () => Promise<unknown>): Promise<void> {
  const came = turn.come().then(() => true);
  came.catch(() => undefined);
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const pause = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), lookEveryMs);
    });
    try {
      if (await Promise.race([came, pause])) return;
    } finally {
      clearTimeout(timer);
    }
    await look();
  }
}
