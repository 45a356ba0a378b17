import { afterAll, beforeAll, expect, test } from 'vitest';
import { listPatterns } from '../../src/items/patterns.js';
import { databaseForAllTests } from '../support/database.js';
import { mostRowsHandled, recordPlans, type PlanRecorder } from './record-plans.js';

/**
 * `recon items --patterns` compared every pattern with every item: 2,000 patterns of 21 items each were 84,000,000
 * comparisons. Rows are counted and not seconds, so a busy machine changes nothing.
 */
const patterns = 2_000;
const membersOfEach = 21;
const items = patterns * membersOfEach;

const testDatabase = databaseForAllTests();
let recorder: PlanRecorder;

beforeAll(async () => {
  await testDatabase.database.sql.begin(async (tx) => {
    await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
    await tx`
      insert into discrepancies (id, code, severity, expected, actual, difference_minor, message, first_seen_run)
      select md5(n::text), 'BRAND_MISMATCH', 'warning', 'brand ' || n % ${patterns}, 'other', null, 'differs', 1
      from generate_series(1, ${items}) n`;
  });
  recorder = await recordPlans(testDatabase);
});

afterAll(() => recorder.end());

test('the list of patterns reads the items a fixed number of times, however many patterns there are', async () => {
  const listed = await listPatterns(recorder.sql, { asOf: '2026-11-20', timezone: 'UTC' });
  expect(listed).toHaveLength(patterns);
  expect(new Set(listed.map(({ count }) => count))).toEqual(new Set([membersOfEach]));
  const handled = recorder.plans.map(({ root }) => mostRowsHandled(root));
  // Besides it, one that reads whether there are shards.
  expect(handled.filter((rows) => rows > 1)).toHaveLength(1);
  expect(Math.max(...handled)).toBeLessThan(5 * items);
});
