import { cpSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { runCli } from '../support/cli.js';
import { filesBelow, settlementFile } from '../cli/installation.js';
import { recon } from '../cli/recon.js';
import { folderForAllTests, folderForThisTest } from '../support/test-folder.js';

/** A purge that is killed leaves nothing that refers to what is gone, and the next one completes it. */

const long = new Date('2021-01-15T06:00:00Z');
let prepared: TestDatabase;
const folder = folderForAllTests();

/** Three runs of long ago, with a file each; the last one's report is the newest. */
beforeAll(async () => {
  prepared = await createTestDatabase();
  writeFileSync(
    path.join(folder.path, 'recon.config.yaml'),
    'retention: { archiveDays: 100, reportsDays: 100, rejectedRowsDays: 100, auditDays: 100, checkoutsDays: 100, jobsDays: 100, registrationsDays: 100 }\n',
    { mode: 0o600 },
  );
  writeFileSync(
    path.join(folder.path, 'payments.csv'),
    paymentsFileOf([1, 2, 3].map((number) => paymentRow(number, { Timestamp: '2021-01-10 10:00:00+0000' }))),
  );
  const run = (...args: string[]) => inFolder(folder.path, prepared.url, ...args);
  expect((await run('payments', 'import', 'payments.csv')).code).toBe(0);
  vi.useFakeTimers({ toFake: ['Date'], now: long });
  for (const number of [1, 2, 3]) {
    const bad = { SettlementDate: '2021-01-14', Amount: 'x', SettlementAmount: '1.00' };
    const good = {
      UniqueID: `8ac7a4a1${String(number).padStart(24, '0')}`,
      SettlementTxId: `STL-${number}`,
      SettlementDate: '2021-01-14',
    };
    writeFileSync(
      path.join(folder.path, `${number}.csv`),
      settlementFile(good, { ...bad, SettlementTxId: `BAD-${number}` }),
    );
    expect((await run('run', '--file', `${number}.csv`)).code).toBe(1);
  }
  vi.useRealTimers();
  await prepared.database.sql`
    insert into checkouts (id, environment, parameters, created_at, updated_at, expires_at)
    select 'old', 'test', '{}', ${long}, ${long}, ${long}`;
  await prepared.database.sql`
    insert into jobs (id, environment, registration_id, expression, parameters, status, starts_at, created_at, updated_at)
    select 'old', 'test', 'old', '0 0 6 * * ? *', '{}', 'ended', ${long}, ${long}, ${long}`;
  await prepared.database.sql`
    insert into job_runs (job_id, fired_at, result_code) select 'old', ${long}, '000.100.110'`;
  await prepared.database.sql`
    insert into registrations (id, environment, parameters, account_field, ndc, created_at, deleted_at)
    select 'old', 'test', '{}', 'card.number', 'old', ${long}, ${long}`;
  await prepared.database.sql`
    insert into idempotency_keys (environment, entity_id, key, fingerprint, resource, resource_id, created_at)
    select 'test', '', 'old', '', 'payment', 'old', ${long}`;
  // The clock of the file system was not set back.
  for (const name of readdirSync(path.join(folder.path, 'data'), { recursive: true, encoding: 'utf8' })) {
    utimesSync(path.join(folder.path, 'data', name), long, long);
  }
  await prepared.database.close();
  return () => prepared.drop();
});

afterEach(() => {
  vi.useRealTimers();
});

const environmentOf = (directory: string, url: string) => ({
  RECON_DATABASE_URL: url,
  RECON_DATA_DIR: path.join(directory, 'data'),
});

const inFolder = (directory: string, url: string, ...args: string[]) =>
  recon(args, { cwd: directory, environment: environmentOf(directory, url) });

interface State {
  readonly files: readonly string[];
  readonly rejected: number;
  /** Rows of the gateway that are old. */
  readonly gateway: number;
  readonly problems: readonly string[];
}

describe('a purge that is killed', () => {
  test.each([
    ['purge.commit.before', 'nothing'],
    ['purge.commit.after', 'rows'],
    ['purge.bytes', 'rows'],
    ['purge.aside', 'rows'],
    ['purge.reports', 'rows'],
  ])('at %s has removed %s or more, and the next one completes it', async (point, removed) => {
    const database = await createTestDatabase(prepared.name);
    const directory = folderForThisTest();
    onTestFinished(() => database.drop());
    cpSync(folder.path, directory, { recursive: true, preserveTimestamps: true });
    const run = (...args: string[]) => inFolder(directory, database.url, ...args);
    const stateOf = async (): Promise<State> => {
      const { sql } = database.database;
      const [rows] = await sql<{ rejected: number; gateway: number }[]>`
        select (select count(*)::integer from rejected_rows) as rejected,
          ((select count(*) from checkouts) + (select count(*) from jobs) + (select count(*) from job_runs)
            + (select count(*) from registrations) + (select count(*) from idempotency_keys))::integer as gateway`;
      const { stdout } = await run('doctor', '--reports');
      return {
        files: Object.keys(filesBelow(path.join(directory, 'data'))),
        rejected: rows?.rejected ?? 0,
        gateway: rows?.gateway ?? 0,
        problems: stdout.split('\n').filter((line) => /WRONG {2}(?:archive|reports)/.test(line)),
      };
    };
    const whole = await stateOf();

    const env = { ...environmentOf(directory, database.url), RECON_FAIL_AT: point };
    expect((await runCli(['purge'], { cwd: directory, env })).signal).toBe('SIGKILL');
    const killed = await stateOf();
    expect([killed.problems, killed.rejected, killed.gateway]).toEqual(
      removed === 'nothing' ? [[], 3, 5] : [[], 0, 0],
    );
    if (removed === 'nothing') expect(killed).toEqual(whole);

    expect((await run('purge')).code).toBe(0);
    const done = await stateOf();
    expect([done.problems, done.rejected, done.gateway]).toEqual([[], 0, 0]);
    expect(done.files.filter((file) => !file.startsWith('reports/run-000003/'))).toEqual([]);
    expect(done.files).not.toEqual([]);
    const log = await run('audit', 'verify');
    expect([log.code, log.stdout]).toEqual([0, expect.stringContaining('is intact')]);
    expect((await run('purge', '--dry-run', '--json')).stdout).toMatch(
      /"kind":"archive"[^}]*"removed":\{"count":0/,
    );
  });
});
