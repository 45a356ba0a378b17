import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/db/connect.js';
import { chargeback, reversal } from '../cli/chargeback-rows.js';
import { runCli, startCli, watchCli } from '../support/cli.js';
import { databaseUrl } from '../support/database-url.js';
import { createTestDatabase } from '../support/database.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { fileOfRows, paymentId, settlementRow, type Cells } from '../support/settlement-rows.js';
import { installationOf, refuseAtCommit, refuseNoMore, type StoryInstallation } from './run-stories.js';
import { startShardProxy, type Judge } from './shard-proxy.js';
import { inSession, startThreeServers, type ThreeDatabases, type ThreeServers } from './three-servers.js';

/** An installation that has data is divided over two shards, and says and reports the same as one that is not. */
let three: ThreeServers;
let directory: string;
let expected: Nights;
let folders = 0;

const inbound = path.resolve(import.meta.dirname, '../../fixtures/demo/inbound');
const tables = ['payments', 'settlement_records', 'record_matches'];

beforeAll(async () => {
  three = await startThreeServers();
  directory = mkdtempSync(path.join(tmpdir(), 'recon-divide-'));
  const single = await createTestDatabase();
  expected = await nights(installationOf('demo', single.url, folder()));
  await single.drop();
});

afterAll(async () => {
  await three.stop();
  rmSync(directory, { recursive: true, force: true });
});

afterEach(() => {
  vi.useRealTimers();
});

const folder = () => path.join(directory, `data-${(folders += 1)}`);

interface Nights {
  readonly said: readonly unknown[];
  readonly reports: Record<string, string>;
}

/** A file with the first payments of the story: the others are imported in a later night. */
function firstPayments(): string {
  const file = path.join(directory, 'first-payments.csv');
  const lines = readFileSync(path.join(inbound, '../payments.csv'), 'utf8').split('\n');
  writeFileSync(file, `${lines.slice(0, 250).join('\n')}\n`);
  return file;
}

/**
 * Three nights with everything that a night may bring; after the second, something happens that must change nothing.
 */
async function nights(
  { command, importPayments, reports }: StoryInstallation,
  afterTwo: () => Promise<void> = () => Promise.resolve(),
): Promise<Nights> {
  const said: { readonly code: number; readonly document: unknown }[] = [];
  const say = async (answer: Promise<{ readonly code: number; readonly document: unknown }>) => {
    const { code, document } = await answer;
    said.push({ code, document });
  };
  const run = (day: number) =>
    command(
      'run',
      '--as-of',
      `2026-11-${day + 1}`,
      '--file',
      path.join(inbound, `settlement-2026-11-${day}.csv`),
    );
  const rerun = (from: string, to: string) =>
    command('rerun', '--from', `2026-11-${from}`, '--to', `2026-11-${to}`, '--as-of', '2026-11-20');
  const second = 'settlement-2026-11-18.csv';
  await say(command('payments', 'import', firstPayments()));
  await say(run(17));
  await say(run(18));
  await afterTwo();
  await say(rerun('16', '17'));
  await say(importPayments());
  const sayCode = (answer: ReturnType<typeof command>) =>
    say(answer.then(({ code }) => ({ code, document: null })));
  await sayCode(command('files', 'withdraw', second, '--reason', 'wrong'));
  await say(run(19));
  await sayCode(command('files', 'restore', second, '--reason', 'right'));
  await say(rerun('01', '30'));
  await sayCode(command('audit', 'verify'));
  // What is refused here and there would be equal too.
  expect(said.map(({ code }) => code)).toEqual([0, 1, 0, 0, 0, 0, 1, 0, 0, 0]);
  return { said, reports: reports() };
}

/** Adds two servers to an installation that has data. */
async function noteShards(
  installation: StoryInstallation,
  { a, b }: Pick<ThreeDatabases, 'a' | 'b'>,
): Promise<void> {
  for (const [index, [name, url]] of Object.entries({ a, b }).entries()) {
    const { code, document } = await installation.command('shards', 'add', '--name', name, '--url', url);
    expect({ code, document }).toEqual({
      code: 0,
      document: { added: name, shards: index + 1, noted: true },
    });
  }
}

const countOn = async (url: string, table: string) =>
  Number((await inSession(url, `select count(*) as rows from ${table}`))[0]?.['rows']);

