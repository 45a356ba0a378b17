import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { payment, paymentsFile, type Cells } from '../../scripts/fixtures/story.js';
import { createTestDatabase } from '../support/database.js';
import { installationOf, refuseAtCommit, refuseNoMore } from './run-stories.js';
import { startShardProxy, type Judge } from './shard-proxy.js';
import { inSession, startThreeServers, untilUp, type ThreeServers } from './three-servers.js';

let three: ThreeServers;
let directory: string;

beforeAll(async () => {
  three = await startThreeServers();
  // The log of a transaction that is not committed stays in memory, so a crash loses it, with the number.
  const { home } = await three.create();
  await inSession(home, `alter system set wal_writer_delay = '10s'`);
  await inSession(home, 'select pg_reload_conf()');
  directory = mkdtempSync(path.join(tmpdir(), 'recon-broken-'));
});

afterAll(async () => {
  await three.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** An installation whose home server reaches shard b through a proxy. */
async function throughProxy(judge: Judge) {
  const { home, a, b } = await three.create();
  const port = three.servers[2]?.port ?? 0;
  const proxy = await startShardProxy(port, judge);
  const installation = installationOf('demo', home, path.join(directory, path.basename(home)));
  const addressOfB = b.replace(`:${port}/`, `:${proxy.port}/`);
  for (const [name, url] of Object.entries({ a, b: addressOfB }))
    expect((await installation.command('shards', 'add', '--name', name, '--url', url)).code).toBe(0);
  return { installation, home, a, b, proxy };
}

/** Commits transactions on the home server, which then has given away every number that the killed one can have had. */
const useNumbersAgain = (home: string) =>
  inSession(home, `do $$ begin for i in 1..500 loop perform pg_current_xact_id(); commit; end loop; end $$`);

/** Kills the home server when it would commit, after a shard has done so; it then recovers as after a power failure. */
async function killAtCommit(home: string): Promise<void> {
  const [row] = await inSession(
    home,
    `select pid from pg_stat_activity where datname = current_database() and state = 'active' and query ilike 'commit%'`,
  );
  process.kill(Number(row?.['pid']), 'SIGKILL');
}

test('the home server is killed after a shard committed and before it did itself: the next run undoes it', async () => {
  const single = await createTestDatabase();
  const alone = installationOf('demo', single.url, path.join(directory, 'single'));
  await alone.importPayments();
  await inSession(single.url, refuseAtCommit('record_matches'));
  expect((await alone.run()).code).toBe(5);
  await inSession(single.url, refuseNoMore);
  await alone.run();
  const expected = alone.reports();
  await single.drop();

  let isArmed = false;
  let kill: () => Promise<void> = () => Promise.resolve();
  const { installation, home, a, b, proxy } = await throughProxy((sent) =>
    isArmed && /insert into record_matches[^]*COMMIT TRANSACTION/.test(sent) ? () => kill() : 'pass',
  );
  await installation.importPayments();
  let kills = 0;
  kill = async () => {
    if (!isArmed) return;
    isArmed = false;
    kills += 1;
    await killAtCommit(home);
  };
  isArmed = true;
  const failed = await installation.run();
  expect(kills).toBe(1);
  expect(failed.code).toBe(5);
  await untilUp(home);
  await useNumbersAgain(home);

  const resultsOn = async (url: string) =>
    Number((await inSession(url, 'select count(*) as rows from record_matches'))[0]?.['rows']);
  const [onA, onB] = [await resultsOn(a), await resultsOn(b)];
  expect(onA + onB).toBeGreaterThan(0);
  expect(await inSession(home, 'select from match_candidates')).toHaveLength(0);
  // Which shard is the first to commit is up to the home server.
  const checked = await installation.command('shards', 'check');
  expect(JSON.stringify(checked.document)).toContain('"unconfirmed":1');
  const tooEarly = await installation.command('report', '--from', '2026-11-01', '--to', '2026-11-30');
  expect(tooEarly.document.error).toMatchObject({ code: 'SHARD_INVALID' });

  const completed = await installation.run();
  expect(completed.code, JSON.stringify(completed.document)).toBeLessThan(2);
  expect(installation.reports()).toEqual(expected);
  proxy.close();
});

test('the home server is killed while changes of payments are committed: the next import undoes and stores them', async () => {
  let isArmed = false;
  let kill: () => Promise<void> = () => Promise.resolve();
  const { installation, home, proxy } = await throughProxy((sent) =>
    isArmed && /update payments[^]*COMMIT TRANSACTION/.test(sent) ? () => kill() : 'pass',
  );
  const write = (name: string, cells: Cells) => {
    const file = path.join(directory, name);
    const paid = Array.from({ length: 40 }, (_, index) => payment(index + 1, { Amount: '20.00', ...cells }));
    writeFileSync(file, paymentsFile(paid));
    return file;
  };
  const exported = async () => {
    const file = path.join(directory, 'exported.csv');
    rmSync(file, { force: true });
    expect((await installation.command('payments', 'export', file)).code).toBe(0);
    return readFileSync(file, 'utf8');
  };
  const [stored, changed] = [write('stored.csv', {}), write('changed.csv', { Amount: '21.00' })];
  await installation.command('payments', 'import', stored);
  const before = await exported();
  kill = async () => {
    isArmed = false;
    await killAtCommit(home);
  };
  isArmed = true;
  const importChanges = () => installation.command('payments', 'import', changed, '--allow-changes');
  expect((await importChanges()).code).toBe(5);
  expect(isArmed).toBe(false);
  await untilUp(home);
  await useNumbersAgain(home);
  const checked = await installation.command('shards', 'check');
  expect(JSON.stringify(checked.document)).toContain('"unconfirmed":1');

  // The same file as before changes nothing, so what the shard had stored was undone.
  expect((await installation.command('payments', 'import', stored)).document).toMatchObject({
    unchanged: 40,
  });
  expect(await exported()).toBe(before);
  expect((await importChanges()).document).toMatchObject({ updated: 40, unchanged: 0 });
  expect(await exported()).toBe(before.replaceAll(';20.00;', ';21.00;'));
  expect(await inSession(home, 'select from payment_changes')).toHaveLength(40);
  proxy.close();
});

test('a connection to a shard that is lost in the middle of a statement is reported with the name of the shard', async () => {
  let isCut = false;
  const { installation, proxy } = await throughProxy((sent) => {
    isCut ||= /FROM public.shard_answer/.test(sent);
    return isCut ? 'cut' : 'pass';
  });
  await installation.importPayments();
  const failed = await installation.run();
  expect(failed.code).toBe(5);
  expect(failed.document.error).toMatchObject({ code: 'SHARD_UNREACHABLE' });
  expect(failed.document.error?.message).toContain('The connection to shard b was lost');
  isCut = false;
  proxy.close();
});
