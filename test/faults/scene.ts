import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { runCli, startCli, watchCli, type CliOptions, type CliResult } from '../support/cli.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/**
 * The scene of every disturbed run: payments that are stored, a folder with two nights of settlement files, and
 * one that is emptied as it is read, with a file of which half was delivered before. Whatever is done to a run
 * of it, the next one must end with the facts, findings and reports of an undisturbed one.
 */
const fixtures = path.resolve(import.meta.dirname, '../../fixtures/demo');
const nights = ['settlement-2026-11-18.csv', 'settlement-2026-11-19.csv'] as const;
const sentAgain = 'settlement-2026-11-18-again.csv';

const configuration = `sources:
  - { name: inbox, protocol: local, folder: ./inbox }
  - { name: dropbox, protocol: local, folder: ./dropbox, afterSuccess: { action: move, folder: ./taken } }
`;

/** What scenes are copied from: a database that holds the payments. */
export interface Stage {
  setScene(): Promise<Scene>;
  end(): Promise<void>;
}

export interface Scene {
  readonly database: TestDatabase;
  readonly directory: string;
  run(options?: RunOptions): Promise<CliResult>;
  /** Starts a run and leaves it at work. */
  start(options?: RunOptions): ReturnType<typeof watchCli>;
  recon(args: readonly string[], options?: RunOptions): Promise<CliResult>;
  end(): Promise<void>;
}

