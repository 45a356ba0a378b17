import { Stream, type Readable, type Writable } from 'node:stream';
import type { Tx } from './client.js';

/** Larger blocks bring nothing, the lines of a file one by one cost a third of the speed (measured). */
const blockBytes = 192 * 1024;
/** How long the server may take to confirm that it gave a COPY up, before we go on without. */
const confirmWithinMs = 5_000;

/**
 * `COPY … FROM STDIN` with bytes from `source`, which is only read as fast as the server takes it. When it
 * fails the transaction is to be rolled back.
 *
 * When the server refuses a COPY, the driver neither resolves nor rejects (3.4.9: the stream gets no error, and the
 * query is resolved already), so the query's rejection is hooked and raced with every step. This leans on an internal:
 * the version is pinned and tests hold the behaviour.
 *
 * @throws the database's error, or what the source threw, within seconds
 */
export async function copyIn(
  tx: Tx,
  statement: string,
  source: AsyncIterable<Buffer | string>,
): Promise<void> {
  const query = tx.unsafe(statement);
  const refusal = watchRejection(query);
  hushStream(query);
  const stream = await refusal.during(query.writable());
  const blocks = inBlocks(source);
  try {
    // While a block is on its way the next is made.
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
    // Not waited for: a source that is itself stuck must not keep us from rolling back.
    void blocks.return(undefined).catch(() => undefined);
    await giveUp(stream, refusal.promise);
    // A source's own failure matters more than the server's confirmation of it; a broken stream less.
    throw thrown instanceof SourceFailure ? thrown.cause : (refusal.reason() ?? new StreamBroken(thrown));
  }
}

/**
 * `COPY … TO STDOUT`, in blocks of bytes. Read it with `for await`: when the loop is left early it first takes in
 * the rest, unseen, since the driver accepts nothing else on the connection before, not even a rollback. (A
 * `pipeline` that fails does not wait for that.)
 */
export async function copyOut(tx: Tx, statement: string): Promise<AsyncGenerator<Buffer, void, undefined>> {
  const query = tx.unsafe(statement);
  hushStream(query);
  return rowsInBlocks(await query.readable());
}

/** Marks an error as the source's (its `cause`), to distinguish it from the connection's. */
class SourceFailure extends Error {}

/** A socket's own error does not say whose it was: this one was the database's, with the driver's code for it. */
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

/** The internals of a query of the driver, which its public type does not know. */
interface QueryInternals {
  resolve: (stream: unknown) => void;
  reject: (reason: unknown) => void;
}

interface Refusal {
  /** Rejects when the query is. */
  readonly promise: Promise<never>;
  reason(): unknown;
  /**
   * The work's result, or the query's rejection if that comes first; one work at a time. Not `Promise.race` with
   * `promise`: that would hold every result, and so every block of the file, for as long as the query lives.
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
 * The stream of a COPY can fail at the moment of its creation, before its reader can listen, and an error event
 * without a listener ends the process. The failure is reported elsewhere: by the query's rejection, or to the reader.
 */
function hushStream(query: object): void {
  const internals = query as QueryInternals;
  const original = internals.resolve;
  internals.resolve = (stream) => {
    if (stream instanceof Stream) stream.on('error', () => undefined);
    original(stream);
  };
}

function write(stream: Writable, block: Buffer): Promise<void> {
  // One write at a time, so that a write to a connection that is gone throws here and not out of our sight.
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

/** Tells the server that no more comes, and waits for its answer so that the rollback is in order. */
async function giveUp(stream: Writable, refused: Promise<never>): Promise<void> {
  // The text goes to the server's log: no word of what was copied.
  stream.destroy(new Error('the sender gave up'));
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, confirmWithinMs)));
  await Promise.race([refused.catch(() => undefined), patience]);
  clearTimeout(timer);
}

async function* inBlocks(source: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer, void> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const piece of source) {
    const buffer = typeof piece === 'string' ? Buffer.from(piece) : piece;
    waiting.push(buffer);
    bytes += buffer.length;
    if (bytes < blockBytes) continue;
    yield waiting.length === 1 ? buffer : Buffer.concat(waiting, bytes);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes);
}

/** The server sends a message per row; a block of them costs the reader less. */
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
 * The driver pauses its socket when rows come faster than they are read, and resumes it when more are asked for;
 * after the last one nothing asks for more, and the server's "done" would never be read from the paused socket.
 */
function resumeConnection(stream: Readable): void {
  try {
    stream._read(0);
  } catch {
    // The connection is gone: there is nothing to resume.
  }
}
