#!/usr/bin/env node
import { runProgram } from './program.js';

/**
 * The only place that knows the process: its arguments, its signals and its exit code. A first signal stops
 * at the next boundary, a second one at once.
 */
const interrupt = new AbortController();
let signalled: NodeJS.Signals | undefined;
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (signalled !== undefined) process.exit(name === 'SIGINT' ? 130 : 143);
    signalled = name;
    interrupt.abort();
  });
}
// A reader that went away (`recon runs | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 6);
});

const exitCode = await runProgram(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
  signal: interrupt.signal,
});
process.exitCode = signalled === 'SIGTERM' && exitCode === 130 ? 143 : exitCode;
