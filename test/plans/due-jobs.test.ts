import { describe, expect, it } from 'vitest';
import { createPaymentCore } from '../../src/payment-core/index.js';
import { encryptionKeys, noon } from '../payment-core/support/test-core.js';
import { recorderOfTests, rowsRead } from './record-plans.js';

/**
 * Schedules that all fall due at the same moment, such as the first of the month. Each payment once read all schedules
 * that were still due, so the rows grew with the square of the schedules: 5,000 of them read 12,500,000 rows.
 */
const jobs = 2_000;
const limit = 200;

/** The due schedules are listed a few hundred at a time. */
const mostRows = 5 * jobs;

const recorder = recorderOfTests();

describe.each(['without statistics', 'with statistics'])('%s', (kind) => {
  it('the payments of due schedules read rows in proportion to the schedules', async () => {
    const { sql, plans } = recorder();
    await sql`delete from jobs`;
    // Their registration is unknown: a fire is recorded, and the schedule ends.
    await sql`
      insert into jobs (id, environment, entity_id, registration_id, expression, parameters, status, starts_at,
        next_run_at, created_at, updated_at)
      select md5(${kind}::text || n), 'test', lpad('', 32, 'a'), lpad('', 32, 'b'), '0 0 0 1 * ? *',
        '{"paymentType": "DB", "amount": "1.00", "currency": "EUR"}', 'active', '2026-11-01', '2026-11-20', '2026-11-01',
        '2026-11-01'
      from generate_series(1, ${jobs}) n`;
    if (kind === 'with statistics') await sql`analyze jobs`;
    const core = await createPaymentCore({ sql, environment: 'test', encryptionKeys, clock: () => noon });
    plans.length = 0;
    const runs = await core.jobs.runDue(noon, { limit });
    await sql`select`;
    expect(new Set(runs.map(({ jobId }) => jobId)).size).toBe(limit);
    const read = plans.reduce((rows, { root }) => rows + rowsRead(root, 'jobs'), 0);
    expect(read).toBeGreaterThan(limit);
    expect(read).toBeLessThan(mostRows);
  });
});
