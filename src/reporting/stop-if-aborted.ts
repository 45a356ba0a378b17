import { ReconError } from '../errors.js';

/** A lost lock comes with its own error; Ctrl-C does not. */
export function stopIfAborted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  if (signal.reason instanceof ReconError) throw signal.reason;
  throw new ReconError('RUN_INTERRUPTED', 'The reports were interrupted; nothing was published.');
}
