import type { ReconError } from '../errors.js';
import { interruption } from '../interruption.js';

/** The error with which a run ends because its signal was aborted. */
export function runInterruption(signal: AbortSignal): ReconError {
  return interruption(signal, 'The run was interrupted; what it had stored is kept.');
}

/** Called between the steps of a run: after a signal, no new step starts. */
export function stopIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw runInterruption(signal);
}
