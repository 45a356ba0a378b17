import { Writable } from 'node:stream';
import { vi } from 'vitest';
import type { EnvironmentVariables } from '../../src/config/environment.js';
import { runProgram } from '../../src/cli/program.js';

/** How a command ended, and what it wrote. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command line within the test's own process. Its environment is empty unless the test gives one. A test that
 * sets the clock sets that of the database server with it.
 */
export async function recon(
  args: readonly string[],
  options: {
    cwd?: string;
    environment?: EnvironmentVariables;
    signal?: AbortSignal;
    /** The clock that the test set is wrong: the database server has another one. */
    isClockWrong?: boolean;
  } = {},
): Promise<Ended> {
  const { cwd = process.cwd(), environment = {}, signal = new AbortController().signal } = options;
  const isClockGiven = vi.isFakeTimers() && options.isClockWrong !== true;
  const [stdout, stderr] = [new Collector(), new Collector()];
  const givenClock = isClockGiven ? () => Date.now() : undefined;
  const code = await runProgram(args, { stdout, stderr, cwd, environment, signal, givenClock });
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
