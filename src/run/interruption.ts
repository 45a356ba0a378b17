import { ReconError } from '../errors.js';

/** The reason of an aborted signal, as an error: a lost lock has its own reason, Ctrl-C has none. */
export function interruption(signal: AbortSignal): ReconError {
  return signal.reason instanceof ReconError
    ? signal.reason
    : new ReconError('RUN_INTERRUPTED', 'The run was interrupted; what it had stored is kept.');
}

/** Called between the steps of a run: after a signal, no new step starts. */
export function stopIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw interruption(signal);
}