test('data is moved to the shards, and every later report is the same', async () => {
  const { home, a, b } = await three.create();
  const installation = installationOf('demo', home, folder());
  const several = await nights(installation, async () => {
    await noteShards(installation, { a, b });
    // Until it is divided, the data is on the home server, and nothing of it on a shard.
    const before = await Promise.all(tables.map((table) => countOn(home, table)));
    const noted = await installation.command('shards', 'list');
    expect(noted.document).toMatchObject([
      { name: 'a', state: 'noted' },
      { name: 'b', state: 'noted' },
    ]);
    const check = await installation.command('shards', 'check');
    expect(check.code).toBe(0);
    expect(check.document).toMatchObject([
      { name: 'a', state: 'noted', error: null, rows: {} },
      { name: 'b', state: 'noted', error: null, rows: {} },
    ]);
    expect((await installation.command('doctor')).code).toBe(0);
    expect((await installation.command('migrate')).document).toEqual({ applied: [], shards: {} });

    const divided = await installation.command('shards', 'divide');
    expect(divided.code, JSON.stringify(divided.document)).toBe(0);
    const moved = divided.document as unknown as {
      readonly tables: readonly { table: string; rows: number; shards: { a: number; b: number } }[];
    };
    expect(moved.tables.map(({ table, rows }) => [table, rows])).toEqual(
      tables.map((table, index) => [table, before[index]]),
    );
    for (const { table, rows, shards } of moved.tables) {
      expect(shards.a + shards.b).toBe(rows);
      expect(Math.min(shards.a, shards.b), table).toBeGreaterThan(0);
    }
    const after = await installation.command('shards', 'check');
    expect(after.document).toMatchObject([
      { state: 'used', unconfirmed: 0, rows: { payments: moved.tables[0]?.shards.a } },
      { state: 'used', unconfirmed: 0, rows: { payments: moved.tables[0]?.shards.b } },
    ]);
    const again = await installation.command('shards', 'divide');
    expect(again).toMatchObject({ code: 0, document: { shards: ['a', 'b'], tables: [] } });
    expect((await installation.command('doctor')).code).toBe(0);
  });
  expect(several).toEqual(expected);
});

test('a chargeback whose month was retired before the division counts, is reversed, and is not booked twice', async () => {
  const { home, a, b } = await three.create();
  const data = folder();
  const { command, ...rest } = installationOf('demo', home, data);
  mkdirSync(data);
  const given = (name: string, text: string) => {
    writeFileSync(path.join(data, name), text);
    return path.join(data, name);
  };
  const payments = paymentsFileOf([paymentRow(1), paymentRow(2)]);
  expect((await command('payments', 'import', given('payments.csv', payments))).code).toBe(0);
  /** What is open after a run of a file, and the bookings. */
  const run = async (date: string, ...rows: readonly Cells[]) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(date) });
    const file = given(`${date}.csv`, fileOfRows(rows.map((row) => settlementRow(row))));
    expect((await command('run', '--file', file)).document.error).toBe(null);
    const items = (await command('items')).document as unknown as readonly { readonly code: string }[];
    const booked = await command('chargebacks', 'list');
    const bookings = booked.document as unknown as readonly { readonly status: string }[];
    return { items: items.map(({ code }) => code), bookings: bookings.map(({ status }) => status).sort() };
  };
  await run('2030-01-15', chargeback);
  await run('2030-06-15', { UniqueID: paymentId(2) });
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2031-01-10') });
  const retired = await command('retire', '--before', '2030-05-01');
  expect(retired.document).toMatchObject({ parts: [{ month: '2030-01' }] });
  await noteShards({ command, ...rest }, { a, b });
  expect((await command('shards', 'divide')).code).toBe(0);

  const second = { ...chargeback, SettlementTxId: 'CB-2' };
  expect(await run('2031-01-11', second)).toEqual({
    items: ['CHARGEBACK_EXCEEDS_PAYMENT'],
    bookings: ['open', 'open'],
  });
  expect(await run('2031-01-12', reversal)).toEqual({ items: [], bookings: ['open', 'reversed'] });
  expect(await run('2031-01-13', chargeback, { UniqueID: paymentId(2) })).toEqual({
    items: [],
    bookings: ['open', 'reversed'],
  });
});

