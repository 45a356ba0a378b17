import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { startCli } from '../support/cli.js';
import { databaseForEachTest } from '../support/database.js';
import { folderForEachTest } from '../support/test-folder.js';
import { settlementFile } from './installation.js';

const testDatabase = databaseForEachTest();
const folder = folderForEachTest();

beforeEach(() => {
  mkdirSync(path.join(folder.path, 'inbox'));
  writeFileSync(
    path.join(folder.path, 'recon.config.yaml'),
    `dataDirectory: data
sources: [{ name: inbox, protocol: local, folder: inbox }]
schedule: { cron: '* * * * * *', timezone: Pacific/Kiritimati }
`,
  );
});

interface RunRow {
  id: number;
  status: string;
  as_of: string;
  planned: string;
  late_ms: number;
}

test('runs every second in real time, one run at a time, each planned time once, until SIGTERM', async () => {
  const env = { RECON_DATABASE_URL: testDatabase.url };
  const child = startCli(['schedule', '--json'], { env, cwd: folder.path });
  let [stdout, stderr] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  await new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.split('\n').length > 3) resolve();
    });
  });
  child.kill('SIGTERM');
  expect(await ended).toBe(143);

  const documents = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { runId: number; status: string });
  expect(documents.map(({ runId }) => runId)).toEqual(documents.map((_, index) => index + 1));
  const runs = await testDatabase.database.sql<RunRow[]>`
    select id, status, as_of, scheduled_for as planned,
      extract(epoch from started_at - scheduled_for)::float8 * 1000 as late_ms from runs order by id`;
  expect(runs.length).toBe(documents.length);
  expect(new Set(runs.map(({ planned }) => planned)).size).toBe(runs.length);
  for (const run of runs) {
    expect(run.late_ms).toBeGreaterThanOrEqual(0);
    // The day in this time zone, which is the first in the world to reach it.
    expect(run.as_of).toBe(new Date(Date.parse(run.planned) + 14 * 3_600_000).toISOString().slice(0, 10));
  }
  expect(runs.slice(0, -1).every(({ status }) => status === 'completed')).toBe(true);
  for (const line of stderr.trim().split('\n')) expect(() => JSON.parse(line) as unknown).not.toThrow();
});

test('with --quiet prints why the exit code of a run would not be 0, and nothing else', async () => {
  writeFileSync(path.join(folder.path, 'inbox/settlement.csv'), settlementFile(2, { Amount: 'a lot' }));
  // A file that was changed just now may still be written.
  utimesSync(path.join(folder.path, 'inbox/settlement.csv'), new Date(0), new Date(0));
  const env = { RECON_DATABASE_URL: testDatabase.url };
  const child = startCli(['schedule', '--quiet'], { env, cwd: folder.path });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  await new Promise<void>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      if (stderr.includes('\n')) resolve();
    });
    child.on('close', () => resolve());
  });
  child.kill('SIGTERM');
  await ended;
  expect({ stdout, stderr }).toEqual({
    stdout: '',
    stderr: 'recon: run 1: settlement.csv: 1 of 2 rows was rejected\n',
  });
});
