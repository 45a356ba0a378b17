import type { Sql } from '../client.js';

/** The internals of a query of the driver (3.4.9), which its public type does not have. */
interface DriverQuery {
  readonly executed: boolean;
  resolve: (result: unknown) => void;
  /** Takes the batches of a cursor. */
  cursorFn?: (batch: unknown) => unknown;
}

interface QueryPrototype {
  /** Called whenever the query is awaited; it is sent the first time. */
  handle: (this: DriverQuery) => unknown;
}

const repaired = new WeakSet<QueryPrototype>();

/**
 * Removes the empty places that the driver can put before the rows of a result. It counts the rows of a result on the
 * connection and does not reset the count if a statement fails, or the connection is lost, after some rows have
 * arrived. The next result on that connection then begins with as many empty places (issues 1119 and 1181 of
 * porsager/postgres), so the first row is not found: a token is unknown, a payment does not exist.
 *
 * The queries of all clients have the same prototype, which is changed once.
 */
export function completeDriverResults(sql: Sql): void {
  // A query that is never awaited is never sent. The driver's type does not have its internals.
  const prototype = Object.getPrototypeOf(sql``) as QueryPrototype;
  if (repaired.has(prototype)) return;
  repaired.add(prototype);
  const { handle } = prototype;
  prototype.handle = function () {
    if (!this.executed) watchResult(this);
    return handle.call(this);
  };
}

function watchResult(query: DriverQuery): void {
  const { resolve, cursorFn } = query;
  query.resolve = (result) => {
    removeEmptyPlaces(result);
    resolve(result);
  };
  if (cursorFn === undefined) return;
  query.cursorFn = (batch) => {
    removeEmptyPlaces(batch);
    return cursorFn(batch);
  };
}

/** A query without parameters may be several statements; then the result is a list of results. */
function removeEmptyPlaces(result: unknown): void {
  if (!Array.isArray(result) || result.length === 0) return;
  const [first] = result as readonly unknown[];
  if (Array.isArray(first) && 'command' in first) result.forEach(removeEmptyPlaces);
  else if (!(0 in result)) {
    // `findIndex` visits the empty places too.
    result.splice(
      0,
      result.findIndex((_, index) => index in result),
    );
  }
}
