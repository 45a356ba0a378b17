import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { runCli } from '../support/cli.js';
import { administer, createTestDatabase, testUrl } from '../support/database.js';
import { documentOf, factsOf, prepareNight } from '../support/settlement-night.js';

const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

async function setScene() {
  const own = await createTestDatabase();
  const night = prepareNight(own.url);
  endings.push(
    () => own.drop(),
    () => night.end(),
  );
  expect((await night.importPayments()).code).toBe(0);
  return { own, night };
}

test.each([
  [
    'older than the program',
    'delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations)',
    'older than this version',
  ],
  [
    'newer than the program',
    `insert into drizzle.__drizzle_migrations (hash, created_at)
     select 'of the future', max(created_at) + 1 from drizzle.__drizzle_migrations`,
    'newer version',
  ],
  [
    'altered',
    `update drizzle.__drizzle_migrations set hash = 'altered'
     where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`,
    'other content',
  ],
])('F90 a database that is %s is refused with the reason, untouched', async (_how, change, reason) => {
  const { own, night } = await setScene();
  const { sql } = own.database;
  const before = await factsOf(sql);
  await sql.unsafe(change);
  const ended = await night.run();
  expect(ended.code).toBe(5);
  expect(documentOf(ended).error).toMatchObject({
    code: 'DATABASE_SCHEMA',
    message: expect.stringContaining(reason) as string,
  });
  expect(await factsOf(sql)).toEqual(before);
  expect(await sql`select from runs`).toHaveLength(0);
});

test('F90 two migrators at once: both succeed, one of them applies, and the database can be used', async () => {
  const name = `recon_test_${process.pid}_${randomBytes(5).toString('hex')}`;
  await administer(`create database ${name} template template0`);
  endings.push(() => administer(`drop database if exists ${name} with (force)`));
  const migrate = () => runCli(['migrate', '--json'], { env: { RECON_DATABASE_URL: testUrl(name) } });
  const reported = await Promise.all([migrate(), migrate()]);
  expect(reported.map(({ code }) => code)).toEqual([0, 0]);
  // The document of `recon migrate`.
  const applied = reported.map(({ stdout }) => (JSON.parse(stdout) as { applied: string[] }).applied.length);
  expect(Math.min(...applied)).toBe(0);
  expect(Math.max(...applied)).toBeGreaterThan(0);
  const night = prepareNight(testUrl(name));
  endings.push(() => night.end());
  expect((await night.importPayments()).code).toBe(0);
  expect((await night.runHere()).code).toBe(1);
});
