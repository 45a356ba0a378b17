import type { Database, Tx } from './connect.js';

/** The right to write: a run's number and the token that its transactions carry. */
export interface Fence {
  readonly runId: number;
  readonly token: bigint;
}

/** Does its work in one transaction, or in a savepoint of a dry run's. */
export type Transact = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

const retryable = new Set(['40P01', '40001']);
const attempts = 3;

/** Transactions that carry the fence; a deadlock or serialization failure is tried again, nothing else is. */
export function fencedTransactions(database: Database, fence: Fence): Transact {
  return async (work) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await database.sql.begin(async (tx) => {
          await enter(tx, fence);
          return await work(tx);
        })) as Awaited<ReturnType<typeof work>>;
      } catch (thrown) {
        const code = (thrown as { code?: unknown }).code;
        if (attempt === attempts || typeof code !== 'string' || !retryable.has(code)) throw thrown;
      }
    }
  };
}

async function enter(tx: Tx, fence: Fence): Promise<void> {
  await tx`select set_config('recon.fence', ${fence.token.toString()}, true), set_config('lock_timeout', '30s', true)`;
}

/** One transaction around a whole dry run: every unit is a savepoint, sees what came before, and all is undone. */
export async function fencedDryRun(
  database: Database,
  fence: Fence,
): Promise<{ transact: Transact; rollBack(): Promise<void> }> {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const undone = new Error('dry run');
  let opened: (tx: Tx) => void = () => undefined;
  const open = new Promise<Tx>((resolve) => (opened = resolve));
  const outer = database.sql
    .begin(async (tx) => {
      await enter(tx, fence);
      opened(tx);
      await ended;
      throw undone;
    })
    .catch((thrown: unknown) => {
      if (thrown !== undone) throw thrown;
    });
  const tx = await Promise.race([open, outer.then(() => Promise.reject(undone))]);
  return {
    transact: (work) => tx.savepoint((savepoint) => work(savepoint)) as never,
    rollBack: async () => {
      end();
      await outer;
    },
  };
}
