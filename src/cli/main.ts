#!/usr/bin/env node
import { exitCodes } from '../errors.js';
import { Interrupted } from './interrupted.js';
import { runProgram, tellThrown } from './program.js';

/**
 * The only place that knows the process: its arguments, streams, environment, signals and exit code. A first signal lets
 * the command stop at its next boundary, a second one ends it at once; what was committed stays either way.
 */
const args = process.argv.slice(2);
const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    const interruption = new Interrupted(name);
    if (interrupt.signal.aborted) process.exit(interruption.exitCode);
    interrupt.abort(interruption);
  });
}

// A reader that went away (`recon runs | head`) is no failure, and a full disk under a log or a result must
// not cut a run short: the exit code reports it at the end.
const output = { failed: false };
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    output.failed ||= error.code !== 'EPIPE';
  });
}

const surroundings = {
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
  environment: process.env,
  signal: interrupt.signal,
};
// Node would exit with 1, which here means that all was done but a file or row was rejected. Not only defects end
// here: the database's driver lets nobody catch the failure of a connection that is just being set up.
let isEnding = false;
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (thrown: unknown) => {
    // What fails while the first failure is reported would come back here for ever.
    if (isEnding) return;
    isEnding = true;
    void tellThrown(thrown, args, surroundings).then(
      (code) => process.exit(code),
      () => process.exit(exitCodes.defect),
    );
  });
}

const exitCode = await runProgram(args, surroundings);
if (output.failed) process.stderr.write('recon: standard output or the log could not be written.\n');
process.exitCode = output.failed ? exitCodes.disk : exitCode;
// Nothing should be left to wait for; a connection that does not close must not keep a nightly job running without end,
// and whoever interrupted it waits for its end.
setTimeout(() => process.exit(), interrupt.signal.aborted ? 2_000 : 10_000).unref();
