import { expect, test } from 'vitest';
import { fittingTypesOf } from '../../src/matching/type-fit.js';
import { databaseForAllTests } from '../support/database.js';
import { fittingTypes } from './fitting-types.js';

const testDatabase = databaseForAllTests();

test.each([
  ['SETTLED', 'DEBIT', 'DB CP'],
  ['SETTLED', 'CREDIT', 'CD'],
  ['SETTLED', 'REFUND', 'RF'],
  ['CHARGEBACK', 'DEBIT', 'DB CP'],
  ['CHARGEBACK', 'REFUND', 'DB CP'],
  ['CHARGEBACK REVERSAL', 'CREDIT', 'DB CP'],
  ['FEE', 'AUTH_FEE', 'PA DB'],
  ['FEE', 'CAPTURE_FEE', 'CP DB'],
  ['FEE', 'CANCEL_FEE', 'RV'],
  ['FEE', 'REFUND_FEE', 'RF'],
  ['FEE', 'DEBIT', 'PA DB CD CP RV RF'],
  ['SETTLED', 'MONTHLY', 'PA DB CD CP RV RF'],
])('%s %s fits %s, in the program and in the model', async (reconciliationType, paymentType, types) => {
  const found = await testDatabase.database.sql.begin(
    (tx) => tx<{ types: string }[]>`
      select array_to_string(${fittingTypesOf(tx)}, ' ') as types
      from (values (${reconciliationType}::text, ${paymentType}::text)) r (reconciliation_type, payment_type)`,
  );
  expect(found).toEqual([{ types }]);
  expect(fittingTypes(reconciliationType, paymentType).join(' ')).toBe(types);
});
