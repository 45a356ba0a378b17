import { expect, test } from 'vitest';
import { createInstallation, paymentsFile, settlementFile } from './installation.js';

interface LogLine {
  readonly runId?: number;
  readonly msg: string;
  readonly code?: string;
}

const linesOf = (stderr: string): LogLine[] =>
  stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine);

const unreachable = `sources:
  - name: inbox
    protocol: local
    folder: ./inbox
    minimumAgeSeconds: 0
  - name: gone
    protocol: local
    folder: ./gone
`;

test('every log line of a run carries its number, whatever happened in it', async () => {
  const installation = await createInstallation();
  installation.write('payments.csv', paymentsFile(1, 2));
  await installation.recon('payments', 'import', 'payments.csv');
  installation.write('recon.config.yaml', unreachable);
  installation.write('inbox/settlement-1.csv', settlementFile(1, 2));
  installation.write('inbox/settlement-2.csv', 'no header\n');

  const first = await installation.json<{ runId: number }>('run', '--as-of', '2026-11-20');
  expect(first.code).toBe(4);
  const lines = linesOf(first.stderr);
  expect(lines.map(({ runId }) => runId)).toEqual(lines.map(() => first.document.runId));
  expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['file loaded', 'stage done']));
  expect(lines.map(({ code }) => code)).toEqual(expect.arrayContaining(['FILE_HEADER']));

  const again = await installation.json<{ runId: number }>(
    ...['rerun', '--from', '2026-11-01', '--to', '2026-11-30', '--as-of', '2026-11-20'],
  );
  expect(again.document.runId).toBe(first.document.runId + 1);
  const repeated = linesOf(again.stderr);
  expect(repeated.length).toBeGreaterThan(0);
  expect(repeated.map(({ runId }) => runId)).toEqual(repeated.map(() => again.document.runId));
});

test('at level trace, so does every statement between the start and the end of the run', async () => {
  const installation = await createInstallation();
  installation.write('settlement-1.csv', settlementFile(1));
  const { stderr, document } = await installation.json<{ runId: number }>(
    ...['run', '--file', 'settlement-1.csv', '--log-level', 'trace'],
  );
  const lines = linesOf(stderr);
  const carries = ({ runId }: LogLine) => runId === document.runId;
  const ofTheRun = lines.slice(lines.findIndex(carries), lines.findLastIndex(carries) + 1);
  expect(ofTheRun.filter(({ msg }) => msg === 'statement').length).toBeGreaterThan(30);
  expect(ofTheRun.filter((line) => !carries(line))).toEqual([]);
});

test('--json is one line, of a result as of an error', async () => {
  const installation = await createInstallation();
  for (const args of [['runs'], ['run', '--file', 'missing.csv'], ['report', '--run', '99']]) {
    const { stdout } = await installation.recon(...args, '--json');
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    JSON.parse(stdout);
  }
});