export interface RunOptions extends Pick<CliOptions, 'through' | 'timeoutMs'> {
  readonly failAt?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

export async function prepareStage(): Promise<Stage> {
  const prepared = await createTestDatabase();
  const imported = await runCli(['payments', 'import', path.join(fixtures, 'payments.csv')], {
    env: { RECON_DATABASE_URL: prepared.url },
  });
  expect(imported.code).toBe(0);
  await prepared.database.close();
  return { setScene: () => setScene(prepared.name), end: () => prepared.drop() };
}

async function setScene(template: string): Promise<Scene> {
  const database = await createTestDatabase(template);
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-faults-'));
  const put = (name: string, content: string | Buffer) => {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    utimesSync(file, new Date('2026-11-19T06:00:00Z'), new Date('2026-11-19T06:00:00Z'));
  };
  for (const night of nights) put(`inbox/${night}`, readFileSync(path.join(fixtures, 'inbound', night)));
  put(`dropbox/${sentAgain}`, halfKnownFile());
  mkdirSync(path.join(directory, 'taken'));
  writeFileSync(path.join(directory, 'recon.config.yaml'), configuration);
  const env = { RECON_DATABASE_URL: database.url, RECON_DATA_DIR: path.join(directory, 'data') };
  const run = ['run', '--as-of', '2026-11-20', '--json'];
  const optionsOf = ({ failAt, env: more, ...rest }: RunOptions = {}): CliOptions => ({
    env: { ...env, ...(failAt === undefined ? {} : { RECON_FAIL_AT: failAt }), ...more },
    cwd: directory,
    ...rest,
  });
  return {
    database,
    directory,
    run: (options) => runCli(run, optionsOf(options)),
    start: (options) => watchCli(startCli(run, optionsOf(options))),
    recon: (args, options) => runCli(args, optionsOf(options)),
    end: async () => {
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The first rows of a night that was delivered, and rows of another that was not. */
function halfKnownFile(): string {
  const linesOf = (name: string) => readFileSync(path.join(fixtures, 'inbound', name), 'utf8').split('\n');
  const known = linesOf(nights[0]).slice(0, 61);
  const fresh = linesOf('settlement-2026-11-17.csv').slice(1, 41);
  return [...known, ...fresh, ''].join('\n');
}

/** What is stored, in words that do not depend on numbers of runs and files. */
export async function factsOf({
  database: { database },
  directory,
}: Scene): Promise<Record<string, unknown>> {
  const { sql } = database;
  return {
    files: await sql`select name, status, rows_total, rows_accepted, rows_rejected, rows_already_known
      from settlement_files order by name`,
    records: await sql`
      select f.name, r.line, m.status, m.matched_by, p.id as payment, l.chargeback_id, l.booking_id
      from settlement_records r join settlement_files f on f.id = r.file_id
      left join record_matches m on m.file_id = r.file_id and m.line = r.line
      left join payments p on p.key = m.payment_key
      left join chargeback_links l on l.file_id = r.file_id and l.line = r.line
      order by f.name, r.line`,
    known: await sql`select f.name, k.line from already_known_rows k
      join settlement_files f on f.id = k.file_id order by f.name, k.line`,
    rejected: await sql`select f.name, q.line, q.issues from rejected_rows q
      join settlement_files f on f.id = q.file_id order by f.name, q.line`,
    discrepancies:
      await sql`select id, code, message from discrepancies where resolved_run is null order by id`,
    bookings: await sql`select id, payment_type, amount_minor from payments
      where payment_type in ('CB', 'CR') order by id`,
    sightings: await sql`select source, size_bytes::text from remote_files order by source, path`,
    running: await sql`select id from runs where status = 'running'`,
    folders: ['inbox', 'dropbox', 'taken'].map((name) => readdirSync(path.join(directory, name)).sort()),
    archive: filesBelow(path.join(directory, 'data/archive')),
    incoming: filesBelow(path.join(directory, 'data/incoming')),
  };
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

/** The names of the published report folders, in the order of the runs. */
export function reportFolders({ directory }: Scene): string[] {
  return filesBelow(path.join(directory, 'data/reports')).filter((name) => /^run-\d+$/.test(name));
}

/** The reports of the run that told of the files: the last folder with reconciled files in it. */
export function reportsOf(scene: Scene): Record<string, string> {
  const reports = path.join(scene.directory, 'data/reports');
  const folder = reportFolders(scene)
    .filter((name) => existsSync(path.join(reports, name, 'reconciled', nights[0])))
    .at(-1);
  if (folder === undefined) return {};
  return Object.fromEntries(
    filesBelow(path.join(reports, folder))
      .filter((name) => name.endsWith('.csv'))
      .map((name) => [name, withoutRunNumber(name, readFileSync(path.join(reports, folder, name), 'utf8'))]),
  );
}

/** FirstSeenRun, the last column of the discrepancies, is the number of a run. */
function withoutRunNumber(name: string, text: string): string {
  return name === 'discrepancies.csv' ? text.replace(/;"?\d+"?(?=\r?\n)/g, '') : text;
}

/** What a run that died may leave behind only until the next one. */
export function leftOvers({ directory }: Scene): string[] {
  return filesBelow(path.join(directory, 'data')).filter((name) => /\.(part|tmp|old)$/.test(name));
}

/** All that the next run must bring about, whatever was done to the one before. */
export interface Outcome {
  readonly facts: Record<string, unknown>;
  readonly reports: Record<string, string>;
  readonly leftOvers: readonly string[];
}

export async function outcomeOf(scene: Scene): Promise<Outcome> {
  return { facts: await factsOf(scene), reports: reportsOf(scene), leftOvers: leftOvers(scene) };
}

/** When a run was opened and closed, counted from the start of its process. */
export interface Measured {
  readonly openedAfterMs: number;
  readonly closedAfterMs: number;
}

/** The outcome of a run that nobody disturbs. */
export async function undisturbedOutcome(stage: Stage): Promise<Outcome & Measured> {
  const scene = await stage.setScene();
  try {
    const startedAt = Date.now();
    const { code, stderr } = await scene.run();
    // A night of the demo has rows that are rejected.
    expect({ code, stderr: code === 1 ? '' : stderr }).toEqual({ code: 1, stderr: '' });
    const [run] = await scene.database.database.sql<{ opened: number; closed: number }[]>`
      select extract(epoch from started_at)::float8 * 1000 as opened,
        extract(epoch from finished_at)::float8 * 1000 as closed from runs`;
    return {
      ...(await outcomeOf(scene)),
      openedAfterMs: Math.round((run?.opened ?? 0) - startedAt),
      closedAfterMs: Math.round((run?.closed ?? 0) - startedAt),
    };
  } finally {
    await scene.end();
  }
}

/** As {@link undisturbedOutcome}, measured once more: the first run of all is slow. */
export async function measuredOutcome(stage: Stage): Promise<Outcome & Measured> {
  await undisturbedOutcome(stage);
  return undisturbedOutcome(stage);
}

/** Runs once more, undisturbed, and expects what an undisturbed run alone brings about. */
export async function expectRecovery(scene: Scene, undisturbed: Outcome): Promise<void> {
  const { code, stderr } = await scene.run();
  expect([0, 1], stderr).toContain(code);
  await expectOutcome(scene, undisturbed);
}

export async function expectOutcome(scene: Scene, { facts, reports }: Outcome): Promise<void> {
  expect(await factsOf(scene)).toEqual(facts);
  expect(reportsOf(scene)).toEqual(reports);
  expect(leftOvers(scene)).toEqual([]);
}
