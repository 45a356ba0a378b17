import { ReconError } from './errors.js';

/**
 * The error with which work ends because its signal was aborted. If the run lock was lost, the signal has this error as
 * its reason; Ctrl-C gives none.
 *
 * @param message describes what an interruption leaves behind
 */
export function interruption(signal: AbortSignal, message: string): ReconError {
  return signal.reason instanceof ReconError ? signal.reason : new ReconError('RUN_INTERRUPTED', message);
}

/** Throws the {@link interruption} of an aborted signal. */
export function stopIfAborted(signal: AbortSignal, message: string): void {
  if (signal.aborted) throw interruption(signal, message);
}

/** Calls a function when the signal is aborted, also if it was before. */
export function onAborted(signal: AbortSignal | undefined, act: () => void): void {
  if (signal?.aborted === true) act();
  else signal?.addEventListener('abort', act, { once: true });
}
