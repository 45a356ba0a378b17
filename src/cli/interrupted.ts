import { ReconError, exitCodes } from '../errors.js';

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** A person, the service manager or a terminal that was closed stopped the program. The exit code shows the signal. */
export class Interrupted extends ReconError {
  readonly signalName: StopSignal;

  constructor(signalName: StopSignal) {
    super('RUN_INTERRUPTED', `Stopped by ${signalName}; what had been stored is kept.`);
    this.signalName = signalName;
  }

  /** A closed terminal stops the program as a service manager does: whoever judges exit codes knows that one. */
  override get exitCode(): number {
    return this.signalName === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
  }
}

/** The exit code of a program that this signal stopped. */
export function interruptedExitCode(signal: AbortSignal): number {
  return signal.reason instanceof Interrupted ? signal.reason.exitCode : exitCodes.interrupted;
}
