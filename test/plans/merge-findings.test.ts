import { beforeAll, expect, test } from 'vitest';
import { storeFindings } from '../../src/matching/discrepancies/merge-findings.js';
import type { RunId } from '../../src/values/ids.js';
import { databaseForAllTests } from '../support/database.js';

/**
 * A server that knows a table to be empty expects that reading it whole costs nothing. A join with `discrepancies` then
 * read the table once for each new finding, while the findings before it were being stored: 15,000 took 1.75 s. Scans
 * are counted and not seconds, so a busy machine changes nothing.
 */
const findings = 3_000;

const testDatabase = databaseForAllTests();

beforeAll(async () => {
  await testDatabase.database.sql`vacuum (analyze) discrepancies`;
});

test('the first findings of a database are stored without reading its findings again and again', async () => {
  const { stored, scans } = await testDatabase.database.sql.begin(async (tx) => {
    await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
    await tx`create temp table found on commit drop as
      select md5(n::text) collate "C" as id, 'BRAND_MISMATCH' collate "C" as code, 'warning' collate "C" as severity,
        null::integer as file_id, null::integer as line, null::bigint as payment_key, 'one' as expected,
        'other' as actual, null::bigint as difference_minor, 'differs' as message
      from generate_series(1, ${findings}) n`;
    await tx`analyze found (id)`;
    await storeFindings(tx, 1 as RunId);
    const [counted] = await tx<{ stored: number; scans: number }[]>`
      select (select count(*)::int from discrepancies) as stored, seq_scan::int as scans
      from pg_stat_xact_user_tables where relname = 'discrepancies'`;
    return counted ?? { stored: 0, scans: Infinity };
  });
  expect(stored).toBe(findings);
  expect(scans).toBeLessThan(10);
});
