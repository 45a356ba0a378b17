import {
  chownSync,
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
import { parse } from 'csv-parse/sync';
import type { Sql } from '../../src/db/client.js';
import { recon, type Ended } from '../cli/recon.js';
import { runCli, startCli } from './cli.js';
import type { Account } from './ordinary-account.js';

export const demoFixtures = path.resolve(import.meta.dirname, '../../fixtures/demo');
/** Two settlement days of the demo, which most fault tests use. */
export const nights = ['settlement-2026-11-18.csv', 'settlement-2026-11-19.csv'] as const;

/** The error of a run's document, as `run --json` prints it. */
export interface RunDocument {
  readonly runId?: number;
  readonly status: string;
  readonly exitCode: number;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/**
 * Two settlement files in an inbox, the payments they settle in a database, and the command that brings them together.
 */
export interface SettlementNight {
  readonly directory: string;
  /** @param url another way to the same database; default is the one of the night */
  run(url?: string, environment?: Readonly<Record<string, string>>): ReturnType<typeof runCli>;
  /** A run within the process of the test, where the process does not matter: it takes a quarter of the CPU time. */
  runHere(): Promise<Ended>;
  start(url?: string): ReturnType<typeof startCli>;
  /** Within the process of the test, unless it has another way to the database, the embedded one or another account. */
  importPayments(url?: string): Promise<Ended>;
  startImport(): ReturnType<typeof startCli>;
  end(): void;
}

/**
 * @param databaseUrl undefined: the embedded database in the night's data directory
 * @param account owns the night's folder and runs its commands; the one of the test unless given
 */
export function prepareNight(
  databaseUrl: string | undefined,
  asOf = '2026-11-20',
  account?: Account,
): SettlementNight {
  const command = ['run', '--as-of', asOf, '--json'];
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-night-'));
  const inbox = path.join(directory, 'inbox');
  mkdirSync(inbox);
  for (const name of nights) {
    const file = path.join(inbox, name);
    writeFileSync(file, readFileSync(path.join(demoFixtures, 'inbound', name)));
    // Old enough not to be taken for a file that is still being written.
    utimesSync(file, new Date('2026-11-19T06:00:00Z'), new Date('2026-11-19T06:00:00Z'));
  }
  writeFileSync(
    path.join(directory, 'recon.config.yaml'),
    // The second night's file is a large one, the first is not.
    'largeFileBytes: 41000\nsources:\n  - { name: inbox, protocol: local, folder: ./inbox }\n',
  );
  if (account !== undefined) {
    for (const name of ['', ...filesBelow(directory)])
      chownSync(path.join(directory, name), account.uid, account.gid);
  }
  const options = (url = databaseUrl, environment: Readonly<Record<string, string>> = {}) => ({
    cwd: directory,
    env: {
      RECON_DATA_DIR: path.join(directory, 'data'),
      ...(url === undefined ? {} : { RECON_DATABASE_URL: url }),
      ...environment,
    },
    ...(account === undefined ? {} : { through: account.through }),
  });
  const importing = ['payments', 'import', path.join(demoFixtures, 'payments.csv')];
  const here = (args: readonly string[]) => {
    const { cwd, env: environment } = options();
    return recon(args, { cwd, environment });
  };
  const asProcess = databaseUrl === undefined || account !== undefined;
  return {
    directory,
    run: (url, environment) => runCli(command, options(url, environment)),
    runHere: () => here(command),
    start: (url) => startCli(command, options(url)),
    importPayments: (url) =>
      asProcess || url !== undefined ? runCli(importing, options(url)) : here(importing),
    startImport: () => startCli(importing, options()),
    end: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** What a run printed. */
export function documentOf({ stdout }: { readonly stdout: string }): RunDocument {
  // The shape is what the design says `run --json` prints; the tests look at its values.
  return JSON.parse(stdout) as RunDocument;
}

/** What is stored, in words that do not depend on numbers of runs, files and payments. */
export async function factsOf(sql: Sql): Promise<Record<string, unknown>> {
  return {
    files: await sql`select name, status, rows_total, rows_accepted, rows_rejected, rows_already_known
      from settlement_files order by name`,
    records: await sql`
      select f.name, r.line, r.occurrence, m.status, m.matched_by, p.id as payment, l.chargeback_id, l.booking_id
      from settlement_records r join settlement_files f on f.id = r.file_id
      left join record_matches m on m.file_id = r.file_id and m.line = r.line
      left join payments p on p.key = m.payment_key
      left join chargeback_links l on l.file_id = r.file_id and l.line = r.line
      order by f.name, r.line`,
    rejected: await sql`select f.name, q.line, q.issues from rejected_rows q
      join settlement_files f on f.id = q.file_id order by f.name, q.line`,
    discrepancies:
      await sql`select id, code, message from discrepancies where resolved_run is null order by id`,
    bookings: await sql`select id, payment_type, amount_minor from payments
      where payment_type in ('CB', 'CR') order by id`,
    running: await sql`select id from runs where status = 'running'`,
  };
}

/** The tables of the run that reported the files: of the last folder with reconciled files in it. */
export function reportsOf({ directory }: { readonly directory: string }): Record<string, string> {
  const reports = path.join(directory, 'data/reports');
  const folder = reportFolders({ directory })
    .filter((name) => existsSync(path.join(reports, name, 'reconciled', nights[0])))
    .at(-1);
  if (folder === undefined) return {};
  return Object.fromEntries(
    filesBelow(path.join(reports, folder))
      .filter((name) => name.endsWith('.csv'))
      .map((name) => [name, withoutRunNumber(name, readFileSync(path.join(reports, folder, name), 'utf8'))]),
  );
}

/** The names of the published report folders, in the order of the runs. */
export function reportFolders({ directory }: { readonly directory: string }): string[] {
  return filesBelow(path.join(directory, 'data/reports')).filter((name) => /^run-\d+$/.test(name));
}

/** FirstSeenRun of the discrepancies is the number of a run. */
function withoutRunNumber(name: string, text: string): string {
  if (name !== 'discrepancies.csv') return text;
  const [header = [], ...rows] = parse(text, { delimiter: ';', bom: true });
  const column = header.indexOf('FirstSeenRun');
  return JSON.stringify([header, ...rows.map((cells) => cells.toSpliced(column, 1))]);
}

/** What a run that died may leave behind only until the next one. */
export function leftOversOf({ directory }: { readonly directory: string }): string[] {
  return filesBelow(path.join(directory, 'data')).filter((name) => /\.(part|tmp|old)$/.test(name));
}

export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}
