import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/connect.js';
import { fencedTransactions } from '../../src/db/fence.js';
import { runId } from '../../src/values/ids.js';
import { paymentsFile } from '../../scripts/fixtures/story.js';
import { runCli } from '../support/cli.js';
import { createTestDatabase } from '../support/database.js';
import { databaseUrl } from '../support/database-url.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { inSession, startThreeServers, type ThreeServers } from './three-servers.js';
import {
  installationOf,
  refuseAtCommit,
  refuseNoMore,
  wholeStory,
  type StoryInstallation,
} from './run-stories.js';

/** A database whose payments, records and results are on two other servers. */
let three: ThreeServers;
let directory: string;
let folders = 0;

beforeAll(async () => {
  three = await startThreeServers();
  directory = mkdtempSync(path.join(tmpdir(), 'recon-shards-'));
});

afterAll(async () => {
  await three.stop();
  rmSync(directory, { recursive: true, force: true });
});

const folder = () => path.join(directory, `data-${(folders += 1)}`);

/** What one server says and reports about a story. */
async function onOneServer<T>(
  story: string,
  work: (installation: StoryInstallation, url: string) => Promise<T>,
) {
  const single = await createTestDatabase();
  try {
    return await work(installationOf(story, single.url, folder()), single.url);
  } finally {
    await single.drop();
  }
}

// The campaign has all stories.
test.each(['demo', 'chargebacks'])(
  '%s: the reports are the same on one server and on three',
  async (story) => {
    const { home } = await three.createDivided();
    const several = await wholeStory(installationOf(story, home, folder()));
    expect(several).toEqual(await onOneServer(story, wholeStory));
  },
);

