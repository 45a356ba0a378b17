import { expect, test } from 'vitest';
import { ReconError } from '../../src/errors.js';
import { tellDefect, tellError } from '../../src/cli/tell-failure.js';
import { Collector } from './recon.js';

function told(work: (streams: { stdout: Collector; stderr: Collector }) => number) {
  const streams = { stdout: new Collector(), stderr: new Collector() };
  return { code: work(streams), stdout: streams.stdout.text, stderr: streams.stderr.text };
}

test('an error in words: what happened, what to do, its code', () => {
  const error = new ReconError('DISK_FULL', 'No room for a\u001b[2J.csv.');
  expect(told((streams) => tellError(error, ['run'], streams))).toEqual({
    code: 6,
    stdout: '',
    stderr:
      'recon: No room for a\\u001b[2J.csv.\nFree space on the disk of the data directory and run again. (DISK_FULL)\n',
  });
});

test('an error as the one document', () => {
  const error = new ReconError('DISK_FULL', 'No room.');
  const { code, stdout, stderr } = told((streams) => tellError(error, ['run', '--json'], streams));
  expect({ code, stderr }).toEqual({ code: 6, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    error: { code: 'DISK_FULL', message: 'No room.', advice: error.advice },
    exitCode: 6,
  });
});

test('too few open files are no defect but a limit of the machine', () => {
  const thrown = Object.assign(new Error("EMFILE: too many open files, open '/x'"), { code: 'EMFILE' });
  const { code, stderr } = told((streams) => tellDefect(thrown, ['run'], streams));
  expect(code).toBe(6);
  expect(stderr).toMatch(/^recon: There are too many open files \(EMFILE\): raise the limit/);
});

test('a defect: its own exit code, no stack, and no text that may hold values', () => {
  const defect = new TypeError('cannot read 4200000000000000');
  const plain = told((streams) => tellDefect(defect, ['run'], streams));
  expect(plain).toEqual({
    code: 70,
    stdout: '',
    stderr: `recon: This is a defect of recon (TypeError).\n${new ReconError('INTERNAL_ERROR', '').advice} (INTERNAL_ERROR)\n`,
  });
  expect(JSON.parse(told((streams) => tellDefect('text', ['--json'], streams)).stdout)).toMatchObject({
    error: { code: 'INTERNAL_ERROR' },
    exitCode: 70,
  });
});

test.each([[['run', '--log-level', 'debug']], [['--log-level=trace', 'run']]])(
  'the stack of a defect with %j',
  (args) => {
    const { code, stderr } = told((streams) => tellDefect(new Error('broken'), args, streams));
    expect(code).toBe(70);
    expect(stderr).toMatch(/^Error: broken\n +at /);
  },
);
