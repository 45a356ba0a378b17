import { ReconError } from '../errors.js';

/** Why the signal was aborted, as an error: a lost lock brings its own, a person's Ctrl-C none. */
export function interruption(signal: AbortSignal): ReconError {
  return signal.reason instanceof ReconError
    ? signal.reason
    : new ReconError('RUN_INTERRUPTED', 'The run was interrupted; what it had stored is kept.');
}

/** Called at every boundary of a story: nothing new is begun after a signal. */
export function stopIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw interruption(signal);
}
