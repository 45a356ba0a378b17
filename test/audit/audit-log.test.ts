import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { appendAuditEvents } from '../../src/db/audit-log/append-audit-events.js';
import { copyIn, copyOut } from '../../src/db/copy.js';
import type { Sql } from '../../src/db/client.js';
import { inOwnTransaction, inPooledTransaction } from '../../src/db/transaction.js';
import { cutLog } from '../../src/audit/cut-log.js';
import { verifyLog, type LogVerdict } from '../../src/audit/verify-log.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/** The audit log in the database: what is refused, what is found, and what survives. */
async function logOf(events: number): Promise<TestDatabase> {
  const own = await createTestDatabase();
  onTestFinished(() => own.drop());
  for (let number = 1; number <= events; number += 1) await write(own.database.sql, `item ${number}`);
  return own;
}

const write = (sql: Sql, subject: string) =>
  inPooledTransaction(
    sql,
    (tx) =>
      appendAuditEvents(tx, 'anna', [
        { action: 'decision.note', subject, details: { note: `ä;"${subject}` } },
      ]),
    '15s',
  );

/** As somebody who owns the tables and knows how triggers are switched off. */
async function tamper(sql: Sql, ...statements: readonly string[]): Promise<void> {
  await sql.begin(async (tx) => {
    await tx.unsafe('alter table audit_events disable trigger user');
    for (const statement of statements) await tx.unsafe(statement);
    await tx.unsafe('alter table audit_events enable trigger user');
  });
}

const verify = ({ database }: TestDatabase): Promise<LogVerdict> => verifyLog(database.sql, []);

describe('the database', () => {
  test.each([
    ['an update', `update audit_events set author = 'nobody'`],
    ['a delete', 'delete from audit_events where number = 2'],
    ['a truncate', 'truncate audit_events'],
    ['a delete of the head', 'delete from audit_head'],
    ['a changed checkpoint', `update audit_checkpoints set hash = 'x'`],
  ])('refuses %s, also of the owner of the tables', async (_what, statement) => {
    const own = await logOf(2);
    await expect(own.database.sql.unsafe(statement)).rejects.toMatchObject({ code: 'RF002' });
    expect(await verify(own)).toMatchObject({ intact: true });
  });

  test('keeps an event and its act together: both are undone', async () => {
    const own = await logOf(1);
    const before = await verify(own);
    const failed = inOwnTransaction(own.database.sql, async (tx) => {
      await appendAuditEvents(tx, 'anna', [{ action: 'token.revoked', subject: 'x', details: {} }]);
      throw new Error('the act failed');
    });
    await expect(failed).rejects.toThrow('the act failed');
    expect(await verify(own)).toEqual(before);
  });
});

test('events of many sessions at once are one chain', async () => {
  const own = await logOf(0);
  const { events: before } = await verify(own);
  const sql = own.database.sql;
  await Promise.all(Array.from({ length: 40 }, (_, index) => write(sql, `session ${index}`)));
  // Transactions that see one snapshot are repeated when another one added events meanwhile.
  await Promise.all(
    [1, 2, 3].map((number) =>
      inOwnTransaction(
        sql,
        async (tx) => {
          await tx`select count(*) from audit_events`;
          const details = { number };
          await appendAuditEvents(tx, 'snapshot', [{ action: 'decision.note', subject: 's', details }]);
        },
        'isolation level repeatable read',
      ),
    ),
  );
  expect(await verify(own)).toMatchObject({ intact: true, events: before + 43 });
});

