import { expect, onTestFinished, test } from 'vitest';
import { cutLog } from '../../src/audit/cut-log.js';
import { verifyLog } from '../../src/audit/verify-log.js';
import { appendAuditEvents } from '../../src/db/audit-log/append-audit-events.js';
import type { Sql } from '../../src/db/client.js';
import { inPooledTransaction } from '../../src/db/transaction.js';
import { createTestDatabase } from '../support/database.js';

/** Every column of every table of the log, changed by somebody who owns the tables and switches the triggers off. */
const tables = ['audit_events', 'audit_head', 'audit_checkpoints'];

async function logOf(events: number): Promise<Sql> {
  const own = await createTestDatabase();
  onTestFinished(() => own.drop());
  const { sql } = own.database;
  for (let number = 1; number <= events; number += 1) {
    await inPooledTransaction(
      sql,
      (tx) =>
        appendAuditEvents(tx, 'anna', [
          { action: 'decision.note', subject: `item ${number}`, details: { note: 'seen' } },
        ]),
      '15s',
    );
  }
  return sql;
}

const without = (sql: Sql, ...statements: readonly string[]) =>
  sql.begin(async (tx) => {
    for (const table of tables) await tx.unsafe(`alter table ${table} disable trigger user`);
    for (const statement of statements) await tx.unsafe(statement);
    for (const table of tables) await tx.unsafe(`alter table ${table} enable trigger user`);
  });

const brokenOf = async (sql: Sql) => (await verifyLog(sql, [])).broken;

/** The log is cut before its last four events. */
async function cutLogOf(events: number): Promise<{ sql: Sql; cutAt: bigint }> {
  const sql = await logOf(events);
  const [next] = await sql<{ at: string }[]>`
    select happened_at::text as at from audit_events order by number desc offset 3 limit 1`;
  await sql.begin((tx) => cutLog(tx, next?.at ?? ''));
  const [cut] = await sql<{ number: bigint }[]>`select through_number as number from audit_checkpoints`;
  return { sql, cutAt: cut?.number ?? 0n };
}

test.each([
  ['number', '-number'],
  ['number', '0'],
  ['number', 'number + 100'],
  ['happened_at', `happened_at + interval '1 day'`],
  ['happened_at', `'infinity'`],
  ['happened_at', `'-infinity'`],
  ['happened_at', `'4713-01-01 00:00:00+00 BC'`],
  ['happened_at', `'12000-01-01 00:00:00+00'`],
  ['author', `author || ' '`],
  ['action', `'decision.undo'`],
  ['subject', `''`],
  ['details', `'{}'`],
  ['details', `'no JSON'`],
  ['previous_hash', `repeat('0', 64)`],
  ['previous_hash', `''`],
  ['hash', `upper(hash)`],
  ['hash', `''`],
])('audit_events.%s set to %s', async (column, value) => {
  const sql = await logOf(5);
  const [head] = await sql<{ number: bigint }[]>`select number from audit_head`;
  expect(await brokenOf(sql)).toBeNull();
  const at = (head?.number ?? 0n) - 2n;
  await without(sql, `update audit_events set ${column} = ${value} where number = ${at}`);
  expect(await brokenOf(sql)).toMatchObject({ number: at });
});

test.each([
  [
    'an event before the first',
    'insert into audit_events select 0, happened_at, author, action, subject, details, previous_hash, hash from audit_events where number = 1',
  ],
  [
    'an event with a negative number',
    'insert into audit_events select -7, happened_at, author, action, subject, details, previous_hash, hash from audit_events where number = 1',
  ],
  [
    'an event after the last',
    'insert into audit_events select number + 1, happened_at, author, action, subject, details, hash, hash from audit_events order by number desc limit 1',
  ],
  [
    'a checkpoint that hides changed events',
    `insert into audit_checkpoints select number, hash, happened_at from audit_events order by number desc limit 1; update audit_events set author = 'nobody' where number = 1`,
  ],
  [
    'two events that change places',
    'update audit_events set number = number + 1000 where number in (2, 3); update audit_events set number = 1005 - number where number > 1000',
  ],
  ['the head without its row', 'delete from audit_head'],
  ['another number of the head', 'update audit_head set number = number + 1'],
  ['another hash of the head', `update audit_head set hash = repeat('0', 64)`],
  [
    'the head set back',
    'update audit_head set (number, hash) = (select number, hash from audit_events order by number desc offset 1 limit 1)',
  ],
  ['all events', 'delete from audit_events'],
])('%s', async (_what, statements) => {
  const sql = await logOf(5);
  await without(sql, statements);
  const broken = await brokenOf(sql);
  expect(broken?.message).toMatch(/^(?:Events? -?\d+|The head of the log) /);
  expect(broken?.number).toBeTypeOf('bigint');
});

test.each([
  ['another number of a checkpoint', 'update audit_checkpoints set through_number = through_number + 1'],
  ['a lower number of a checkpoint', 'update audit_checkpoints set through_number = through_number - 1'],
  ['another hash of a checkpoint', `update audit_checkpoints set hash = repeat('0', 64)`],
  ['a removed checkpoint', 'delete from audit_checkpoints'],
  [
    'an event from before the checkpoint',
    'insert into audit_events select 1, happened_at, author, action, subject, details, previous_hash, hash from audit_events limit 1',
  ],
])('%s', async (_what, statements) => {
  const { sql } = await cutLogOf(8);
  expect(await brokenOf(sql)).toBeNull();
  await without(sql, statements);
  expect(await brokenOf(sql)).not.toBeNull();
});

test('an event before the beginning is named, and so is a checkpoint that hides changed events', async () => {
  const sql = await logOf(5);
  const copy = 'happened_at, author, action, subject, details, previous_hash, hash from audit_events';
  await without(sql, `insert into audit_events select 0, ${copy} where number = 1`);
  expect(await brokenOf(sql)).toEqual({
    number: 0n,
    kind: 'inserted',
    message: 'Event 0 is stored, but the log begins with event 1: it was inserted.',
  });
  await without(
    sql,
    'delete from audit_events where number = 0',
    'insert into audit_checkpoints select number, hash, happened_at from audit_events where number = 3',
    `update audit_events set author = 'nobody' where number = 2`,
  );
  expect(await brokenOf(sql)).toEqual({
    number: 1n,
    kind: 'inserted',
    message:
      'Event 1 is stored, but the log begins with event 4: it, or the checkpoint at event 3, was inserted.',
  });
});
