import { Console } from 'node:console';
import { Writable } from 'node:stream';
import type { Logger } from '../logger.js';

/**
 * Keeps libraries from writing to standard output and standard error for as long as the work takes: the job queue
 * prints the stack of each worker that lost its database, and programs read these streams line by line. The log says
 * that something was written, but not what: it may have a value of a statement.
 */
export async function withQuietLibraries<T>(logger: Logger, work: () => Promise<T>): Promise<T> {
  const former = globalThis.console;
  const sink = new Writable({
    write: (text: Buffer, _encoding, done) => {
      logger.debug({ bytes: text.length }, 'A library wrote a text, which is left out.');
      done();
    },
  });
  globalThis.console = new Console({ stdout: sink, stderr: sink });
  try {
    return await work();
  } finally {
    globalThis.console = former;
  }
}
