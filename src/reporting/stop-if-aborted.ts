import { interruption } from '../interruption.js';

/** Called between the parts of a report: after a signal, no new part starts. */
export function stopIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw interruption(signal, 'The reports were interrupted; nothing was published.');
}

/** The same batches, until the signal is aborted: a list of 600,000 items takes 20 seconds. */
export async function* untilAborted<Batch>(
  batches: AsyncIterable<Batch>,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  for await (const batch of batches) {
    stopIfAborted(signal);
    yield batch;
  }
}
