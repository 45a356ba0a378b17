import { Writable } from 'node:stream';
import type { EnvironmentVariables } from '../../src/config/environment.js';
import { runProgram } from '../../src/cli/program.js';

/** How a command ended, and what it wrote. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command line within the test's own process. Its environment is empty unless the test gives one.
 */
export async function recon(
  args: readonly string[],
  options: { cwd?: string; environment?: EnvironmentVariables; signal?: AbortSignal } = {},
): Promise<Ended> {
  const { cwd = process.cwd(), environment = {}, signal = new AbortController().signal } = options;
  const [stdout, stderr] = [new Collector(), new Collector()];
  const code = await runProgram(args, { stdout, stderr, cwd, environment, signal });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** A stream that keeps what is written; with `isTTY` it behaves like a terminal. */
export class Collector extends Writable {
  text = '';
  isTTY = false;
  columns = 80;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
