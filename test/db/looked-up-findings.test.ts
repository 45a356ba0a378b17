import { expect, test } from 'vitest';
import { paymentWideCodes } from '../../src/findings/discrepancy-codes.js';
import { databaseForAllTests } from '../support/database.js';

const testDatabase = databaseForAllTests();

// A code that the index leaves out would be found all the same, but by reading the findings of all years.
test.each([
  ...[...paymentWideCodes, 'MISSING_SETTLEMENT'].map((code) => `code = '${code}'`),
  ...['REVERSAL_WITHOUT_CHARGEBACK', 'TYPE_MISMATCH', 'PAYMENT_NOT_SUCCESSFUL'].map(
    (code) => `code = '${code}'`,
  ),
  'file_id is null',
])('an index lists the open findings with %s', async (condition) => {
  const { sql } = testDatabase.database;
  const plan = await sql.begin(async (tx) => {
    await tx`set local enable_seqscan to off`;
    return tx<
      { 'QUERY PLAN': string }[]
    >`explain select * from discrepancies where resolved_run is null and ${tx.unsafe(condition)}`;
  });
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('discrepancies_looked_up');
});
