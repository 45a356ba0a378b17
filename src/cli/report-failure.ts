import { readFileSync } from 'node:fs';
import { systemCodeOf } from '../disk/disk-errors.js';
import { ReconError, exitCodes, messageOf } from '../errors.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';
import { printableLines } from './text/printable.js';
import type { Surroundings } from './command-context.js';

type Streams = Pick<Surroundings, 'stdout' | 'stderr'>;

/**
 * Prints an expected failure: with --json as the one JSON document, otherwise as a message on standard error.
 *
 * @param advice what to do about it, where that is not what the catalogue says
 */
export function reportError(
  error: ReconError,
  args: readonly string[],
  { stdout, stderr }: Streams,
  advice: string = error.advice,
): number {
  const { code, message, exitCode } = error;
  if (args.includes('--json')) {
    stdout.write(`${JSON.stringify({ error: { code, message, advice }, exitCode })}\n`);
  } else {
    stderr.write(`recon: ${printableLines(message)}\n${advice} (${code})\n`);
  }
  return exitCode;
}

/** A limit that the operator sets; it can be reached anywhere, even while the program loads its modules. */
function tooFewFiles(thrown: unknown): ReconError | undefined {
  const code = systemCodeOf(thrown);
  const isReached = code === 'EMFILE' || code === 'ENFILE';
  if (!isReached && !isUnloaded(thrown)) return undefined;
  return new ReconError(
    'LIMIT_REACHED',
    `There are too many open files (${isReached ? code : 'EMFILE'}): raise the limit, for instance with ulimit -n.`,
    { cause: thrown },
  );
}

/** Node finds a package by opening files, and reports it as missing or unsupported when it cannot open more. */
function isUnloaded(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return loadingFailure.test(String(code)) && openFilesLimit() < fewFiles;
}

const loadingFailure = /^ERR_(MODULE_NOT_FOUND|UNSUPPORTED_DIR_IMPORT|PACKAGE_|INVALID_PACKAGE_)/;
/** Loading the modules of a run takes about 30 open files (measured), and its packages may open more at once. */
const fewFiles = 256;

/** The limit of this process; infinite if the system does not report it. */
function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? Infinity : Number(soft);
  } catch (thrown) {
    // It is itself a file, so opening it may exceed the limit.
    return systemCodeOf(thrown) === 'EMFILE' ? 0 : Infinity;
  }
}

/**
 * `ulimit -v`: the SSH library has a part in WebAssembly, for which Node.js 20 and 22 reserve 10 GB of addresses; with
 * fewer it fails while it is loaded.
 */
function tooFewAddresses(thrown: unknown): ReconError | undefined {
  if (!(thrown instanceof Error) || !/WebAssembly\..*Out of memory/.test(thrown.message)) return undefined;
  return new ReconError(
    'LIMIT_REACHED',
    'The address space of this process is too small for SFTP: remove the limit (ulimit -v unlimited), or raise it to 16 GB. Node.js reserves addresses, not memory.',
    { cause: thrown },
  );
}

/**
 * Prints a defect of the program. The stack helps only the person who repairs it, and the text of an exception may
 * contain values of statements, so both are printed only with --log-level debug and trace.
 */
export function reportDefect(thrown: unknown, args: readonly string[], streams: Streams): number {
  const limit = tooFewFiles(thrown) ?? tooFewAddresses(thrown);
  if (limit !== undefined) return reportError(limit, args, streams);
  const name = thrown instanceof Error ? thrown.name : 'not an Error object';
  const error = new ReconError('INTERNAL_ERROR', `This is a defect in recon (${name}).`, { cause: thrown });
  if (wantsDetails(args)) {
    const details = thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown);
    streams.stderr.write(`${printableLines(maskCardNumbers(details))}\n`);
  }
  return reportError(error, args, streams);
}

function wantsDetails(args: readonly string[]): boolean {
  const at = args.indexOf('--log-level');
  const level = at === -1 ? args.find((arg) => arg.startsWith('--log-level='))?.slice(12) : args[at + 1];
  return level === 'debug' || level === 'trace';
}

/**
 * Commander's message without parts that must not be repeated: the value of an unknown option (`--password=…`), and
 * card numbers.
 */
export function withoutValues(text: string): string {
  return maskCardNumbers(text.replace(/(unknown option '[^'=]*)=[^']*'/g, "$1'"));
}

/** Commander's message without its prefix, on one line. */
export function mistakeOf(message: string): string {
  return message
    .trimEnd()
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.*)\?\)$/, ' (did you mean $1?)');
}

/** A usage mistake that commander found and, except with --json, printed on standard error with the advice already. */
export function reportUsage(
  message: string,
  args: readonly string[],
  streams: Streams,
  advice: string,
): number {
  if (args.includes('--json')) {
    reportError(new ReconError('USAGE_INVALID', withoutValues(mistakeOf(message))), args, streams, advice);
  }
  return exitCodes.usage;
}
