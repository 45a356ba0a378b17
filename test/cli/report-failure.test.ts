import { expect, test } from 'vitest';
import { ReconError } from '../../src/errors.js';
import { reportDefect, reportError } from '../../src/cli/report-failure.js';
import { Collector } from './recon.js';

function outputOf(work: (streams: { stdout: Collector; stderr: Collector }) => number) {
  const streams = { stdout: new Collector(), stderr: new Collector() };
  return { code: work(streams), stdout: streams.stdout.text, stderr: streams.stderr.text };
}

test('an error as text: what happened, what to do, and its code', () => {
  const error = new ReconError('DISK_FULL', 'No room for a\u001b[2J.csv.');
  expect(outputOf((streams) => reportError(error, ['run'], streams))).toEqual({
    code: 6,
    stdout: '',
    stderr:
      'recon: No room for a\\u001b[2J.csv.\nFree space on the disk of the data directory and run again. (DISK_FULL)\n',
  });
});

test('an error with --json is the only document', () => {
  const error = new ReconError('DISK_FULL', 'No room.');
  const { code, stdout, stderr } = outputOf((streams) => reportError(error, ['run', '--json'], streams));
  expect({ code, stderr }).toEqual({ code: 6, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    error: { code: 'DISK_FULL', message: 'No room.', advice: error.advice },
    exitCode: 6,
  });
});

test('the limit of open files is reported as a limit of the machine, not as a defect', () => {
  const thrown = Object.assign(new Error("EMFILE: too many open files, open '/x'"), {
    code: 'EMFILE',
    errno: -24,
    syscall: 'open',
  });
  const { code, stderr } = outputOf((streams) => reportDefect(thrown, ['run'], streams));
  expect(code).toBe(6);
  expect(stderr).toMatch(/^recon: There are too many open files \(EMFILE\): raise the limit/);
  expect(stderr).toContain('(LIMIT_REACHED)');
});

test('so is a limit of the address space, which the SSH library reaches while it is loaded', () => {
  const thrown = new Error(
    'abort(RangeError: WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance).',
  );
  const { code, stderr } = outputOf((streams) => reportDefect(thrown, ['run'], streams));
  expect(code).toBe(6);
  expect(stderr).toMatch(/^recon: The address space of this process is too small for SFTP: .*ulimit -v/);
});

test('a defect has its own exit code, and prints no stack and no text that may contain values', () => {
  const defect = new TypeError('cannot read 4200000000000000');
  const plain = outputOf((streams) => reportDefect(defect, ['run'], streams));
  expect(plain).toEqual({
    code: 70,
    stdout: '',
    stderr: `recon: This is a defect in recon (TypeError).\n${new ReconError('INTERNAL_ERROR', '').advice} (INTERNAL_ERROR)\n`,
  });
  expect(JSON.parse(outputOf((streams) => reportDefect('text', ['--json'], streams)).stdout)).toMatchObject({
    error: { code: 'INTERNAL_ERROR' },
    exitCode: 70,
  });
});

test.each([[['run', '--log-level', 'debug']], [['--log-level=trace', 'run']]])(
  'a defect prints its stack with %j',
  (args) => {
    const { code, stderr } = outputOf((streams) => reportDefect(new Error('broken'), args, streams));
    expect(code).toBe(70);
    expect(stderr).toMatch(/^Error: broken\n +at /);
  },
);
