import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { runId } from '../../../src/values/ids.js';
import { endStuckClaims } from '../../../src/intake/claims/offered-files.js';
import { inOwnTransaction } from '../../../src/db/transaction.js';
import { createTestDatabase } from '../../support/database.js';

/**
 * Whose connection holds the row of a claim after the lease has ended: a worker that is suspended, or the run itself.
 */
test.each([
  ['ends the connection of a worker', 'worker-1', true],
  ['leaves the connection of the run itself, which would lose its load', 'run-1', false],
])('a run %s', async (_what, owner, isEnded) => {
  const stored = await createTestDatabase();
  const { url, database } = stored;
  // This driver reads PGSSLMODE.
  const holder = new pg.Client({ connectionString: url, ssl: false });
  let hasEnded = false;
  holder.on('error', () => (hasEnded = true));
  onTestFinished(async () => {
    await holder.end().catch(() => undefined);
    await stored.drop();
  });
  await database.sql`alter table file_claims disable trigger require_fence`;
  await database.sql`insert into file_claims
    (run_id, place, file_id, timezone, max_rejected_share, lease_seconds, owner, attempt, lease_until)
    values (1, 1, 1, 'UTC', 1, 1, ${owner}, 1, now() - interval '1 minute')`;
  await holder.connect();
  await holder.query('begin');
  await holder.query('update file_claims set finished_at = now()');
  await inOwnTransaction(database.sql, (tx) => endStuckClaims(tx, runId(1), 'run-1'));
  await holder.query('commit').catch(() => (hasEnded = true));
  expect(hasEnded).toBe(isEnded);
});
