import { Stream } from 'node:stream';
import type { Logger } from 'pino';
import type { Sql, Tx } from './client.js';

/** A statement that has ended. */
export interface SentStatement {
  /** As sent to the server, with `$1` for the first parameter. */
  readonly text: string;
  /** May contain card data or names; never log them. */
  readonly parameters: readonly unknown[];
  /** The type OIDs of the parameters. */
  readonly types: readonly number[];
  readonly durationMs: number;
  /** Rows returned or written; null for transaction statements, for COPY and after a failure. */
  readonly rows: number | null;
  readonly failed: boolean;
}

type Listener = (statement: SentStatement) => void;

const listeners = new WeakMap<object, Listener>();

/**
 * The same client or transaction, which also passes every statement to the listener once it has ended. The driver's
 * own `debug` option is not used: it makes the parameters of a failed statement a visible property of the error, and
 * from there they could reach a log.
 */
export function watchStatements<Handle extends Sql | Tx>(handle: Handle, listener: Listener): Handle {
  const watched = new Proxy(handle, {
    apply: (target, self, args) => hooked(Reflect.apply(target, self, args), listener),
    get: (target, name, receiver) => {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      if (name === 'unsafe' || name === 'file')
        return (...args: unknown[]) => hooked(Reflect.apply(value, target, args), listener);
      if (name === 'begin' || name === 'savepoint')
        return (...args: unknown[]) => watchBlock(name, value, args, listener);
      return value;
    },
  });
  listeners.set(watched, listener);
  return watched;
}

/** Watches a client in the same way as another one, if that one is watched. */
export function watchAlike(model: Sql, client: Sql): Sql {
  const listener = listeners.get(model);
  return listener === undefined ? client : watchStatements(client, listener);
}

/** A longer text is truncated: docs/sql contains the statements in full. */
const longestText = 500;

/** The client, with every statement logged at level trace, without its parameters. Costs nothing at other levels. */
export function logStatements(client: Sql, logger: Logger): Sql {
  if (!logger.isLevelEnabled('trace')) return client;
  return watchStatements(client, ({ text, durationMs, rows, failed }) => {
    const line = text.replace(/\s+/g, ' ').trim();
    const statement = line.length > longestText ? `${line.slice(0, longestText)}…` : line;
    logger.trace(
      { statement, durationMs: Math.round(durationMs * 10) / 10, ...(rows === null ? {} : { rows }) },
      failed ? 'statement failed' : 'statement',
    );
  });
}

/** The internals of a query of the driver (3.4.9), which its public type does not have. */
interface QueryInternals {
  /** Called once, when the query is sent; never for a fragment, because that becomes part of another query. */
  handler: (query: unknown) => unknown;
  resolve: (result: unknown) => void;
  reject: (reason: unknown) => void;
  readonly strings: readonly string[];
  /** Set when the query is sent. */
  readonly string?: string;
  readonly parameters?: readonly unknown[];
  readonly statement?: { readonly types?: readonly number[] } | null;
}

function isQuery(value: object): value is QueryInternals {
  return 'handler' in value && 'resolve' in value && 'strings' in value;
}

function hooked(made: unknown, listener: Listener): unknown {
  if (typeof made !== 'object' || made === null || !isQuery(made)) return made;
  const { handler } = made;
  made.handler = (query) => {
    const { resolve, reject } = made;
    const began = performance.now();
    const ended = ({ failed, rows }: { readonly failed: boolean; readonly rows: number | null }) => {
      listener({
        text: made.string ?? made.strings.join('…'),
        parameters: made.parameters ?? [],
        types: made.statement?.types ?? [],
        durationMs: performance.now() - began,
        rows,
        failed,
      });
    };
    made.resolve = (result) => {
      // A COPY has ended when its stream has ended.
      if (result instanceof Stream)
        result.once('close', () => {
          ended({ failed: false, rows: null });
        });
      else ended({ failed: false, rows: rowsOf(result) });
      resolve(result);
    };
    made.reject = (reason) => {
      ended({ failed: true, rows: null });
      reject(reason);
    };
    return handler(query);
  };
  return made;
}

function rowsOf(result: unknown): number | null {
  if (typeof result !== 'object' || result === null || !('count' in result)) return null;
  return typeof result.count === 'number' ? result.count : null;
}

/** The driver sends the statements around a transaction or savepoint without a handle, so they are timed here. */
function watchBlock(
  kind: 'begin' | 'savepoint',
  start: object,
  args: readonly unknown[],
  listener: Listener,
): unknown {
  const report = (text: string, since: number, failed = false) => {
    const durationMs = performance.now() - since;
    listener({ text, parameters: [], types: [], durationMs, rows: null, failed });
  };
  const work = args.at(-1) as (tx: Tx) => Promise<unknown>;
  const options = args.length > 1 ? ` ${String(args[0])}` : '';
  const asked = performance.now();
  let worked: { readonly at: number; readonly well: boolean } | undefined;
  const inside = async (tx: Tx) => {
    report(`${kind}${options}`, asked);
    try {
      const result = await work(watchStatements(tx, listener));
      worked = { at: performance.now(), well: true };
      return result;
    } catch (thrown) {
      worked = { at: performance.now(), well: false };
      throw thrown;
    }
  };
  const done = Reflect.apply(start as (...all: unknown[]) => Promise<unknown>, undefined, [
    ...args.slice(0, -1),
    inside,
  ]);
  const undo = kind === 'begin' ? 'rollback' : 'rollback to savepoint';
  done.then(
    () => {
      // A savepoint is not released: nothing is sent at its end.
      if (kind === 'begin' && worked !== undefined) report('commit', worked.at);
    },
    () => {
      if (worked === undefined) return;
      if (worked.well) report('commit', worked.at, true);
      else report(undo, worked.at);
    },
  );
  return done;
}
