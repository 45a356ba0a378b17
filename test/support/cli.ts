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
}

/** Runs the built command line as a process of its own, in an environment that holds nothing of ours. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = startCli(args, options);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? 60_000);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code: code ?? -1, signal, ...output });
    });
  });
}

/** Starts the built command line and leaves it running. */
export function startCli(args: readonly string[], { env = {}, cwd = process.cwd() }: CliOptions = {}) {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return spawn(process.execPath, [main, ...args], {
    cwd,
    env: { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
