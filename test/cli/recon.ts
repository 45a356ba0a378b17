import { Writable } from 'node:stream';
import { runProgram } from '../../src/cli/program.js';

export interface Told {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line within the test's own process. */
export async function recon(
  args: readonly string[],
  { cwd = process.cwd(), signal = new AbortController().signal } = {},
): Promise<Told> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const code = await runProgram(args, { stdout, stderr, cwd, signal });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** A stream that keeps what is written, as a terminal when told so. */
export class Collector extends Writable {
  text = '';
  isTTY = false;
  columns = 80;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
