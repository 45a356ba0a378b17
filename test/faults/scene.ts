import {
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
import { recon, type Ended } from '../cli/recon.js';
import { runCli, startCli, watchCli, type CliOptions, type CliResult } from '../support/cli.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import {
  demoFixtures,
  factsOf as storedFactsOf,
  filesBelow,
  leftOversOf,
  nights,
  reportsOf,
} from '../support/settlement-night.js';

/**
 * The scene of every disturbed run: payments that are stored, a folder with two nights of settlement files, and one
 * that is emptied as it is read, with a file of which half was delivered before. Whatever is done to a run of it, the
 * next one must end with the facts, findings and reports of an undisturbed one.
 */
const sentAgain = 'settlement-2026-11-18-again.csv';

// Both nights are loaded at once. The second night's file and that with the known half are large ones, the first
// night's is not.
const configuration = `largeFileBytes: 41000
intake: { filesAtOnce: 2 }
sources:
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
  /** Starts a run and leaves it running. */
  start(options?: RunOptions): ReturnType<typeof watchCli>;
  recon(args: readonly string[], options?: RunOptions): Promise<CliResult>;
  /** A run within the process of the test, where the process does not matter: it takes a quarter of the CPU time. */
  runHere(): Promise<Ended>;
  end(): Promise<void>;
}

export interface RunOptions extends Pick<CliOptions, 'through' | 'timeoutMs'> {
  readonly failAt?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

export async function prepareStage(): Promise<Stage> {
  const prepared = await createTestDatabase();
  const imported = await runCli(['payments', 'import', path.join(demoFixtures, 'payments.csv')], {
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
  for (const night of nights) put(`inbox/${night}`, readFileSync(path.join(demoFixtures, 'inbound', night)));
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
    runHere: () => recon(run, { cwd: directory, environment: env }),
    end: async () => {
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The first rows of a night that was delivered, and rows of another that was not. */
function halfKnownFile(): string {
  const linesOf = (name: string) =>
    readFileSync(path.join(demoFixtures, 'inbound', name), 'utf8').split('\n');
  const known = linesOf(nights[0]).slice(0, 61);
  const fresh = linesOf('settlement-2026-11-17.csv').slice(1, 71);
  return [...known, ...fresh, ''].join('\n');
}

/** What is stored, in words that do not depend on numbers of runs and files. */
export async function factsOf({
  database: { database },
  directory,
}: Scene): Promise<Record<string, unknown>> {
  const { sql } = database;
  return {
    ...(await storedFactsOf(sql)),
    known: await sql`select f.name, k.line from already_known_rows k
      join settlement_files f on f.id = k.file_id order by f.name, k.line`,
    sightings: await sql`select source, size_bytes::text from remote_files order by source, path`,
    folders: ['inbox', 'dropbox', 'taken'].map((name) => readdirSync(path.join(directory, name)).sort()),
    archive: filesBelow(path.join(directory, 'data/archive')),
    incoming: filesBelow(path.join(directory, 'data/incoming')),
  };
}

/** All that the next run must bring about, whatever was done to the one before. */
export interface Outcome {
  readonly facts: Record<string, unknown>;
  readonly reports: Record<string, string>;
  readonly leftOvers: readonly string[];
}

export async function outcomeOf(scene: Scene): Promise<Outcome> {
  return { facts: await factsOf(scene), reports: reportsOf(scene), leftOvers: leftOversOf(scene) };
}

/** When a run was opened and closed, counted from the start of its process. */
export interface Measured {
  readonly openedAfterMs: number;
  readonly closedAfterMs: number;
}

/** The outcome of a run that nobody disturbs. */
export async function baselineOutcome(stage: Stage): Promise<Outcome & Measured> {
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

/** As {@link baselineOutcome}, measured once more: the first run of all is slow. */
export async function measuredOutcome(stage: Stage): Promise<Outcome & Measured> {
  await baselineOutcome(stage);
  return baselineOutcome(stage);
}

/** Runs once more, undisturbed, and expects what an undisturbed run alone brings about. */
export async function expectRecovery(scene: Scene, baseline: Outcome): Promise<void> {
  const { code, stderr } = await scene.runHere();
  expect([0, 1], stderr).toContain(code);
  await expectOutcome(scene, baseline);
}

export async function expectOutcome(scene: Scene, { facts, reports }: Outcome): Promise<void> {
  expect(await factsOf(scene)).toEqual(facts);
  expect(reportsOf(scene)).toEqual(reports);
  expect(leftOversOf(scene)).toEqual([]);
}