test('killed anywhere, or refused by a shard at the end, a division is done by the next one', async () => {
  const { home, a, b } = await three.create();
  const data = folder();
  const installation = installationOf('demo', home, data);
  const killedAt = async (point: string) => {
    const killed = await runCli(['shards', 'divide', '--json'], {
      env: { RECON_DATABASE_URL: home, RECON_DATA_DIR: data, RECON_FAIL_AT: point },
    });
    expect([point, killed.signal], killed.stdout + killed.stderr).toEqual([point, 'SIGKILL']);
  };
  const several = await nights(installation, async () => {
    await noteShards(installation, { a, b });
    const before = await Promise.all(tables.map((table) => countOn(home, table)));
    const expectHomeInUse = async () => {
      expect(await Promise.all(tables.map((table) => countOn(home, table)))).toEqual(before);
      expect((await installation.command('doctor')).code).toBe(0);
    };
    for (const point of ['divide.table:1', 'divide.table:3', 'divide.commit.before']) {
      await killedAt(point);
      await expectHomeInUse();
      for (const table of tables) expect(await countOn(a, table), `${point} ${table}`).toBe(0);
    }
    // One shard commits, the other does not, so the home server does not either.
    const left: number[] = [];
    for (const [refusing, other] of [
      [a, b],
      [b, a],
    ] as const) {
      await inSession(refusing, refuseAtCommit('payments'));
      expect((await installation.command('shards', 'divide')).code).toBe(5);
      await inSession(refusing, refuseNoMore);
      await expectHomeInUse();
      left.push(await countOn(other, 'payments'));
    }
    expect(Math.max(...left)).toBeGreaterThan(0);

    await killedAt('divide.commit.after');
    expect((await installation.command('shards', 'divide')).document).toEqual({
      shards: ['a', 'b'],
      tables: [],
    });
  });
  expect(several).toEqual(expected);
  // Four processes, five divisions and all nights: up to a minute on a machine that others use.
}, 180_000);

test('rows that a shard loses or changes are noticed, and then nothing is changed', async () => {
  const { home, a, b } = await three.create();
  const installation = installationOf('demo', home, folder());
  await installation.importPayments();
  await installation.run();
  await noteShards(installation, { a, b });
  const reports = installation.reports();
  for (const [does, table] of [
    ['new.amount_minor := new.amount_minor + 1; return new', 'payments'],
    ['return case when new.line % 7 = 0 then null else new end', 'settlement_records_1'],
    [`new.status := 'NOT_MATCHED'; return new`, 'record_matches'],
  ]) {
    await inSession(
      b,
      `create function damage() returns trigger language plpgsql as $$ begin ${does}; end $$;
      create trigger damage before insert on ${table} for each row execute function damage()`,
    );
    const { code, document } = await installation.command('shards', 'divide');
    expect({ code, document }).toMatchObject({
      code: 5,
      document: { error: { code: 'DIVISION_NOT_VERIFIED' } },
    });
    expect(document.error?.message).toContain(table?.replace('_1', ''));
    await inSession(b, 'drop function damage() cascade');
    expect(await countOn(b, 'payments')).toBe(0);
  }
  // The home database is in use as before: a re-run writes the same again.
  await installation.rerun();
  expect(installation.reports()).toMatchObject(reports);
  expect((await installation.command('shards', 'divide')).code).toBe(0);
});

/** An installation with data whose home server reaches shard b through a proxy. */
async function throughProxy(judge: Judge) {
  const { home, a, b } = await three.create();
  const installation = installationOf('demo', home, folder());
  await installation.importPayments();
  await installation.run();
  const port = three.servers[2]?.port ?? 0;
  const proxy = await startShardProxy(port, judge);
  await noteShards(installation, { a, b: b.replace(`:${port}/`, `:${proxy.port}/`) });
  return { installation, home, proxy };
}

test('a shard that is lost in the middle ends the division with exit code 5, and it can be repeated', async () => {
  let isDown = true;
  const { installation, home, proxy } = await throughProxy((sent) =>
    isDown && sent.includes('INSERT INTO public.settlement_records_1') ? 'cut' : 'pass',
  );
  const lost = await installation.command('shards', 'divide');
  expect(lost.code).toBe(5);
  expect(lost.document.error).toMatchObject({ code: 'SHARD_UNREACHABLE' });
  expect(lost.document.error?.message).toContain('shard');
  expect(await countOn(home, 'settlement_records')).toBeGreaterThan(0);
  expect((await installation.rerun()).code).toBeLessThan(2);
  isDown = false;
  expect((await installation.command('shards', 'divide')).code).toBe(0);
  expect((await installation.rerun()).code).toBeLessThan(2);
  proxy.close();
});

