#!/usr/bin/env node
/**
 * The only place that knows the process: its arguments, streams, environment, signals and exit code. After a first
 * signal the command stops at its next safe point; a later one ends it at once. What was committed stays in both cases.
 */
const args = process.argv.slice(2);

// Loaded here, not by import statements: Node would report their failure with 1, which here means that all was done but
// a file or row was rejected. With fewer than 22 open files (measured) it cannot load even these.
const [
  { exitCodes },
  { isHangUpIgnored, readHangUpSigns },
  { Interrupted },
  { isFile, logFile },
  { runProgram, reportThrown },
] = await Promise.all([
  import('../errors.js'),
  import('./hang-up.js'),
  import('./interrupted.js'),
  import('./log-file.js'),
  import('./program.js'),
]).catch(endUnloaded);

function endUnloaded(thrown: unknown): never {
  const cause = thrown instanceof Error ? thrown.message : String(thrown);
  return endEarly(
    /\bE[MN]FILE\b/.test(cause) ? 'LIMIT_REACHED' : 'DISK_FAILED',
    `recon could not load its program files: ${cause}`,
    'Raise the number of files that may be open, for instance with ulimit -n 1024; if that is high enough, install recon again.',
  );
}

/** Looks like any other failure with exit code 6, but is written without other modules of the program. */
function endEarly(code: 'DISK_FAILED' | 'LIMIT_REACHED', message: string, advice: string): never {
  const exitCode = 6;
  if (args.includes('--json')) {
    process.stdout.write(`${JSON.stringify({ error: { code, message, advice }, exitCode })}\n`);
  } else {
    process.stderr.write(`recon: ${message}\n${advice} (${code})\n`);
  }
  process.exit(exitCode);
}

/** Node would report with 1 that it is gone: a deployment replaced the folder, or somebody deleted it. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return endEarly(
      'DISK_FAILED',
      'The current folder was deleted, or cannot be read.',
      'Change to another folder, or back to the one that has its name now (cd), then run again.',
    );
  }
}

const interrupt = new AbortController();
/**
 * `timeout` sends its signal to the program and then to its process group, a terminal that is closed sends SIGHUP, and
 * so does its shell: such signals, a moment apart, are one demand. Taken for two, they ended the program at once, and
 * its embedded database kept running (1 of 31 times with `timeout`).
 */
const sameDemandMs = 200;
let isNextOneDemand = false;
function demandStop(interruption: InstanceType<typeof Interrupted>): void {
  interrupt.abort(interruption);
  // Signals that came while the program was busy are handled before the immediate.
  setTimeout(() => setImmediate(() => (isNextOneDemand = true)), sameDemandMs).unref();
}

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    const interruption = new Interrupted(name);
    if (!interrupt.signal.aborted) demandStop(interruption);
    else if (isNextOneDemand) process.exit(interruption.exitCode);
  });
}

// The listener must be there in any case: without one, Node ends the program, also under `nohup`. However often a
// terminal and its shell send it, it is never a demand to end at once.
const outlivesTerminal = isHangUpIgnored(readHangUpSigns(process.env));
process.on('SIGHUP', () => {
  if (!outlivesTerminal && !interrupt.signal.aborted) demandStop(new Interrupted('SIGHUP'));
});

// A closed reader (`recon runs | head`) is not a failure, and a full disk for a log or a result must not interrupt a
// run: the exit code reports it at the end.
const output = { failed: false };
const stderr = isFile(2) ? logFile(2) : process.stderr;
for (const stream of [process.stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    output.failed ||= error.code !== 'EPIPE';
  });
}

// The database drivers read these in place of options that recon leaves out, but they are meant for other programs: one
// driver does not know `any`, which is the default of libpq, and could not be used at all.
delete process.env['PGOPTIONS'];
delete process.env['PGSSL'];
delete process.env['PGSSLNEGOTIATION'];
delete process.env['PGTARGETSESSIONATTRS'];

const surroundings = {
  stdout: process.stdout,
  stderr,
  cwd: currentFolder(),
  environment: process.env,
  signal: interrupt.signal,
};
// Node would exit with 1, which here means that all was done but a file or row was rejected.
let isEnding = false;
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (thrown: unknown) => {
    // A failure during the report of the first failure would come back here forever.
    if (isEnding) return;
    isEnding = true;
    void reportThrown(thrown, args, surroundings).then(
      (code) => process.exit(code),
      () => process.exit(exitCodes.defect),
    );
  });
}

const exitCode = await runProgram(args, surroundings);
// A stream reports a failure in a later turn than the one in which it was written to.
await new Promise((resolve) => setImmediate(resolve));
if (output.failed) stderr.write('recon: standard output or the log could not be written.\n');
process.exitCode = output.failed ? exitCodes.disk : exitCode;
// Nothing should be left to wait for; a connection that does not close must not keep a nightly job running without end,
// and whoever interrupted it waits for its end.
setTimeout(() => process.exit(), interrupt.signal.aborted ? 2_000 : 10_000).unref();