describe('what was done to the table is found', () => {
  const onto = (set: string, number: string) => `update audit_events set ${set} where number = ${number}`;
  /** Numbers count from the end of a log with five events of ours. */
  test.each([
    ['a changed author', ['author = $$bert$$'], 'changed', 2],
    ['a changed moment', [`happened_at = happened_at - interval '1 microsecond'`], 'changed', 2],
    ['changed details', [`details = replace(details, 'item', 'term')`], 'changed', 2],
  ] as const)('%s', async (_what, [set], kind, place) => {
    const own = await logOf(5);
    const start = (await verify(own)).head.number - 5n;
    await tamper(own.database.sql, onto(set, (start + BigInt(place)).toString()));
    expect((await verify(own)).broken).toMatchObject({ kind, number: start + BigInt(place) });
  });

  test('a removed event, with and without new numbers', async () => {
    const own = await logOf(5);
    const { head } = await verify(own);
    const at = head.number - 2n;
    await tamper(own.database.sql, `delete from audit_events where number = ${at}`);
    expect((await verify(own)).broken).toMatchObject({ kind: 'removed', number: at });
    await tamper(
      own.database.sql,
      ...[1n, 2n].map((by) => onto('number = number - 1', (at + by).toString())),
    );
    expect((await verify(own)).broken).toEqual({
      kind: 'removed',
      number: at,
      message: `Event ${at} was removed.`,
    });
  });

  test('a removed tail: by the head, and by a hash that a report has', async () => {
    const own = await logOf(5);
    const { head } = await verify(own);
    await tamper(own.database.sql, `delete from audit_events where number > ${head.number - 2n}`);
    expect((await verify(own)).broken).toMatchObject({ kind: 'removed', number: head.number - 1n });
    // Also when the head is set back.
    await own.database.sql`
      update audit_head set (number, hash) = (select number, hash from audit_events order by number desc limit 1)`;
    expect(await verify(own)).toMatchObject({ intact: true });
    const report = { name: 'The report run-000001', number: head.number, hash: head.hash };
    const verdict = await verifyLog(own.database.sql, [report]);
    expect(verdict.broken).toMatchObject({ kind: 'removed', number: head.number - 1n });
    expect(verdict.broken?.message).toContain('The report run-000001');
  });

  test('another hash of the last event that retention removed, which the checkpoint still has', async () => {
    const own = await logOf(5);
    const { sql } = own.database;
    const [cut] = await sql<{ number: bigint; hash: string; next: string }[]>`
      select number, hash, lead(happened_at) over (order by number)::text as next from audit_events
      order by number desc offset 2 limit 1`;
    if (cut === undefined) throw new Error('the log has five events');
    await sql.begin((tx) => cutLog(tx, cut.next));
    const anchored = (hash: string) =>
      verifyLog(sql, [{ name: 'The report run-000001', number: cut.number, hash }]);
    expect(await anchored(cut.hash)).toMatchObject({
      intact: true,
      removedThrough: cut.number,
      anchors: { found: 1, tooOld: 0 },
    });
    expect((await anchored('f'.repeat(64))).broken).toMatchObject({
      kind: 'changed',
      number: cut.number,
      message: expect.stringContaining('The report run-000001 has') as string,
    });
    const [older, hash] = [cut.number - 1n, 'f'.repeat(64)];
    expect(await verifyLog(sql, [{ name: 'an older report', number: older, hash }])).toMatchObject({
      intact: true,
      anchors: { found: 0, tooOld: 1 },
    });
  });

  test('an inserted event', async () => {
    const own = await logOf(5);
    const { head } = await verify(own);
    const shifted = [0n, 1n].map((by) => onto('number = number + 1', (head.number - by).toString()));
    const at = head.number - 1n;
    await tamper(
      own.database.sql,
      ...shifted,
      `insert into audit_events select ${at}, happened_at, 'mallory', action, subject, details, hash, repeat('a', 64)
       from audit_events where number = ${at - 1n}`,
    );
    expect((await verify(own)).broken).toMatchObject({ kind: 'inserted', number: at });
  });

  test('events in another order', async () => {
    const own = await logOf(5);
    const { head } = await verify(own);
    const [low, high] = [head.number - 3n, head.number - 1n];
    await tamper(
      own.database.sql,
      onto('number = -1', low.toString()),
      onto(`number = ${low}`, high.toString()),
      onto(`number = ${high}`, '-1'),
    );
    expect((await verify(own)).broken).toMatchObject({ kind: 'reordered', number: low });
  });
});

test('the log survives dump and restore: it is whole in another database, and continues there', async () => {
  const [from, to] = [await logOf(5), await createTestDatabase()];
  onTestFinished(() => to.drop());
  const before = await verify(from);
  for (const table of ['audit_events', 'audit_head', 'audit_checkpoints']) {
    const chunks: string[] = [];
    await from.database.sql.begin(async (tx) => {
      for await (const chunk of await copyOut(tx, `copy ${table} to stdout`)) chunks.push(chunk.toString());
    });
    await to.database.sql.begin(async (tx) => {
      // As pg_restore does: the data before the triggers.
      await tx.unsafe(`alter table ${table} disable trigger user`);
      await tx.unsafe(`delete from ${table}`);
      await copyIn(tx, `copy ${table} from stdin`, Readable.from(chunks));
      await tx.unsafe(`alter table ${table} enable trigger user`);
    });
  }
  expect(await verify(to)).toEqual(before);
  await write(to.database.sql, 'after the restore');
  expect(await verify(to)).toMatchObject({ intact: true, events: before.events + 1 });
});
