import { spawn } from 'node:child_process';
import path from 'node:path';

const main = path.resolve(import.meta.dirname, '../../dist/cli/main.js');

export interface CliResult {
  /** The exit code; -1 when a signal ended the process. */
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The process is killed after this long, so a hang fails the test by name. */
  readonly timeoutMs?: number;
  /** A command that starts the process in its turn, such as one that sets a limit. */
  readonly through?: readonly string[];
  /** Another build of the program. */
  readonly program?: string;
}

/** Runs the built command line as a separate process, without the environment of the test. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return watchCli(startCli(args, options), options.timeoutMs).ended;
}

/** A running command line. */
export interface WatchedCli {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<CliResult>;
}

/** Collects what a started command line says until it ends. */
export function watchCli(child: ReturnType<typeof startCli>, timeoutMs = 60_000): WatchedCli {
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  let isOverdue = false;
  const timer = setTimeout(() => {
    isOverdue = true;
    child.kill('SIGKILL');
  }, timeoutMs);
  const ended = new Promise<CliResult>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      // A test that expects a kill must not take this one for it.
      if (isOverdue)
        reject(new Error(`still running after ${timeoutMs} ms:\n${output.stdout}${output.stderr}`));
      else resolve({ code: code ?? -1, signal, ...output });
    });
  });
  // A test that does not wait for the end has its own reason to fail.
  ended.catch(() => undefined);
  return {
    // -1 when it could not be started, which `ended` tells.
    pid: child.pid ?? -1,
    kill: (signal) => child.kill(signal),
    ended,
  };
}

/** Starts the built command line and leaves it running. */
export function startCli(
  args: readonly string[],
  { env = {}, cwd = process.cwd(), through = [], program = main }: CliOptions = {},
) {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  const [command = process.execPath, ...rest] = [...through, process.execPath, program, ...args];
  return spawn(command, rest, {
    cwd,
    env: { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
