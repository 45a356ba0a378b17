import { endsWithin } from '../ends-within.js';
import { interruption, onAborted } from '../interruption.js';

/** How long a command may take to notice that its database was closed. */
const graceMs = 5_000;

/**
 * Waits for a command that knows nothing of signals. After one its database is closed, so its statement fails and what
 * it was storing is undone. A command that does not notice, because it reads a file or waits for another server, is
 * not waited for.
 *
 * @throws ReconError RUN_INTERRUPTED after a signal, unless the command was done before its database was closed
 */
export async function endAfterSignal(work: Promise<number>, signal: AbortSignal): Promise<number> {
  const aborted = new Promise<void>((resolve) => {
    onAborted(signal, resolve);
  });
  const givenUp = aborted.then(async () => {
    await endsWithin(work, graceMs);
    throw interruption(signal, 'Stopped by a signal.');
  });
  try {
    return await Promise.race([work, givenUp]);
  } catch (thrown) {
    throw signal.aborted ? interruption(signal, 'Stopped by a signal.') : thrown;
  }
}
