import type { Sql } from './client.js';
import { isConnectionLoss } from './database-errors.js';

/** One statement for several calls. Returns the result of each call, in their order. */
export type SendCalls<Call, Result> = (calls: readonly Call[]) => Promise<readonly Result[]>;

/** More would make one statement, and everybody who waits for it, slow. */
const mostTogether = 200;

/**
 * While this many statements are on their way, calls wait and share the next one. With one, the server would be idle
 * while the answer is read; with three, the groups are smaller and nothing is faster (measured).
 */
const mostOnTheirWay = 2;

/**
 * Returns a function that sends the calls of one turn of the event loop as one statement: a round trip costs more than
 * the work of one call. A single call is not delayed. If a statement for several calls fails, its halves are sent
 * apart, so that only the calls that are at fault fail. If the connection was lost, all of them fail, because it is
 * unknown whether they were carried out.
 */
export function sendTogether<Call, Result>(send: SendCalls<Call, Result>): (call: Call) => Promise<Result> {
  let waiting: Waiting<Call, Result>[] = [];
  let onTheirWay = 0;
  let isPlanned = false;
  const sendWaiting = () => {
    isPlanned = false;
    while (waiting.length > 0 && onTheirWay < mostOnTheirWay) {
      const group = waiting.slice(0, mostTogether);
      waiting = waiting.slice(mostTogether);
      onTheirWay += 1;
      void sendGroup(send, group).then(() => {
        onTheirWay -= 1;
        plan();
      });
    }
  };
  const plan = () => {
    if (isPlanned || waiting.length === 0) return;
    isPlanned = true;
    // Until then, every request that has arrived is read.
    setImmediate(sendWaiting);
  };
  return (call) =>
    new Promise((resolve, reject) => {
      waiting.push({ call, resolve, reject });
      plan();
    });
}

/** Sends a call together with the other calls of the same function. */
export type Together = <Call, Result>(send: SendOn<Call, Result>, call: Call) => Promise<Result>;

/** `SendCalls` with the client that sends. The function is the name of its group, so it must always be the same. */
export type SendOn<Call, Result> = (sql: Sql, calls: readonly Call[]) => Promise<readonly Result[]>;

/** `sendTogether` for any number of functions, on one client. */
export function togetherOn(sql: Sql): Together {
  const groups = new Map<unknown, unknown>();
  return <Call, Result>(send: SendOn<Call, Result>, call: Call) => {
    // A function is only ever stored with its own group.
    const before = groups.get(send) as ((call: Call) => Promise<Result>) | undefined;
    const join = before ?? sendTogether((calls: readonly Call[]) => send(sql, calls));
    if (before === undefined) groups.set(send, join);
    return join(call);
  };
}

interface Waiting<Call, Result> {
  readonly call: Call;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/** Never throws: every caller gets its result or its error. */
async function sendGroup<Call, Result>(
  send: SendCalls<Call, Result>,
  group: readonly Waiting<Call, Result>[],
): Promise<void> {
  try {
    const results = await send(group.map(({ call }) => call));
    if (results.length !== group.length) throw new Error('a statement for several calls lost a result');
    for (const [index, { resolve }] of group.entries()) {
      // There are as many results as calls.
      resolve(results[index] as Result);
    }
  } catch (thrown) {
    if (group.length === 1 || isConnectionLoss(thrown)) for (const { reject } of group) reject(thrown);
    else {
      const half = Math.ceil(group.length / 2);
      await Promise.all([sendGroup(send, group.slice(0, half)), sendGroup(send, group.slice(half))]);
    }
  }
}
