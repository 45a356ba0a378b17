import { readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

/** What shows that a program was started so that SIGHUP does not end it. */
export interface HangUpSigns {
  /** The variable `_`, which a shell sets to the program that it starts. */
  readonly startedProgram: string | undefined;
  /** `/proc/PID/status` of the process that started this one. */
  readonly parentStatus: string | undefined;
  /** What standard input is, and `/proc/PID/fdinfo/0` of it. */
  readonly input: { readonly target: string; readonly info: string } | undefined;
}

/**
 * Whether SIGHUP was ignored when this program was started. Node.js makes every ignored signal a fatal one before it
 * loads the first module, so this program cannot ask; there are three signs of it:
 *
 * - a shell says that it started `nohup`;
 * - the process that started this one ignores SIGHUP, such as a script under `nohup`: its children inherit that;
 * - standard input is `/dev/null`, and only writable, as `nohup` makes it in place of a terminal.
 */
export function isHangUpIgnored({ startedProgram, parentStatus, input }: HangUpSigns): boolean {
  if (startedProgram !== undefined && path.basename(startedProgram) === 'nohup') return true;
  if (parentStatus !== undefined && ignoresHangUp(parentStatus)) return true;
  return input?.target === '/dev/null' && isWriteOnly(input.info);
}

/** SIGHUP is signal 1, the lowest bit of the mask. */
function ignoresHangUp(status: string): boolean {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return mask !== undefined && (BigInt(`0x${mask}`) & 1n) === 1n;
}

/** The two lowest bits of the flags, which are octal, are the access mode. */
function isWriteOnly(info: string): boolean {
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
  return flags !== undefined && (BigInt(`0o${flags}`) & 3n) === 1n;
}

/** Reads the signs of the current process; only Linux has all of them. */
export function readHangUpSigns(environment: Readonly<Record<string, string | undefined>>): HangUpSigns {
  return {
    startedProgram: environment['_'],
    parentStatus: unlessMissing(() => readFileSync(`/proc/${process.ppid}/status`, 'utf8')),
    input: unlessMissing(() => ({
      target: readlinkSync('/proc/self/fd/0'),
      info: readFileSync('/proc/self/fdinfo/0', 'utf8'),
    })),
  };
}

/** Other systems have no `/proc`; there it may also be closed to this account. */
function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
