import { ReconError } from '../errors.js';
import type { Sql, Tx } from './client.js';
import { isConnectionLoss } from './database-errors.js';

/**
 * A session that knows when its connection is gone.
 *
 * The driver (3.4.9) does not end a transaction whose connection died: it sends the statements that follow,
 * ROLLBACK and COMMIT included, on whatever connection it opens next, outside any transaction, or writes to a
 * socket that is no more, which nobody can catch. So from that moment on nothing may reach it any more: further
 * statements are refused here, and the function that it waits for before COMMIT or ROLLBACK never returns.
 */
export interface WatchedSession {
  readonly sql: Sql;
  /** Rejects when the connection is gone. */
  readonly lost: Promise<never>;
  isLost(): boolean;
  /** For whoever learns of it by an error of the driver, which may come before the connection's end. */
  lose(): void;
  /** Does the work with a transaction handle that refuses once the connection is gone or the work is over. */
  guard<T>(tx: Tx, work: (guarded: Tx) => Promise<T>): Promise<T>;
  /** Ends the connection; the server undoes what was not committed. */
  discard(): Promise<void>;
}

const connectionLost = () =>
  new ReconError(
    'DATABASE_FAILED',
    'The connection to the database was lost; what was not committed is undone.',
  );

/** @param open opens a client with a single connection that calls back when it is lost */
export function openWatchedSession(open: (lost: () => void) => Sql): WatchedSession {
  let gone = false;
  let tell: (reason: ReconError) => void = () => undefined;
  const lost = new Promise<never>((_, reject) => (tell = reject));
  // Nobody may be waiting at the moment; whoever races with it later hears of it all the same.
  lost.catch(() => undefined);
  const lose = () => {
    gone = true;
    tell(connectionLost());
  };
  const sql = open(lose);
  const guard = async <T>(tx: Tx, work: (guarded: Tx) => Promise<T>): Promise<T> => {
    let over = false;
    const refuseWhenUnusable = () => {
      if (gone) throw connectionLost();
      if (over) throw new Error('a transaction was used after its end');
    };
    let conclude: () => T;
    try {
      const result = await work(guardedHandle(tx, refuseWhenUnusable, guard));
      conclude = () => result;
    } catch (thrown) {
      if (isConnectionLoss(thrown)) lose();
      conclude = () => {
        throw thrown;
      };
    }
    over = true;
    if (gone) return new Promise<never>(() => undefined);
    return conclude();
  };
  return {
    sql,
    lost,
    isLost: () => gone,
    lose,
    guard,
    discard: () => sql.end({ timeout: 0 }),
  };
}

/** Members of a handle that send something; the others only make values. */
const sending = new Set<string | symbol>(['unsafe', 'savepoint', 'file', 'notify']);

function guardedHandle(tx: Tx, check: () => void, guard: WatchedSession['guard']): Tx {
  return new Proxy(tx, {
    apply: (target, self, args) => {
      check();
      return Reflect.apply(target, self, args) as unknown;
    },
    get: (target, name, receiver) => {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function' || !sending.has(name)) return value;
      return (...args: unknown[]) => {
        check();
        if (name !== 'savepoint') return Reflect.apply(value, target, args) as unknown;
        const work = args.at(-1) as (savepoint: Tx) => Promise<unknown>;
        return target.savepoint((savepoint) => guard(savepoint, work));
      };
    },
  });
}
