import { ReconError } from '../../errors.js';
import type { Tx } from '../client.js';
import { isConnectionLoss } from '../database-errors.js';

/** Whether a connection is lost. */
export interface Connection {
  /** Rejects when the connection is lost. */
  readonly lost: Promise<never>;
  readonly isLost: () => boolean;
  /** Called by code that learns of the loss from a driver error, which may come before the end of the connection. */
  readonly lose: () => void;
}

/** Does the work with a transaction handle that refuses statements once the connection is lost or the work is done. */
export type GuardTransaction = <T>(tx: Tx, work: (guarded: Tx) => Promise<T>) => Promise<T>;

const connectionLost = () =>
  new ReconError(
    'DATABASE_FAILED',
    'The connection to the database was lost; what was not committed is undone.',
    { cause: new Error('CONNECTION_CLOSED') },
  );

/** A connection that is in use until `lose` is called. */
export function watchConnection(): Connection {
  let gone = false;
  let reject: (reason: ReconError) => void = () => undefined;
  const lost = new Promise<never>((_, rejectLost) => (reject = rejectLost));
  // Perhaps nothing awaits this promise now; code that awaits it later still sees the rejection.
  lost.catch(() => undefined);
  return {
    lost,
    isLost: () => gone,
    lose: () => {
      gone = true;
      reject(connectionLost());
    },
  };
}

/**
 * Keeps a transaction on the connection on which it began.
 *
 * The driver (3.4.9) does not end a transaction whose connection died: it sends the statements that follow, ROLLBACK
 * and COMMIT included, on whatever connection it opens next, outside any transaction, or writes to a closed socket,
 * which raises an uncatchable error. So from that moment nothing may reach the driver: further statements are refused
 * here, and the function that the driver awaits before COMMIT or ROLLBACK never returns. No statement has to check
 * this.
 */
export async function guardTransaction<T>(
  connection: Connection,
  tx: Tx,
  work: (guarded: Tx) => Promise<T>,
): Promise<T> {
  let over = false;
  const refuseWhenUnusable = () => {
    if (connection.isLost()) throw connectionLost();
    if (over) throw new Error('a transaction was used after its end');
  };
  let finish: () => T;
  try {
    const result = await work(guardedHandle(connection, tx, refuseWhenUnusable));
    finish = () => result;
  } catch (thrown) {
    finish = () => {
      throw thrown;
    };
  }
  over = true;
  if (connection.isLost()) return new Promise<never>(() => undefined);
  return finish();
}

/** Members of a handle that send something; the others only create values. */
const sending = new Set<string | symbol>(['unsafe', 'savepoint', 'file', 'notify']);

function guardedHandle(connection: Connection, tx: Tx, check: () => void): Tx {
  return new Proxy(tx, {
    apply: (target, self, args) => {
      check();
      return watched(connection, Reflect.apply(target, self, args));
    },
    get: (target, name, receiver) => {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function' || !sending.has(name)) return value;
      return (...args: unknown[]) => {
        check();
        if (name !== 'savepoint') return watched(connection, Reflect.apply(value, target, args));
        const work = args.at(-1) as (savepoint: Tx) => Promise<unknown>;
        return watched(
          connection,
          target.savepoint((savepoint) => guardTransaction(connection, savepoint, work)),
        );
      };
    },
  });
}

/**
 * Detects from a failing statement that the connection is lost, before the code that awaits the statement. A statement
 * is sent when its own `then` is called; that of Promise does not send it, so fragments stay fragments.
 */
function watched(connection: Connection, sent: unknown): unknown {
  if (sent instanceof Promise) {
    void Promise.prototype.then.call(sent, undefined, (thrown: unknown) => {
      // A server error arrives on a living connection; a driver error means that the connection has ended.
      const fromServer = thrown instanceof Error && thrown.name === 'PostgresError';
      if (!fromServer && isConnectionLoss(thrown)) connection.lose();
    });
  }
  return sent;
}