test('an import that begins during a division waits for it, and then stores on the shards', async () => {
  const { home, a, b } = await three.create();
  const data = folder();
  const installation = installationOf('demo', home, data);
  await installation.command('payments', 'import', firstPayments());
  await noteShards(installation, { a, b });
  const dividing = watchCli(
    startCli(['shards', 'divide', '--json'], {
      env: {
        RECON_DATABASE_URL: home,
        RECON_DATA_DIR: data,
        RECON_FAIL_AT: 'divide.commit.before:1:stop',
      },
    }),
  );
  // Asked in another database, because a session in this one is an obstacle.
  const ask = (state: string) =>
    inSession(
      databaseUrl(home, 'postgres'),
      `select from pg_stat_activity where datname = '${path.basename(home)}' and ${state}`,
    );
  const waiting = (state: string) =>
    Promise.race([
      until(async () => (await ask(state)).length > 0),
      dividing.ended.then(({ stdout, stderr }) => expect(`${stdout}${stderr}`).toBe('still running')),
    ]);
  await waiting(`application_name = 'recon shards divide' and state = 'idle in transaction'
    and query ilike '%audit%'`);
  // What is committed can be read meanwhile, but a run and a second division are refused.
  expect((await installation.run()).document.error).toMatchObject({ code: 'RUN_ACTIVE' });
  expect((await installation.command('shards', 'divide')).document.error).toMatchObject({
    code: 'RUN_ACTIVE',
  });
  const importing = installation.importPayments();
  await waiting(`application_name = 'recon' and wait_event_type = 'Lock'`);
  dividing.kill('SIGCONT');
  expect((await dividing.ended).code).toBe(0);
  const imported = await importing;
  expect(imported.code, JSON.stringify(imported.document)).toBe(0);
  expect(imported.document).toMatchObject({ read: 374, inserted: 374 - 249, unchanged: 249 });
  expect((await countOn(a, 'payments')) + (await countOn(b, 'payments'))).toBe(374);
});

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 50));
}

test('a division is refused while something is in its way', async () => {
  const { home, a, b } = await three.create();
  const installation = installationOf('demo', home, folder());
  const refusal = async () => {
    const { code, document } = await installation.command('shards', 'divide');
    expect({ code, document }).toMatchObject({ code: 2, document: { error: { code: 'DIVISION_REFUSED' } } });
    return document.error?.message ?? '';
  };
  expect(await refusal()).toContain('There are no shards yet');
  await installation.importPayments();
  await installation.run();
  await noteShards(installation, { a, b });

  const other = await openDatabase(
    { url: home },
    { logger: pino({ enabled: false }), applicationName: 'recon' },
  );
  expect(await refusal()).toContain('1 of "recon" from 127.0.0.1');
  await other.close();

  const made = await installation.command('tokens', 'create', '--entity', '0123456789abcdef0123456789abcdef');
  expect(await refusal()).toContain('valid access tokens: 1');
  const { id } = made.document as { readonly id?: string };
  await installation.command('tokens', 'revoke', id ?? '');

  await inSession(home, `update api_tokens set revoked_at = null, expires_at = now() - interval '1 hour'`);
  await inSession(
    home,
    `insert into jobs (id, environment, registration_id, expression, parameters, status, starts_at, created_at, updated_at)
     values ('j', 'test', 'r', '0 0 1 * *', '{}', 'active', now(), now(), now());
     insert into webhook_deliveries (webhook_id, sequence, status) values ('w', 1, 'waiting'), ('w', 2, 'waiting')`,
  );
  expect(await refusal()).toContain('(active jobs: 1, notifications that wait: 2)');
  await inSession(home, `delete from jobs; update webhook_deliveries set status = 'delivered'`);

  await inSession(
    home,
    `create view finance as select * from payments;
     create table notes (payment_id text references payments (id))`,
  );
  expect(await refusal()).toContain('finance, notes.');
  await inSession(home, 'drop view finance; drop table notes');

  // A database that holds rows of another time, as after a restore of the home database.
  await inSession(
    b,
    `begin; set local recon.home_transaction = '1'; insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at)
    values ('x', 'DB', 1, 'EUR', '000.000.000', now()); delete from shard_writes; commit`,
  );
  const filled = await installation.command('shards', 'divide');
  expect(filled.document.error).toMatchObject({ code: 'SHARD_INVALID' });
  expect(filled.document.error?.message).toContain(
    'rows in payments that this home database did not put there',
  );
  expect((await installation.command('move', '--to', a)).document.error).toMatchObject({
    code: 'SHARDS_UNSUPPORTED',
  });
  expect((await installation.rerun()).code).toBeLessThan(2);
});

