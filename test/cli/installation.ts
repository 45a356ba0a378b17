import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { runCli, type CliResult } from '../support/cli.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { fileOfRows, paymentId, settlementRow, type Cells } from '../support/settlement-rows.js';
import { folderForThisTest } from '../support/test-folder.js';
import { recon as runInProcess, type Ended } from './recon.js';

/** An installation for one test of the command line: a database and a folder, both removed after the test. */
export interface Installation {
  readonly database: TestDatabase;
  /** The current folder of the commands. */
  readonly directory: string;
  readonly dataDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a command within the process of the test; a separate process takes more than a second. */
  recon(...args: string[]): Promise<Ended>;
  /** Runs a command in its own process, for tests of the process. */
  reconProcess(...args: string[]): Promise<CliResult>;
  /** Runs a command with --json; returns the exit code and the one document of standard output. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- names the shape of the parsed document
  json<T>(...args: string[]): Promise<Ended & { document: T }>;
  /** Writes a file that is old enough to be taken, and returns its path. */
  write(name: string, content: string | Buffer): string;
}

export async function createInstallation(): Promise<Installation> {
  const database = await createTestDatabase();
  const directory = folderForThisTest();
  onTestFinished(() => database.drop());
  const dataDirectory = path.join(directory, 'data');
  const environment = { RECON_DATABASE_URL: database.url, RECON_DATA_DIR: dataDirectory };
  const recon = (...args: string[]) => runInProcess(args, { cwd: directory, environment });
  return {
    database,
    directory,
    dataDirectory,
    environment,
    recon,
    reconProcess: (...args) => runCli(args, { env: environment, cwd: directory }),
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- names the shape of the parsed document
    json: async <T>(...args: string[]) => {
      const result = await recon(...args, '--json');
      return { ...result, document: JSON.parse(result.stdout) as T };
    },
    write: (name, content) => {
      const file = path.join(directory, name);
      mkdirSync(path.dirname(file), { recursive: true });
      // A configuration holds passwords, so `recon doctor` wants it private.
      writeFileSync(file, content, { mode: 0o600 });
      const anHourAgo = Date.now() / 1000 - 3600;
      utimesSync(file, anHourAgo, anHourAgo);
      return file;
    },
  };
}

export { paymentId, type Cells };

/**
 * A settlement file with a row for each payment number, or with cells other than the ordinary ones. A row has no card
 * digits, so that it is matched by its reference or not at all.
 */
export function settlementFile(...rows: readonly (number | Cells)[]): string {
  return fileOfRows(
    rows.map((row) =>
      settlementRow({
        AccountNumberLast4: '',
        ...(typeof row === 'number' ? { UniqueID: paymentId(row), SettlementTxId: `STL-${row}` } : row),
      }),
    ),
  );
}

/** A payments file with these payment numbers. */
export const paymentsFile = (...numbers: readonly number[]): string =>
  paymentsFileOf(numbers.map((number) => paymentRow(number, { MerchantTransactionId: `order-${number}` })));

/** Every file below a folder with the digest of its bytes; empty when the folder does not exist. */
export function filesBelow(folder: string): Record<string, string> {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort();
  } catch {
    return {};
  }
  return Object.fromEntries(
    names.map((name) => [
      path.relative(folder, name),
      createHash('sha256').update(readFileSync(name)).digest('hex'),
    ]),
  );
}

/** Every row of every table. */
export async function databaseContent({
  database: { database },
}: Installation): Promise<Record<string, string[]>> {
  const { sql } = database;
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`;
  const content: Record<string, string[]> = {};
  for (const { name } of tables) {
    const rows = await sql<{ row: string }[]>`select t::text as row from ${sql(name)} t order by 1`;
    content[name] = rows.map(({ row }) => row);
  }
  return content;
}
