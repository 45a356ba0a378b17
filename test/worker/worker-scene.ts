import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createInstallation, type Installation } from '../cli/installation.js';
import { row, seenOf } from '../run/overlapping-files.js';
import { startCli, watchCli, type WatchedCli } from '../support/cli.js';
import { fileOfRows } from '../support/settlement-rows.js';

/** A night with enough files for several workers; neighbours share rows, so their order decides whose a record is. */
const files = 18;
const rowsEach = 60;
const rowsShared = 20;

/** How soon somebody else may load the file of a worker that is not heard from. */
const leaseSeconds = 1;

/** Where the files of a folder come from, as fields of a source. */
export type SourceOf = (folder: string) => Promise<string> | string;

const local: SourceOf = (folder) => `protocol: local, folder: ${folder}`;

export async function nightForWorkers(count = files, sourceOf = local): Promise<Installation> {
  const installation = await createInstallation();
  writeNight(installation, 0, count);
  installation.write(
    'recon.config.yaml',
    `intake: { filesAtOnce: 1 }
worker: { filesAtOnce: 1, leaseSeconds: ${leaseSeconds}, graceSeconds: 0 }
largeFileBytes: 40000
sources: [{ name: a, filePattern: '*.csv', ${await sourceOf(path.join(installation.directory, 'a'))} }]
`,
  );
  return installation;
}

/** Writes files with these numbers; each number has other rows. */
export function writeNight(installation: Installation, firstFile: number, count: number): void {
  for (let file = firstFile; file < firstFile + count; file += 1) {
    // Every fourth is large, and gets its own table.
    const rows = file % 4 === 3 ? 4 * rowsEach : rowsEach;
    const first = file * (rowsEach - rowsShared);
    const content = fileOfRows(Array.from({ length: rows }, (_, at) => row(first + at)));
    installation.write(`a/night-${String(file).padStart(2, '0')}.csv`, content);
  }
}

export const runNight = (installation: Installation) => installation.recon('run', '--as-of', '2026-11-20');

/** What a run without workers makes of the same night. */
export async function nightAlone(
  count = files,
  sourceOf = local,
): Promise<Awaited<ReturnType<typeof seenOf>>> {
  const alone = await nightForWorkers(count, sourceOf);
  await runNight(alone);
  return seenOf(alone);
}

/** Statements after which the first file of a night takes this long to be stored. */
export const delayedFirstFile = (seconds: number) => `
    create function delay() returns trigger language plpgsql as $$
    begin
      if new.status = 'loaded' and new.name = 'night-00.csv' then perform pg_sleep(${seconds}); end if;
      return new;
    end $$;
    create trigger delay before update on settlement_files for each row execute function delay()`;

/** Statements after which such a file is stored once a worker has claimed a file of its run, or after ten seconds. */
export const storedBesideWorker = (...names: readonly string[]) => `
    create function await_claim() returns trigger language plpgsql as $$
    begin
      for attempt in 1..1000 loop
        exit when exists (select from file_claims where owner not like 'run-%');
        perform pg_sleep(0.01);
      end loop;
      return new;
    end $$;
    create trigger await_claim before update on settlement_files for each row
    when (new.status = 'loaded' and new.name in (${names.map((name) => `'${name}'`).join(', ')}))
    execute function await_claim()`;

interface WorkerOptions {
  readonly failAt?: string;
  readonly clockHours?: number;
  readonly timeoutMs?: number;
}

/** Starts a worker as a process, and waits until runs see it. */
export async function startWorker(
  { directory, environment, database }: Installation,
  { failAt, clockHours, timeoutMs }: WorkerOptions = {},
): Promise<WatchedCli> {
  const env: Record<string, string> = { ...environment };
  if (failAt !== undefined) env['RECON_FAIL_AT'] = failAt;
  if (clockHours !== undefined) env['NODE_OPTIONS'] = `--require ${shiftedClock(directory, clockHours)}`;
  const worker = watchCli(startCli(['worker'], { env, cwd: directory }), timeoutMs);
  const { sql } = database.database;
  const ended = worker.ended.then(({ stderr }) => {
    throw new Error(`the worker ended: ${stderr}`);
  });
  ended.catch(() => undefined);
  while ((await sql`select from workers where process_id = ${worker.pid}`).length === 0)
    await Promise.race([sleep(20), ended]);
  return worker;
}

/** A module that sets the clock of its process forward or back. */
function shiftedClock(directory: string, hours: number): string {
  const file = path.join(directory, `clock-${hours}.cjs`);
  writeFileSync(
    file,
    `const real = Date;
const shift = ${hours} * 3600000;
globalThis.Date = class extends real {
  constructor(...args) { if (args.length === 0) super(real.now() + shift); else super(...args); }
  static now() { return real.now() + shift; }
};
`,
  );
  return file;
}
