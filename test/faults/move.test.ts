import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Sql } from '../../src/db/client.js';
import { openMigrationSession } from '../../src/db/connect.js';
import type { RunOutcome } from '../../src/outcome.js';
import { createInstallation, paymentsFile, settlementFile, type Installation } from '../cli/installation.js';
import { recon } from '../cli/recon.js';
import { runCli } from '../support/cli.js';
import { administer, createEmptyDatabase } from '../support/database.js';
import { untilSomebodyWaits } from '../support/until-somebody-waits.js';

/** `recon move` copies a database, verifies it, and leaves the old one marked (design 9). */

/** Every row of every table but the mark of the move, by table. */
async function contentOf(url: string): Promise<Record<string, string[]>> {
  const sql: Sql = openMigrationSession(url);
  try {
    const tables = await sql<{ name: string }[]>`
      select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_schema in ('public', 'recon_queue') and table_type = 'BASE TABLE' and table_name <> 'database_moves'
      order by 1`;
    const content: Record<string, string[]> = {};
    for (const { name } of tables) {
      const rows = await sql.unsafe<{ row: string }[]>(`select t::text as row from ${name} t order by 1`);
      content[name] = rows.map(({ row }) => row);
    }
    return content;
  } finally {
    await sql.end();
  }
}

/** The move adds an event to the log of the new database. */
const withoutLog = (content: Readonly<Record<string, string[]>>) =>
  Object.entries(content).filter(([table]) => !table.startsWith('public.audit_'));

/** Payments, a run with a large file, one with a small one, and a decision. */
async function fill(
  installation: Installation,
  run: (...args: string[]) => Promise<{ code: number; stdout: string }>,
) {
  installation.write('recon.config.yaml', 'largeFileBytes: 3000\n');
  const payments = installation.write('payments.csv', paymentsFile(1, 2, 3, 4, 5));
  expect((await run('payments', 'import', payments)).code).toBe(0);
  for (const [name, text] of [
    ['large.csv', settlementFile(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)],
    ['small.csv', settlementFile(11)],
  ] as const) {
    expect((await run('run', '--file', installation.write(name, text))).code).toBe(0);
  }
  expect((await run('decide', 'small.csv:2', '--accept', '--reason', 'agreed', '--by', 'anna')).code).toBe(0);
}

