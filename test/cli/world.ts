import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { runCli, type CliResult } from '../support/cli.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { recon as runInProcess, type Ended } from './recon.js';

/** A database and a folder for one test of the command line; both are removed after the test. */
export interface World {
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
  write(name: string, text: string): string;
}

export async function createWorld(): Promise<World> {
  const database = await createTestDatabase();
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-cli-'));
  onTestFinished(async () => {
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  });
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
    write: (name, text) => {
      const file = path.join(directory, name);
      mkdirSync(path.dirname(file), { recursive: true });
      // A configuration holds passwords, so `recon doctor` wants it private.
      writeFileSync(file, text, { mode: 0o600 });
      const anHourAgo = Date.now() / 1000 - 3600;
      utimesSync(file, anHourAgo, anHourAgo);
      return file;
    },
  };
}

export type Cells = Readonly<Record<string, string>>;

const settlementHeader =
  'ReconciliationType;PaymentType;Cashflow;ClearingInstituteMerchantId;MerchantAccountId;MerchantAccountName;PspId;DivisionId;MerchantId;SettlementTxId;UniqueID;ShortId;ConnectorTxId1;ConnectorTxId2;ConnectorTxId3;Amount;Currency;Brand;TxRequestTime;SettlementAmount;SettlementCurrency;SettlementFee;SettlementFxRate;SettlementDate;SettlementStatus;Descriptor;AccountNumberLast4;BankCode;AccountHolder;ReasonCode;ReasonDesc;SettlementFileFormat;ClearingInsitituteName;MatchingStatus;MatchedTransactions;ChargebackId';
const settled: Cells = {
  ReconciliationType: 'SETTLED',
  PaymentType: 'DEBIT',
  Cashflow: 'POS',
  ClearingInstituteMerchantId: 'CI-4711',
  MerchantAccountId: '8a8294174b7ecb28014b9699220015ca',
  MerchantAccountName: 'Example Shop',
  PspId: '8a8294184e542a5c014e691d33f808c8',
  MerchantId: '8a8294184e542a5c014e691d340708cc',
  Amount: '100.00',
  Currency: 'EUR',
  Brand: 'VISA',
  TxRequestTime: '2026-11-18 10:00:05',
  SettlementAmount: '100.00',
  SettlementCurrency: 'EUR',
  SettlementFxRate: '1.00',
  SettlementDate: '2026-11-19',
  SettlementStatus: 'SUCCESS',
  SettlementFileFormat: 'STANDARD',
  ClearingInsitituteName: 'Example Acquirer',
};

/** A payment and its settlement have the same number. */
export const paymentId = (number: number) => `8ac7a4a1${number.toString().padStart(24, '0')}`;

/** A settlement file with a row for each payment number, or with other cells than the usual ones. */
export function settlementFile(...rows: readonly (number | Cells)[]): string {
  const names = settlementHeader.split(';');
  const lines = rows.map((row) => {
    const cells: Cells =
      typeof row === 'number'
        ? { ...settled, UniqueID: paymentId(row), SettlementTxId: `STL-${row}` }
        : { ...settled, ...row };
    return names.map((name) => cells[name] ?? '').join(';');
  });
  return [settlementHeader, ...lines, ''].join('\n');
}

const paymentsHeader =
  'PaymentId;ShortId;PaymentType;PaymentBrand;Amount;Currency;ResultCode;MerchantTransactionId;MerchantInvoiceId;EntityId;ConnectorTxId1;ConnectorTxId2;ConnectorTxId3;AccountNumberLast4;Timestamp;ReferencedPaymentId';

export function paymentsFile(...numbers: readonly number[]): string {
  const lines = numbers.map(
    (number) =>
      `${paymentId(number)};;DB;VISA;100.00;EUR;000.000.000;order-${number};;8a8294174b7ecb28014b9699220015ca;;;;1111;2026-11-18 10:00:00+0000;`,
  );
  return [paymentsHeader, ...lines, ''].join('\n');
}

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
export async function databaseContent({ database: { database } }: World): Promise<Record<string, string[]>> {
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