test('records, results and payments are joined, and sums and counts made, on the shards', async () => {
  const { home, a } = await three.createDivided();
  const installation = installationOf('demo', home, folder());
  await installation.importPayments();
  // The shard notes the plan of everything that it does for the home server.
  await inSession(
    a,
    `create table plans (number serial, plan text);
    create or replace function answer_question() returns setof text language plpgsql
    set search_path = pg_temp, of_shard, public as $$
    declare
      line text;
      plan text := '';
      step text := regexp_replace(regexp_replace(current_setting('recon.step'), '^.* on commit drop as', ''), ';.*$', '');
    begin
      if step ~ '^ *select set_config' then execute step;
      elsif step <> '' then
        for line in execute 'explain (verbose, costs off) ' || step loop plan := plan || line || E'\n'; end loop;
        execute current_setting('recon.step');
      end if;
      for line in execute 'explain (verbose, costs off) ' || current_setting('recon.answer') loop
        plan := plan || line || E'\n';
      end loop;
      insert into plans (plan) values (plan);
      return query execute current_setting('recon.answer');
    end $$`,
  );
  expect((await installation.run()).code).toBe(1);
  const noted = await inSession(a, 'select plan from plans order by number');
  const plans = noted.map(({ plan }) => String(plan));
  const planOf = (...parts: readonly RegExp[]) =>
    plans.filter((plan) => parts.every((part) => part.test(plan))).length;
  const [records, results, payments] = [
    /Scan.* on public.settlement_records_1/,
    /Scan.* on public.record_matches/,
    /Scan.* on public.payments/,
  ];
  const join = /Join|Nested Loop/;
  // Matching, storing what was found, the sums of settlements by payment, the payments without a settlement and what is
  // said about them, the sums of chargebacks and their bookings, and the totals and counts of the report.
  expect(planOf(join, records, results, payments, /needs_review|UNIQUE_ID/)).toBe(1);
  expect(planOf(/Insert on public.record_matches/)).toBe(1);
  expect(planOf(join, records, results, /review_payments/)).toBe(1);
  expect(planOf(join, /due_payments/, records, results)).toBeGreaterThan(0);
  expect(planOf(join, payments, /unsettled_payments/, /no settlement of it has arrived/)).toBe(1);
  expect(planOf(/Aggregate/, records, payments, /new_links/, /sum\(/)).toBe(1);
  expect(planOf(/Aggregate/, records, /sum\(.*settlement_amount_minor/)).toBeGreaterThan(0);
  expect(planOf(/Aggregate/, results, /count\(\*\)/)).toBeGreaterThan(1);
  // The home server only fetches the answers, from all shards at the same time.
  const fetched = await inSession(home, 'explain (verbose, costs off) select answer from shard_answers');
  const plan = fetched.map((row) => String(row['QUERY PLAN'])).join('\n');
  expect(plan.match(/Async Foreign Scan on public.shard_answer_\d/g)).toHaveLength(2);
  expect(plan).not.toMatch(join);
});

describe('a transaction that one shard commits and the other does not', () => {
  /** Where the statement fails in turn, and then nowhere. Returns what the last run said, and the reports. */
  async function interrupted(
    installation: StoryInstallation,
    table: string,
    places: readonly string[],
    look: (failed: string) => Promise<void> = () => Promise.resolve(),
  ) {
    const step = table === 'payments' ? installation.importPayments : installation.run;
    if (table !== 'payments') await installation.importPayments();
    for (const place of places) {
      await inSession(place, refuseAtCommit(table));
      expect((await step()).code).toBe(5);
      await look(place);
      await inSession(place, refuseNoMore);
    }
    if (table === 'payments') await installation.importPayments();
    const { code, document } = await installation.run();
    return { code, document, reports: installation.reports() };
  }

  test.each(['payments', 'settlement_records_1', 'record_matches'])(
    'is undone before the next one: %s',
    async (table) => {
      const expected = await onOneServer('demo', (installation, url) =>
        interrupted(installation, table, [url, url]),
      );
      const { home, a, b } = await three.createDivided();
      const left: number[] = [];
      const several = await interrupted(
        installationOf('demo', home, folder()),
        table,
        [a, b],
        async (failed) => {
          const other = failed === a ? b : a;
          const [row] = await inSession(other, `select count(*)::integer as rows from ${table}`);
          left.push(Number(row?.['rows']));
        },
      );
      expect(several).toEqual(expected);
      // One of the two commits first, so one of the attempts left rows there; otherwise the test would show nothing.
      expect(Math.max(...left)).toBeGreaterThan(0);
    },
  );
});

test('a shard that is down ends the run with exit code 5, and the next run completes it', async () => {
  const databases = await three.create();
  let isDown = false;
  const port = three.servers[2]?.port ?? 0;
  const proxy = await startTcpProxy(port, () => (isDown ? { kind: 'rst', afterBytes: 0 } : undefined));
  const installation = installationOf('demo', databases.home, folder());
  const addressOfB = databases.b.replace(`:${port}/`, `:${proxy.port}/`);
  expect((await installation.command('shards', 'add', '--name', 'a', '--url', databases.a)).code).toBe(0);
  expect((await installation.command('shards', 'add', '--name', 'b', '--url', addressOfB)).code).toBe(0);
  await installation.importPayments();
  isDown = true;
  const failed = await installation.run();
  expect(failed.code).toBe(5);
  expect(failed.document.error).toMatchObject({ code: 'SHARD_UNREACHABLE' });
  expect(failed.document.error?.message).toContain('Shard b does not answer');
  const checked = await installation.command('shards', 'check');
  expect(checked.code).toBe(5);
  expect(checked.document).toMatchObject([
    { name: 'a', error: null, rows: { settlement_records: 0 } },
    { name: 'b', error: { code: 'SHARD_UNREACHABLE' } },
  ]);
  isDown = false;
  const { code, document } = await installation.run();
  const expected = await onOneServer('demo', async (single) => {
    await single.importPayments();
    return single.run();
  });
  expect({ code, document }).toEqual({ code: expected.code, document: expected.document });
  expect((await installation.command('shards', 'check')).code).toBe(0);
  await proxy.close();
});

test('a shard that is read-only or full is named, as far as the home server says which one it is', async () => {
  const { home, b } = await three.createDivided();
  const installation = installationOf('demo', home, folder());
  await installation.importPayments();
  const nameOfB = path.basename(new URL(b).pathname);
  const refusal = async () => {
    const { code, document } = await installation.run();
    return [code, document.error?.code, document.error?.message];
  };
  await inSession(b, `alter database ${nameOfB} set default_transaction_read_only = on`);
  expect(await refusal()).toEqual([
    5,
    'DATABASE_FAILED',
    'On shard b: The database is read-only (a standby server?). (25006, cannot execute INSERT in a read-only transaction)',
  ]);
  await inSession(b, `set transaction_read_only = off; alter database ${nameOfB} reset all`);

  await inSession(
    b,
    `create function fill_disk() returns trigger language plpgsql as
      $$ begin raise sqlstate '53100' using message = 'could not extend file'; end $$;
    create trigger fill_disk before insert on record_matches for each statement execute function fill_disk()`,
  );
  expect(await refusal()).toEqual([
    5,
    'DATABASE_FULL',
    'On a shard: The database server has no disk space left; nothing of this step was stored. (53100, could not extend file)',
  ]);
  await inSession(b, 'drop function fill_disk() cascade');
  expect((await installation.run()).document.error).toBeNull();
});

test('a shard refuses a run that a newer one replaced, and writes past the home server', async () => {
  const { home, a } = await three.createDivided();
  const database = await openDatabase({ url: home }, { logger: pino({ enabled: false }) });
  // Only the shard knows of the newer run.
  await inSession(a, 'update run_fence set token = 9');
  const fenced = fencedTransactions(database, { runId: runId(1), token: 8n });
  await expect(fenced.transact((tx) => tx`select 1`)).rejects.toMatchObject({ code: 'RUN_REPLACED' });
  await fenced.end();
  const insertion = `insert into record_matches (file_id, line, status, run_id) values (1, 2, 'NOT_MATCHED', 1)`;
  await expect(inSession(a, insertion)).rejects.toMatchObject({ code: 'RF002' });
  await expect(inSession(home, `begin; set local recon.fence = '0'; ${insertion}`)).rejects.toMatchObject({
    code: 'RF004',
  });
  await database.close();
});

test('shards check and doctor refuse a shard that was restored alone, as the next run does', async () => {
  const databases = await three.createDivided();
  const installation = installationOf('demo', databases.home, folder());
  await installation.importPayments();
  expect((await installation.run()).code).toBe(1);
  const tokenOfB = await inSession(databases.b, 'select token::text from run_fence');
  await inSession(databases.b, 'update run_fence set token = 0');
  const behind =
    'Shard b cannot be used: it does not know the last run, as after a restore of the shard alone.';
  const messageOfRun = (await installation.run()).document.error?.message;
  expect(messageOfRun).toContain(behind);
  const checked = await installation.command('shards', 'check');
  expect([checked.code, checked.document]).toMatchObject([
    5,
    [
      { name: 'a', error: null },
      { name: 'b', error: { code: 'SHARD_INVALID', message: messageOfRun } },
    ],
  ]);
  const doctor = await installation.command('doctor');
  expect([doctor.code, failures(doctor.document)]).toEqual([5, ['shard b: SHARD_INVALID']]);
  await inSession(databases.b, `update run_fence set token = ${String(tokenOfB[0]?.['token'])}`);
  expect((await installation.command('shards', 'check')).code).toBe(0);
});

/** What a run and a check of the shards say. */
const complaintsOf = async (installation: StoryInstallation) => [
  (await installation.run()).document.error?.message,
  JSON.stringify((await installation.command('shards', 'check')).document),
];

test('a home database that was restored alone to the moment before the last run or import is refused', async () => {
  const databases = await three.createDivided();
  const installation = installationOf('demo', databases.home, folder());
  const ahead =
    'it has seen a later run than the home database knows, as after a restore of the home database alone';
  const refusals = () => complaintsOf(installation);
  const beforeImport = await copyOf(databases.home);
  await installation.importPayments();
  const beforeRun = await copyOf(databases.home);
  // After the next transaction, the shards know that the import was committed.
  await installation.importPayments();
  await restore(beforeImport, databases.home);
  for (const message of await refusals()) expect(message).toContain(ahead);
  await restore(beforeRun, databases.home);
  expect((await installation.command('shards', 'check')).code).toBe(0);
  expect((await installation.run()).code).toBe(1);
  const beforeDecision = await copyOf(databases.home);
  await restore(beforeRun, databases.home);
  for (const message of await refusals()) expect(message).toContain(ahead);
  await restore(beforeDecision, databases.home);
  // A run that stores no payment and no file, and changes a result.
  const unlink = ['decide', 'settlement-2026-11-17.csv:2', '--unlink', '--reason', 'a test', '--by', 'anna'];
  expect((await installation.command(...unlink)).code).toBe(0);
  expect((await installation.run()).code).toBe(0);
  expect((await installation.command('shards', 'check')).code).toBe(0);
  await restore(beforeDecision, databases.home);
  for (const message of await refusals()) expect(message).toContain(ahead);
});

test('what only the last transaction of a restored home database lacks is undone, as after a crash, and stays undone', async () => {
  const databases = await three.createDivided();
  const installation = installationOf('demo', databases.home, folder());
  const beforeImport = await copyOf(databases.home);
  await installation.importPayments();
  const afterImport = await copyOf(databases.home);
  await restore(beforeImport, databases.home);
  const rows = async () => (await inSession(databases.home, 'select from payments')).length;
  expect((await installation.command('shards', 'check')).code).toBe(0);
  expect(await rows()).toBeGreaterThan(0);
  const noPayments = path.join(directory, 'no-payments.csv');
  writeFileSync(noPayments, paymentsFile([]));
  expect((await installation.command('payments', 'import', noPayments)).code).toBe(0);
  expect(await rows()).toBe(0);
  await restore(afterImport, databases.home);
  for (const message of await complaintsOf(installation))
    expect(message).toContain('has undone the last transaction that this home database has');
});

/** A copy of a database on its own server, as a restored backup has it. */
async function copyOf(url: string): Promise<string> {
  const [name, copy] = [new URL(url).pathname.slice(1), `copy_${(folders += 1)}`];
  await inSession(databaseUrl(url, 'postgres'), `create database ${copy} template ${name}`);
  return copy;
}

async function restore(copy: string, url: string): Promise<void> {
  const [name, server] = [new URL(url).pathname.slice(1), databaseUrl(url, 'postgres')];
  await inSession(server, `drop database ${name} with (force)`);
  await inSession(server, `create database ${name} template ${copy}`);
}

test('a home server with another identity is refused with the reason', async () => {
  const databases = await three.createDivided();
  const installation = installationOf('demo', databases.home, folder());
  await inSession(databases.a, 'update shard_membership set home_system = 1');
  const why = /refuses this home server.*after pg_upgrade, and after its dump was restored on another server/;
  const { code, document } = await installation.run();
  expect([code, document.error]).toMatchObject([5, { code: 'SHARD_INVALID' }]);
  expect(document.error?.message).toMatch(why);
  const checked = await installation.command('shards', 'check');
  expect([checked.code, checked.document]).toMatchObject([
    5,
    [{ error: { code: 'SHARD_INVALID', message: expect.stringMatching(why) as string } }, { error: null }],
  ]);
});

test('doctor and migrate name the shard that does not answer, or refuses the password', async () => {
  const databases = await three.create();
  const port = three.servers[2]?.port ?? 0;
  let isDown = false;
  const proxy = await startTcpProxy(port, () => (isDown ? { kind: 'rst', afterBytes: 0 } : undefined));
  const installation = installationOf('demo', databases.home, folder());
  const addressOfB = databases.b.replace(`:${port}/`, `:${proxy.port}/`);
  expect((await installation.command('shards', 'add', '--name', 'a', '--url', databases.a)).code).toBe(0);
  isDown = true;
  const refused = await installation.command('shards', 'add', '--name', 'b', '--url', addressOfB);
  expect([refused.code, refused.document.error]).toMatchObject([5, { code: 'SHARD_UNREACHABLE' }]);
  expect(refused.document.error?.message).toMatch(/^Shard b cannot be reached from this machine\. /);
  isDown = false;
  expect((await installation.command('shards', 'add', '--name', 'b', '--url', addressOfB)).code).toBe(0);
  isDown = true;
  const doctor = await installation.command('doctor');
  expect([doctor.code, failures(doctor.document)]).toEqual([5, ['shard b: SHARD_UNREACHABLE']]);
  const migrated = await installation.command('migrate');
  expect([migrated.code, migrated.document.error]).toMatchObject([5, { code: 'SHARD_UNREACHABLE' }]);
  expect(migrated.document.error?.message).toMatch(/^Shard b cannot be reached from this machine\. /);
  const wrong = addressOfB.replace('recon@', 'app:wrong@').replace(`:${proxy.port}/`, `:${port}/`);
  const unknown = await installation.command('shards', 'add', '--name', 'c', '--url', wrong);
  expect([unknown.code, unknown.document.error]).toMatchObject([5, { code: 'SHARD_INVALID' }]);
  expect(unknown.document.error?.message).toMatch(/^Shard c: The database refused the user or the password/);
  await proxy.close();
});

/** The failed checks of a doctor's document. */
function failures(document: unknown): string[] {
  const { checks } = document as { checks: { subject: string; code: string | null }[] };
  return checks.flatMap(({ subject, code }) => (code === null ? [] : [`${subject}: ${code}`]));
}

test('what does not work with shards is refused', async () => {
  const databases = await three.createDivided();
  const installation = installationOf('demo', databases.home, folder());
  const refusals = [
    ['retire', '--before', '2020-01-01'],
    ['worker'],
    ['jobs', 'run'],
    ['move', '--to', databases.a],
  ];
  for (const command of refusals)
    expect([command[0], (await installation.command(...command)).document]).toMatchObject([
      command[0],
      { error: { code: 'SHARDS_UNSUPPORTED' } },
    ]);
  const onShard = await installationOf('demo', databases.a, folder()).command('runs');
  expect(onShard.document.error).toMatchObject({ code: 'SHARD_INVALID' });
  expect((await installation.command('migrate')).code).toBe(0);
  const doctor = await installation.command('doctor');
  expect(doctor.code, JSON.stringify(doctor.document)).toBe(0);
});

test('a shard is added only if it can be one', async () => {
  const { home, a, b } = await three.create();
  const installation = installationOf('demo', home, folder());
  const add = async (name: string, url: string) => {
    const { document } = await installation.command('shards', 'add', '--name', name, '--url', url);
    return document.error?.message ?? '';
  };
  expect(await add('Shard-1', a)).toContain('lower-case letters');
  expect(await add('a', `${a}?application_name=x`)).toContain('parameter application_name');
  expect(await add('a', home)).toContain('leads to the home database');
  expect(await add('a', a)).toBe('');
  expect(await add('a', b)).toContain('there is a shard of this name');
  expect(await add('b', a)).toContain('already a shard');
  // Another database behind the name of a shard.
  await add('b', b);

  await inSession(home, `alter server recon_shard_b options (set port '${new URL(a).port}')`);
  const wrong = await installation.run();
  expect(wrong.document.error).toMatchObject({ code: 'SHARD_INVALID' });
  expect(wrong.document.error?.message).toContain('was added under the name a');
  await inSession(home, `alter server recon_shard_b options (set port '${new URL(b).port}')`);

  const others = await three.create();
  await inSession(
    others.a,
    `insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at)
     values ('x', 'DB', 1, 'EUR', '000.000.000', now())`,
  );
  expect(await add('c', others.a)).toContain('its database is not empty (payments)');
  const ofOthers = installationOf('demo', others.home, folder());
  expect((await ofOthers.command('shards', 'add', '--name', 'b', '--url', others.b)).code).toBe(0);
  expect(await add('c', others.home)).toContain('its database has shards itself');

  await installation.importPayments();
  expect(await add('c', a)).toContain('is not divided again');
});

test('an addition that was killed before the home database knew of the shard is done by the next one', async () => {
  const [{ home, a, b }, other] = [await three.create(), await three.create()];
  const data = folder();
  const { command, importPayments, run } = installationOf('demo', home, data);
  const killed = async (name: string, url: string) => {
    const { signal } = await runCli(['shards', 'add', '--name', name, '--url', url, '--json'], {
      env: { RECON_DATABASE_URL: home, RECON_DATA_DIR: data, RECON_FAIL_AT: 'shard.prepared' },
    });
    expect(signal).toBe('SIGKILL');
  };
  await killed('a', a);
  expect((await command('shards', 'list')).document).toEqual([]);
  // Another home database on the same server did not prepare it.
  const foreign = installationOf('demo', other.home, folder());
  const taken = await foreign.command('shards', 'add', '--name', 'a', '--url', a);
  expect(taken.document.error?.message).toContain('already a shard');
  // Under another name, and in another place than that which it was prepared for.
  expect((await command('shards', 'add', '--name', 'first', '--url', b)).code).toBe(0);
  expect((await command('shards', 'add', '--name', 'second', '--url', a)).document).toMatchObject({
    added: 'second',
    shards: 2,
  });
  expect((await importPayments()).code).toBe(0);
  expect((await run()).code).toBe(1);
  const stray = `select count(*)::integer as rows from record_matches where shard <> 2`;
  expect(await inSession(a, stray)).toEqual([{ rows: 0 }]);
  expect((await command('shards', 'check')).code).toBe(0);
});

test('an ordinary user can add shards once the extension exists, with any characters in the password', async () => {
  const [home, shard] = three.servers.map(({ port }) => ({
    root: `postgres://recon@127.0.0.1:${port}/app`,
    app: `postgres://app:s%40c'r%25t@127.0.0.1:${port}/app`,
  }));
  if (home === undefined || shard === undefined) throw new Error('there are three servers');
  for (const { root } of [home, shard]) {
    const server = root.replace(/app$/, 'postgres');
    await inSession(server, `create role app login password 's@c''r%t'`);
    await inSession(server, 'create database app owner app');
  }
  const installation = installationOf('chargebacks', home.app, folder());
  await installation.command('migrate');
  const add = () => installation.command('shards', 'add', '--name', 'a', '--url', shard.app);
  expect((await add()).document.error?.message).toContain('create extension postgres_fdw');
  await inSession(home.root, 'create extension postgres_fdw');
  await inSession(home.root, 'grant usage on foreign data wrapper postgres_fdw to app');
  const added = await add();
  expect(added.document).toEqual({ added: 'a', shards: 1 });
  const listed = await installation.command('shards', 'list');
  expect(listed.document).toMatchObject([{ name: 'a', host: '127.0.0.1', database: 'app', user: 'app' }]);
  expect(JSON.stringify([added, listed])).not.toContain("c'r");
  // It connects to the shard with the stored password.
  expect((await installation.command('migrate')).document).toEqual({ applied: [], shards: {} });
});