test('embedded to a server and back: every row, the next run continues, and the old database is refused', async () => {
  const installation = await createInstallation();
  const { directory, dataDirectory } = installation;
  const write = (name: string, text: string) => installation.write(name, text);
  const base = { RECON_DATA_DIR: dataDirectory };
  const inEmbedded = (...args: string[]) => recon(args, { cwd: directory, environment: base });
  const url = await createEmptyDatabase();
  const onServer = (...args: string[]) =>
    recon(args, { cwd: directory, environment: { ...base, RECON_DATABASE_URL: url } });
  await fill(installation, inEmbedded);

  const moved = await inEmbedded('move', '--to-file', write('url', `${url}\n`), '--json');
  expect(moved.stdout + moved.stderr).not.toContain('error');
  expect(moved.stderr).toBe('');
  expect(moved.code).toBe(0);
  const { tables } = JSON.parse(moved.stdout) as { tables: { table: string; rows: number; state: string }[] };
  const rowsOf = (table: string) => tables.find((each) => each.table === `public.${table}`)?.rows;
  expect([rowsOf('payments'), rowsOf('runs'), rowsOf('settlement_files'), rowsOf('decisions')]).toEqual([
    5, 2, 2, 1,
  ]);
  expect((await onServer('doctor')).stdout).toContain('schema: complete');

  const refused = await inEmbedded('run', '--file', write('c.csv', settlementFile(12)), '--json');
  expect(refused.code).toBe(5);
  expect(refused.stdout + refused.stderr).toMatch(
    /DATABASE_MOVED.*This database was moved to \S+ on \d{4}-/s,
  );

  // The server has it all: the same files are duplicates, the decision holds, numbers continue.
  const again = await onServer(
    'run',
    '--file',
    write('large.csv', settlementFile(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
    '--file',
    write('d.csv', settlementFile(12)),
    '--json',
  );
  const outcome = JSON.parse(again.stdout) as RunOutcome;
  expect([again.code, outcome.runId, outcome.files.map(({ status }) => status)]).toEqual([
    0,
    3,
    ['duplicate', 'loaded'],
  ]);
  expect(outcome.items.accepted).toBe(1);

  // What gets a number from the database gets the next one.
  expect((await onServer('payments', 'import', write('p6.csv', paymentsFile(6)))).code).toBe(0);
  const second = await onServer('decide', 'd.csv:2', '--accept', '--reason', 'agreed', '--by', 'anna');
  expect([second.code, second.stderr]).toEqual([0, '']);

  const back = await onServer('move', '--to', 'embedded');
  expect(back.code).toBe(0);
  expect((await onServer('runs')).code).toBe(5);
  const runs = await inEmbedded('runs', '--json');
  expect(JSON.parse(runs.stdout)).toMatchObject([{ runId: 3 }, { runId: 2 }, { runId: 1 }]);
  expect((await inEmbedded('run', '--file', write('e.csv', settlementFile(13)), '--json')).stdout).toContain(
    '"runId":4',
  );
  expect((await inEmbedded('audit', 'verify')).code).toBe(0);
  const log = await inEmbedded('audit', 'list', '--action', 'database.moved', '--json');
  expect(log.stdout.match(/"action":"database.moved"/g)?.length).toBe(2);
});

test('killed in the middle, a move is continued by the same command; half a copy is never in use', async () => {
  const installation = await createInstallation();
  const { environment, directory, database, dataDirectory } = installation;
  await fill(installation, (...args) => installation.recon(...args));
  const url = await createEmptyDatabase();
  const move = (failAt?: string) =>
    runCli(['move', '--to', url, '--json'], {
      env: { ...environment, ...(failAt === undefined ? {} : { RECON_FAIL_AT: failAt }) },
      cwd: directory,
    });
  const onTarget = () =>
    recon(['runs'], {
      cwd: directory,
      environment: { RECON_DATABASE_URL: url, RECON_DATA_DIR: dataDirectory },
    });

  expect((await move('move.table:4')).signal).toBe('SIGKILL');
  expect(await onTarget()).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('is not complete') as string,
  });
  // The old one is still in use, and is killed again after it has changed: payments were copied, and differ now.
  expect((await move('move.table:8')).signal).toBe('SIGKILL');
  const payments = installation.write(
    'more.csv',
    paymentsFile(1, 2, 3, 4, 5, 6).replace(/order-1;/, 'order-0;'),
  );
  const changed = await installation.recon('payments', 'import', payments, '--allow-changes');
  expect([changed.code, changed.stderr]).toEqual([0, '']);
  const before = await contentOf(database.url);

  expect((await move('move.marked')).signal).toBe('SIGKILL');
  expect((await onTarget()).code).toBe(5);
  expect((await installation.recon('runs')).code).toBe(5);

  const finished = await move();
  expect(finished.code).toBe(0);
  const states = (JSON.parse(finished.stdout) as { tables: { state: string }[] }).tables.map(
    ({ state }) => state,
  );
  expect(new Set(states)).toEqual(new Set(['there']));
  expect((await onTarget()).code).toBe(0);
  const copied = await contentOf(url);
  expect(copied['public.audit_events']?.at(-1)).toContain('database.moved');
  expect(withoutLog(copied)).toEqual(withoutLog(before));
  expect(await contentOf(database.url)).toEqual(before);

  // Neither the outdated database nor a full one is moved or overwritten.
  expect(await installation.recon('move', '--to', await createEmptyDatabase())).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/its rows are outdated.*MOVE_REFUSED/s) as string,
  });
  const other = await createInstallation();
  await fill(other, (...args) => other.recon(...args));
  expect(await other.recon('move', '--to', url)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('already has data of recon') as string,
  });
  expect(await other.recon('move', '--to', other.database.url)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The other database is the one that is in use.') as string,
  });
  // Payments alone are data, too.
  const paid = await createInstallation();
  expect((await paid.recon('payments', 'import', paid.write('p.csv', paymentsFile(1)))).code).toBe(0);
  expect((await other.recon('move', '--to', paid.database.url)).code).toBe(2);
  // The outdated database is not moved to a new one of the same name, either.
  const name = path.basename(new URL(url).pathname);
  await administer(`drop database ${name} with (force)`);
  await administer(`create database ${name} template template0`);
  expect((await move()).stdout).toContain('its rows are outdated');
});

test('killed once the new database is in use, a move is complete: the same command says so and copies nothing', async () => {
  const installation = await createInstallation();
  await fill(installation, (...args) => installation.recon(...args));
  const url = await createEmptyDatabase();
  const killed = await runCli(['move', '--to', url], {
    env: { ...installation.environment, RECON_FAIL_AT: 'move.complete' },
    cwd: installation.directory,
  });
  expect(killed.signal).toBe('SIGKILL');

  // Somebody already works with the new database.
  const environment = { RECON_DATABASE_URL: url, RECON_DATA_DIR: installation.dataDirectory };
  const payments = installation.write('more.csv', paymentsFile(6));
  expect((await recon(['payments', 'import', payments], { environment })).code).toBe(0);
  const before = await contentOf(url);

  const again = await installation.recon('move', '--to', url);
  expect([again.code, again.stderr]).toEqual([0, '']);
  expect(again.stdout).toContain('Nothing to do: ');
  expect(again.stdout).toContain('Now set databaseUrl');
  const document = await installation.recon('move', '--to', url, '--json');
  expect(JSON.parse(document.stdout)).toEqual({ moved: true, tables: [] });
  expect(await contentOf(url)).toEqual(before);
  expect((await installation.recon('runs')).code).toBe(5);
});

