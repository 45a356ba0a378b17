import { Stream, type Readable, type Writable } from 'node:stream';
import type { Tx } from './client.js';

/** Larger blocks are not faster; sending the lines of a file one by one costs a third of the speed (measured). */
const blockBytes = 192 * 1024;
/** How long to wait for the server to confirm that it abandoned a COPY. */
const confirmWithinMs = 5_000;

/**
 * `COPY … FROM STDIN` with bytes from `source`, which is read only as fast as the server accepts it. If it fails, roll
 * back the transaction.
 *
 * When the server refuses a COPY, the driver neither resolves nor rejects (3.4.9: the stream gets no error, and the
 * query is resolved already), so every step also waits for the query's rejection. This relies on an internal of the
 * driver: the version is pinned, and tests check the behaviour.
 *
 * @param source may use the bytes of a piece again once the second piece after it is asked for; smaller pieces than a
 * block are copied at once
 * @throws the database's error, or what the source threw, within seconds
 */
export async function copyIn(
  tx: Tx,
  statement: string,
  source: AsyncIterable<Buffer | string>,
): Promise<void> {
  const query = tx.unsafe(statement);
  const refusal = watchRejection(query);
  ignoreStreamErrors(query);
  const stream = await refusal.during(query.writable());
  const blocks = inBlocks(source);
  try {
    // While one block is being sent, the next one is prepared.
    let sent: Promise<void> = Promise.resolve();
    for (;;) {
      const next = await refusal.during(nextOf(blocks));
      await refusal.during(sent);
      if (next.done === true) break;
      sent = write(stream, next.value);
      sent.catch(() => undefined);
    }
    await refusal.during(finish(stream));
  } catch (thrown) {
    // Not awaited: a stuck source must not prevent the rollback.
    void blocks.return(undefined).catch(() => undefined);
    await giveUp(stream, refusal.promise);
    // A failure of the source takes precedence over the server's confirmation of it; a broken stream does not.
    throw thrown instanceof SourceFailure ? thrown.cause : (refusal.reason() ?? new StreamBroken(thrown));
  }
}

/**
 * `COPY … TO STDOUT`, in blocks of bytes. Read it with `for await`: if the loop is left early, the rest is first read
 * and discarded, because until then the driver accepts nothing else on the connection, not even a rollback. (A
 * `pipeline` that fails does not wait for that.)
 */
export async function copyOut(tx: Tx, statement: string): Promise<AsyncGenerator<Buffer, void, undefined>> {
  const query = tx.unsafe(statement);
  ignoreStreamErrors(query);
  return rowsInBlocks(await query.readable());
}

/** Marks an error as the source's (its `cause`), to distinguish it from the connection's. */
class SourceFailure extends Error {}

/**
 * A socket error does not say which connection it belongs to; this one gets the driver's code for the database
 * connection.
 */
class StreamBroken extends Error {
  readonly code = 'CONNECTION_CLOSED';

  constructor(cause: unknown) {
    super('the connection of a COPY broke', { cause });
  }
}

async function nextOf(blocks: AsyncGenerator<Buffer, void>): Promise<IteratorResult<Buffer, void>> {
  try {
    return await blocks.next();
  } catch (thrown) {
    throw new SourceFailure('the source of a COPY failed', { cause: thrown });
  }
}

/** Internals of the driver's query that its public type does not declare. */
interface QueryInternals {
  resolve: (stream: unknown) => void;
  reject: (reason: unknown) => void;
}

interface Refusal {
  /** Rejects when the query is rejected. */
  readonly promise: Promise<never>;
  reason(): unknown;
  /**
   * The result of `work`, or the query's rejection if that comes first; for one step at a time. Not `Promise.race` with
   * `promise`: that would keep every result, and so every block of the file, in memory as long as the query exists.
   */
  during<T>(work: Promise<T>): Promise<T>;
}

function watchRejection(query: object): Refusal {
  const internals = query as QueryInternals;
  const original = internals.reject;
  let found: Error | undefined;
  let interrupt: (reason: Error) => void = () => undefined;
  const promise = new Promise<never>((_, reject) => {
    internals.reject = (reason) => {
      found = reason instanceof Error ? reason : new Error(String(reason));
      reject(found);
      interrupt(found);
      original(reason);
    };
  });
  promise.catch(() => undefined);
  return {
    promise,
    reason: () => found,
    during: (work) =>
      new Promise((resolve, reject) => {
        interrupt = reject;
        if (found !== undefined) reject(found);
        work.then(resolve, reject);
      }),
  };
}

/**
 * The stream of a COPY can fail when it is created, before its reader has a listener, and an error event without a
 * listener ends the process. The failure is reported elsewhere: by the query's rejection, or to the reader.
 */
function ignoreStreamErrors(query: object): void {
  const internals = query as QueryInternals;
  const original = internals.resolve;
  internals.resolve = (stream) => {
    if (stream instanceof Stream) stream.on('error', () => undefined);
    original(stream);
  };
}

function write(stream: Writable, block: Buffer): Promise<void> {
  // One write at a time, so that a write to a closed connection throws here, where it is caught.
  return new Promise((resolve, reject) => {
    stream.write(block, (error) => (error ? reject(error) : resolve()));
  });
}

function finish(stream: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.end(resolve);
  });
}

/** Ends the COPY on the server, and waits for the reply so that the rollback follows in order. */
async function giveUp(stream: Writable, refused: Promise<never>): Promise<void> {
  // This text appears in the server's log, so it must not contain copied data.
  stream.destroy(new Error('the sender gave up'));
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, confirmWithinMs)));
  await Promise.race([refused.catch(() => undefined), timeout]);
  clearTimeout(timer);
}

async function* inBlocks(source: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer, void> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const piece of source) {
    if (typeof piece !== 'string' && piece.length >= blockBytes && bytes === 0) {
      yield piece;
      continue;
    }
    const copy = typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece);
    waiting.push(copy);
    bytes += copy.length;
    if (bytes < blockBytes) continue;
    yield Buffer.concat(waiting, bytes);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes);
}

/** The server sends one message per row; reading them in blocks costs less. */
async function* rowsInBlocks(stream: Readable): AsyncGenerator<Buffer, void, undefined> {
  const rows = stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, void>;
  const reading = { ended: false };
  const next = async () => {
    const row = await rows.next().catch((thrown: unknown) => {
      reading.ended = true;
      throw thrown;
    });
    reading.ended = row.done === true;
    if (reading.ended) resumeConnection(stream);
    return row;
  };
  try {
    let waiting: Buffer[] = [];
    let bytes = 0;
    for (let row = await next(); row.done !== true; row = await next()) {
      waiting.push(row.value);
      bytes += row.value.length;
      if (bytes < blockBytes) continue;
      yield Buffer.concat(waiting, bytes);
      waiting = [];
      bytes = 0;
    }
    if (bytes > 0) yield Buffer.concat(waiting, bytes);
  } finally {
    while (!reading.ended) await next().catch(() => undefined);
  }
}

/**
 * The driver pauses its socket when rows come faster than they are read, and resumes it when more are asked for; after
 * the last row nothing asks for more, so the server's "done" would never be read from the paused socket.
 */
function resumeConnection(stream: Readable): void {
  try {
    stream._read(0);
  } catch {
    // The connection is gone: there is nothing to resume.
  }
}