test('a shard that was only noted is removed, the last one first, and a division without it works', async () => {
  const { home, a, b } = await three.create();
  const installation = installationOf('demo', home, folder());
  const remove = async (name: string) => {
    const { code, document } = await installation.command('shards', 'remove', name);
    return { code, document: document.error?.message ?? document };
  };
  const refusal = (why: string) => ({ code: 5, document: expect.stringContaining(why) as unknown });
  expect(await remove('a')).toEqual(refusal('there are no shards'));
  await installation.importPayments();
  await installation.run();
  await noteShards(installation, { a, b });

  expect(await remove('c')).toEqual(refusal('there is no shard of this name'));
  expect(await remove('a')).toEqual(refusal('shard b was added after it'));
  expect(await remove('b')).toEqual({ code: 0, document: { removed: 'b', shards: 1 } });
  expect(await remove('a')).toEqual({ code: 0, document: { removed: 'a', shards: 0 } });
  expect((await installation.command('shards', 'list')).document).toEqual([]);
  expect((await installation.rerun()).code).toBeLessThan(2);

  // Their databases are still empty, so they can be added again, with other names too.
  await noteShards(installation, { a: b, b: a });
  expect((await installation.command('shards', 'divide')).code).toBe(0);
  expect(await remove('b')).toEqual(refusal('data is stored on it'));
  expect((await installation.rerun()).code).toBeLessThan(2);
  expect((await installation.command('audit', 'verify')).code).toBe(0);
});

test('the removal of a shard with data is refused at once, also while a run uses the shards', async () => {
  const { home } = await three.createDivided();
  const { command } = installationOf('demo', home, folder());
  const run = postgres(home, { max: 1, onnotice: () => undefined });
  try {
    await run.begin(async (tx) => {
      await tx`lock table shard_turn in access exclusive mode`;
      const { code, document } = await command('shards', 'remove', 'b');
      expect(code).toBe(5);
      expect(document.error?.message).toContain('Shard b was not removed: data is stored on it');
    });
  } finally {
    await run.end();
  }
});

test('retired records stay on the home server, and their results are moved', async () => {
  const { home, a, b } = await three.create();
  const installation = installationOf('demo', home, folder());
  await installation.importPayments();
  await installation.run();
  const results = await countOn(home, 'record_matches');
  const records = await countOn(home, 'settlement_records');
  // As `recon retire` detaches a part, months later.
  await inSession(home, 'alter table settlement_records detach partition settlement_records_1');
  await noteShards(installation, { a, b });
  const refused = await installation.command('shards', 'divide');
  expect(refused.document.error).toMatchObject({ code: 'DIVISION_REFUSED' });
  expect(refused.document.error?.message).toContain('rename to retired_records_1');
  await inSession(home, 'alter table settlement_records_1 rename to retired_records_1');
  const divided = await installation.command('shards', 'divide');
  expect(divided.code, JSON.stringify(divided.document)).toBe(0);
  expect(divided.document).toMatchObject({
    tables: [{ table: 'payments' }, { table: 'settlement_records', rows: 0 }, { rows: results }],
  });
  expect(await countOn(home, 'retired_records_1')).toBe(records);
});

test('a shard that could not be vacuumed is mentioned in the log, and the data is divided', async () => {
  const { home, a, b } = await three.create();
  const data = folder();
  const installation = installationOf('demo', home, data);
  await installation.importPayments();
  await noteShards(installation, { a, b });
  const dividing = watchCli(
    startCli(['shards', 'divide', '--json'], {
      env: { RECON_DATABASE_URL: home, RECON_DATA_DIR: data, RECON_FAIL_AT: 'divide.commit.after:1:stop' },
    }),
  );
  const isDivided = `select from pg_class where relname = 'payments' and relkind = 'p'`;
  await until(async () => (await inSession(home, isDivided)).length > 0);
  // As another vacuum does, this lets others write.
  const vacuuming = postgres(b, { max: 1, onnotice: () => undefined });
  await vacuuming.unsafe('begin; lock table payments in share update exclusive mode');
  dividing.kill('SIGCONT');
  const cancelled = `select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like 'vacuum%'`;
  await until(async () => (await inSession(b, cancelled)).length > 0);
  const divided = await dividing.ended;
  await vacuuming.end();
  expect(divided.code, divided.stdout).toBe(0);
  expect(divided.stderr).toContain('The data is divided, but a shard could not be vacuumed.');
  expect((await installation.run()).code).toBe(1);
});