/** An installation with data, and a session of the migrated database that it will be moved to. */
async function beforeMove() {
  const installation = await createInstallation();
  await fill(installation, (...args) => installation.recon(...args));
  const url = await createEmptyDatabase();
  const environment = { RECON_DATABASE_URL: url, RECON_DATA_DIR: installation.dataDirectory };
  expect((await recon(['migrate'], { environment })).code).toBe(0);
  return { installation, url, environment, target: openMigrationSession(url) };
}

test('without statistics of the new database, a move is complete all the same', async () => {
  const { installation, url, environment, target } = await beforeMove();
  // As on a full disk, only this statement fails.
  await target.unsafe(`
    create function fail_to_analyze(id text) returns text immutable language plpgsql as $$
    begin
      if current_query() ilike 'analyze%' then raise exception 'no statistics today'; end if;
      return id;
    end $$;
    create index on payments (fail_to_analyze(id))`);
  await target.end();
  const moved = await installation.recon('move', '--to', url);
  expect([moved.code, moved.stderr]).toEqual([0, expect.stringContaining('no statistics today')]);
  expect(moved.stderr).toContain('The move is complete, but');
  expect(moved.stdout).toContain('Every table was verified.');
  expect((await recon(['runs'], { environment })).code).toBe(0);
});

test('a row that the new database stores differently is noticed, and the old one stays in use', async () => {
  const { installation, url, environment, target } = await beforeMove();
  // It rounds the moments that it gets.
  await target`alter table decisions alter column decided_at type timestamptz(0)`;
  await target.end();
  const moved = await installation.recon('move', '--to', url);
  expect([moved.code, moved.stderr]).toEqual([
    5,
    expect.stringMatching(/decisions differ.*MOVE_NOT_VERIFIED/s),
  ]);
  expect((await installation.recon('runs')).code).toBe(0);
  expect((await recon(['runs'], { environment })).code).toBe(5);
});

test('a failure names the database in which it happened', async () => {
  const { installation, url, target } = await beforeMove();
  const move = () => installation.recon('move', '--to', url);
  const nameIn = (address: string) => path.basename(new URL(address).pathname);
  await target`alter table payments add constraint refused check (amount_minor < 0)`;
  const refused = await move();
  expect([refused.code, refused.stderr]).toEqual([
    5,
    expect.stringMatching(new RegExp(`23514.*This happened in the new database, .*/${nameIn(url)}[.]\n`)),
  ]);
  await target`alter table payments drop constraint refused`;

  // The connection to the old database is lost while the new one waits for a lock.
  const old = installation.database;
  const { moving } = await target.begin(async (tx) => {
    await tx`lock table payments`;
    const moving = move();
    await untilSomebodyWaits(url);
    await old.database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'`;
    // Not awaited here: it waits for the end of this transaction.
    return { moving };
  });
  await target.end();
  const { code, stderr } = await moving;
  expect([code, stderr]).toEqual([
    5,
    expect.stringMatching(new RegExp(`This happened in the old database, .*/${nameIn(old.url)}[.]\n`)),
  ]);
});

test('tables that somebody else made in the old database stay there, and can be written afterwards', async () => {
  const installation = await createInstallation();
  await fill(installation, (...args) => installation.recon(...args));
  const other = openMigrationSession(installation.database.url);
  onTestFinished(() => other.end());
  await other.unsafe(`
    create table "Notes of finance" (id serial primary key, payment text references payments (id), answer integer);
    create table answers (id integer primary key, note integer references "Notes of finance");
    alter table "Notes of finance" add foreign key (answer) references answers;
    create table settlement_records_of_2025 (line integer);
    create sequence receipts;
    insert into "Notes of finance" (payment) select id from payments`);
  const url = await createEmptyDatabase();
  expect(await installation.recon('move', '--to', url)).toMatchObject({ code: 0, stderr: '' });
  const copied = await contentOf(url);
  expect(copied['public.payments']).toHaveLength(5);
  expect(Object.keys(copied).filter((table) => /note|answer|of_2025/i.test(table))).toEqual([]);

  const [note] = await other`insert into "Notes of finance" (answer) values (null) returning id`;
  expect(note).toEqual({ id: 6 });
  await other`set application_name = 'finance'`;
  await expect(other`update settlement_records set line = 0`).rejects.toThrow('it was moved to');

  // What comes back replaces rows to which such tables refer, so this is refused before anything is replaced.
  const environment = { RECON_DATABASE_URL: url, RECON_DATA_DIR: installation.dataDirectory };
  const back = () => recon(['move', '--to', installation.database.url], { environment });
  const refused = await back();
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/other tables refer to those of recon: "Notes of finance"\..*MOVE_REFUSED/s),
  ]);
  expect((await recon(['runs'], { environment })).code).toBe(0);
  await other`drop table answers, "Notes of finance" cascade`;
  expect(await back()).toMatchObject({ code: 0, stderr: '' });
});
