import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openMigrationSession } from '../../src/db/connect.js';
import { administer, createTestDatabase, type TestDatabase } from '../support/database.js';
import { documentOf, factsOf, prepareNight, type SettlementNight } from '../support/settlement-night.js';

/** Other sessions of the same database that are in the way. */
interface Scene {
  readonly own: TestDatabase;
  readonly night: SettlementNight;
}

const scenes: Scene[] = [];

async function setScene(): Promise<Scene> {
  const own = await createTestDatabase();
  const night = prepareNight(own.url);
  scenes.push({ own, night });
  expect((await night.importPayments()).code).toBe(0);
  return { own, night };
}

let baseline: Record<string, unknown>;

async function endScenes(): Promise<void> {
  for (const { own, night } of scenes.splice(0)) {
    await own.drop();
    night.end();
  }
}

beforeAll(async () => {
  const { own, night } = await setScene();
  expect((await night.runHere()).code).toBe(1);
  baseline = await factsOf(own.database.sql);
  await endScenes();
});
afterEach(endScenes);

test(
  'F85 a table that another session keeps locked: reported after half a minute, and the next run is complete',
  { timeout: 120_000 },
  async () => {
    await Promise.all(
      ['payments', 'runs', 'settlement_records'].map(async (table) => {
        const { own, night } = await setScene();
        const locker = openMigrationSession(own.url);
        await locker.unsafe('begin');
        await locker.unsafe(`lock table ${table} in access exclusive mode`);
        const began = Date.now();
        const ended = await night.run();
        const tookMs = Date.now() - began;
        await locker.end();
        expect(ended.code, table).toBe(5);
        expect(documentOf(ended).error, table).toMatchObject({
          code: 'DATABASE_FAILED',
          message: expect.stringContaining('Another session held a lock') as string,
        });
        expect(tookMs, table).toBeGreaterThan(25_000);
        expect(tookMs, table).toBeLessThan(75_000);
        expect([0, 1]).toContain((await night.runHere()).code);
        expect(await factsOf(own.database.sql), table).toEqual(baseline);
      }),
    );
  },
);

/** The first `times` statements that insert into the table fail as if they had collided with another's. */
async function collide(own: TestDatabase, table: string, sqlState: string, times: number): Promise<void> {
  // A sequence does not go back when its transaction does.
  await own.database.sql.unsafe(`
    create sequence collisions;
    create function collide() returns trigger language plpgsql as $$
    begin
      if nextval('collisions') <= ${times} then raise exception 'collided' using errcode = '${sqlState}'; end if;
      return null;
    end $$;
    create trigger collide after insert on ${table} for each statement execute function collide()`);
}

describe.each([
  ['a deadlock', '40P01'],
  ['a serialization failure', '40001'],
])('F86 %s', (_what, sqlState) => {
  test.each(['runs', 'settlement_records', 'record_matches', 'discrepancies', 'audit_events'])(
    'in %s three times: the transaction is done again, to the same end',
    async (table) => {
      const { own, night } = await setScene();
      await collide(own, table, sqlState, 3);
      expect((await night.runHere()).code).toBe(1);
      expect(await factsOf(own.database.sql)).toEqual(baseline);
    },
  );

  test('without end: after three more attempts the run says so', async () => {
    const { own, night } = await setScene();
    await collide(own, 'record_matches', sqlState, 1_000);
    const ended = await night.runHere();
    expect(ended.code).toBe(5);
    expect(documentOf(ended).error).toMatchObject({
      code: 'DATABASE_FAILED',
      message: expect.stringContaining('collided again and again') as string,
    });
    const [tried] = await own.database.sql<{ n: number }[]>`select last_value::int as n from collisions`;
    expect(tried?.n).toBe(4);
    await own.database.sql`drop trigger collide on record_matches`;
    expect([0, 1]).toContain((await night.runHere()).code);
    expect(await factsOf(own.database.sql)).toEqual(baseline);
  });
});

test('F86 a database whose transactions are serializable by default: a run that waits for a long decision begins', async () => {
  const { own, night } = await setScene();
  expect((await night.run(undefined, { RECON_FAIL_AT: 'lock.after' })).signal).toBe('SIGKILL');
  await administer(`alter database ${own.name} set default_transaction_isolation = 'serializable'`);
  const decision = openMigrationSession(own.url);
  await decision.unsafe('begin');
  // The end of the audit log is locked until a decision is stored. The next run notes there that this one is dead.
  await decision.unsafe('update audit_head set singleton = true');
  const run = night.run();
  await expect
    .poll(
      () => own.database.sql`select from pg_stat_activity where wait_event = 'transactionid'
      and datname = current_database()`,
      { timeout: 20_000 },
    )
    .not.toHaveLength(0);
  await decision.unsafe('commit');
  await decision.end();
  const ended = await run;
  expect(ended.code, ended.stdout).toBe(1);
}, 60_000);
