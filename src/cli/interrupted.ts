import { ReconError, exitCodes } from '../errors.js';

/** A person or the service manager stopped the program. The exit code shows the signal. */
export class Interrupted extends ReconError {
  readonly signalName: 'SIGINT' | 'SIGTERM';

  constructor(signalName: 'SIGINT' | 'SIGTERM') {
    super('RUN_INTERRUPTED', `Stopped by ${signalName}; what had been stored is kept.`);
    this.signalName = signalName;
  }

  override get exitCode(): number {
    return this.signalName === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
  }
}

/** The exit code of a program that this signal stopped. */
export function interruptedExitCode(signal: AbortSignal): number {
  return signal.reason instanceof Interrupted ? signal.reason.exitCode : exitCodes.interrupted;
}
