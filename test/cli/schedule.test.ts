import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { runCli, startCli } from '../support/cli.js';
import { createInstallation, settlementFile, type Installation } from './installation.js';

const everySecond = `schedule: { cron: '* * * * * *' }
sources:
  - { name: inbox, protocol: local, folder: inbox }
`;

/** Starts a scheduler, which is killed at the end of the test. */
function startSchedule(installation: Installation, ...args: string[]) {
  const child = startCli(['schedule', ...args], {
    env: installation.environment,
    cwd: installation.directory,
  });
  const output = { stderr: '' };
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { child, output };
}

async function openConnections({ database: { database } }: Installation): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name <> 'recon test'
      and backend_type = 'client backend' and pid <> pg_backend_pid()`;
  return row?.count ?? -1;
}

test('runs follow each other without overlap until SIGTERM, which leaves nothing running', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', everySecond);
  installation.write('inbox/settlement.csv', settlementFile(1));
  const { child, output } = startSchedule(installation, '--json');
  const ended = once(child, 'exit');

  const outcomes: RunOutcome[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    outcomes.push(JSON.parse(line) as RunOutcome);
    if (outcomes.length === 3) break;
  }
  const begun = performance.now();
  child.kill('SIGTERM');
  const [code, signal] = (await ended) as [number | null, string | null];
  expect({ code, signal }).toEqual({ code: 143, signal: null });
  expect(performance.now() - begun).toBeLessThan(8000);
  expect(output.stderr).not.toMatch(/\n\s+at .+:\d+:\d+/);

  expect(outcomes.map(({ status, exitCode }) => [status, exitCode])).toEqual(
    Array.from({ length: 3 }, () => ['completed', 0]),
  );
  expect(outcomes.flatMap(({ files }) => files.map(({ status }) => status))).toContain('loaded');
  const { sql } = installation.database.database;
  const overlaps = await sql`
    select a.id, b.id from runs a join runs b on b.id > a.id and b.started_at < a.finished_at`;
  expect(overlaps).toHaveLength(0);
  expect(await sql`select id from runs where status = 'running' or finished_at is null`).toHaveLength(0);
  const planned =
    await sql`select scheduled_for from runs where status = 'completed' group by 1 having count(*) > 1`;
  expect(planned).toHaveLength(0);

  await expect.poll(() => openConnections(installation)).toBe(0);
});

test('SIGINT while it waits for the next run ends it with 130', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', everySecond.replace('* * * * * *', '30 5 1 1 *'));
  const { child } = startSchedule(installation);
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    expect(line).toMatch(/30 5 1 1 \* *"? in UTC/);
    break;
  }
  while ((await openConnections(installation)) === 0) await sleep(50);
  await sleep(300);
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(await installation.database.database.sql`select id from runs`).toHaveLength(0);
});

test('a schedule that never plans a run is a configuration error', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', everySecond.replace('* * * * * *', 'every night'));
  const { code, stderr } = await runCli(['schedule'], {
    env: installation.environment,
    cwd: installation.directory,
  });
  expect(code).toBe(2);
  expect(stderr).toContain('recon.config.yaml:1:');
  expect(stderr).toContain('CONFIG_INVALID');
});
