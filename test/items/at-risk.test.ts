import { describe, expect, it } from 'vitest';
import { everyOpenItem, listItems } from '../../src/items/list-items.js';
import type { Item } from '../../src/findings/open-item.js';
import { formatAmount } from '../../src/values/money.js';
import { matchRun } from '../matching/findings.js';
import { rolledBack, storePayments, storeRecords } from '../matching/scenario.js';
import { paymentsOf, recordsOf } from '../matching/table.js';
import { rowsOf } from '../support/rows-of.js';
import { databaseForAllTests } from '../support/database.js';

/** The money of open items (design 6), and the items that are proposed for each other (design 4.9). */

const testDatabase = databaseForAllTests();

/** Matches both tables in one run; the open items. */
const itemsOf = async (payments: string, records: string): Promise<readonly Item[]> => {
  let items: readonly Item[] = [];
  await rolledBack(testDatabase.database.sql, async (tx) => {
    await storePayments(tx, paymentsOf(payments));
    await storeRecords(tx, 1, recordsOf(records));
    await matchRun(tx, 1);
    ({ rows: items } = await listItems(tx, { asOf: '2026-11-20', timezone: 'UTC' }, everyOpenItem, 99));
  });
  return items;
};

describe('AtRisk', () => {
  /** The last column has the money of the only item of each record, by the line of the record. */
  const expectMoney = async (payments: string, records: string): Promise<void> => {
    const items = await itemsOf(payments, records);
    const found = rowsOf(records).map((row, index) => {
      const ofRecord = items.filter(({ line }) => line === index + 2);
      const texts = ofRecord.map(
        ({ code, atRiskMinor, currency }) => `${code} ${formatAmount(atRiskMinor)} ${currency ?? ''}`,
      );
      return [row['record'], texts.sort().join(', ')];
    });
    expect(found).toEqual(rowsOf(records).map((row) => [row['record'], row['expected']]));
  };

  it('of a failed settlement is what should have moved: by the payment, else by the record', () =>
    expectMoney(
      `payment | type
       p1      | DB
       p2      | CP
       p3      | CD
       p4      | RF`,
      `record | kind           | unique | status | cashflow | expected
       a      | SETTLED DEBIT  | p1     | FAILED | NEG      | CASHFLOW_MISMATCH 0.00 EUR, SETTLEMENT_FAILED 100.00 EUR
       b      | SETTLED DEBIT  | p2     | FAILED |          | SETTLEMENT_FAILED 100.00 EUR
       c      | SETTLED CREDIT | p3     | FAILED |          | SETTLEMENT_FAILED -100.00 EUR
       d      | SETTLED REFUND | p4     | FAILED |          | SETTLEMENT_FAILED -100.00 EUR
       e      | SETTLED DEBIT  | p9     | FAILED |          | NOT_MATCHED -100.00 EUR, SETTLEMENT_FAILED 100.00 EUR
       f      | SETTLED REFUND | p9     | FAILED |          | NOT_MATCHED 100.00 EUR, SETTLEMENT_FAILED -100.00 EUR
       g      | CHARGEBACK     | p1     | FAILED |          | SETTLEMENT_FAILED -100.00 EUR
       h      | FEE MONTHLY    |        | FAILED | NEG      | SETTLEMENT_FAILED -100.00 EUR
       i      | FEE MONTHLY    |        | FAILED | POS      | SETTLEMENT_FAILED 100.00 EUR`,
    ));

  it('of a difference is what is missing, and negative for what is too much', () =>
    expectMoney(
      `payment | type | amount
       p1      | DB   | 100.00
       p2      | CP   | 100.00
       p3      | CD   | 100.00
       p4      | RF   | 100.00
       p5      | DB   | 100.00
       p6      | DB   | 100.00`,
      `record | kind           | unique | amount    | tx | expected
       a      | SETTLED DEBIT  | p1     | 90.00     | 1  | AMOUNT_MISMATCH 10.00 EUR
       b      | SETTLED DEBIT  | p2     | 110.00    | 1  | AMOUNT_MISMATCH -10.00 EUR
       c      | SETTLED CREDIT | p3     | 90.00     | 1  | AMOUNT_MISMATCH -10.00 EUR
       d      | SETTLED REFUND | p4     | 110.00    | 1  | AMOUNT_MISMATCH 10.00 EUR
       e      | SETTLED DEBIT  | p5     | 70.00 USD | 1  | CURRENCY_MISMATCH 100.00 EUR
       f      | SETTLED DEBIT  | p6     | 100.00    | 1  |
       g      | SETTLED DEBIT  | p6     | 30.00     | 2  | DUPLICATE_SETTLEMENT -30.00 EUR
       h      | CHARGEBACK     | p6     | 130.00    | 3  | CHARGEBACK_EXCEEDS_PAYMENT 30.00 EUR
       i      | REVERSAL       | p1     | 20.00     | 4  | REVERSAL_WITHOUT_CHARGEBACK -20.00 EUR`,
    ));
});

describe('SuggestedLink', () => {
  it.each([
    ['on the same day', '2026-11-10', 'DB', 'SETTLED DEBIT', true],
    ['ten days later', '2026-11-20', 'DB', 'SETTLED DEBIT', true],
    ['eleven days later', '2026-11-21', 'DB', 'SETTLED DEBIT', false],
    ['ten days earlier', '2026-10-31', 'DB', 'SETTLED DEBIT', true],
    ['eleven days earlier', '2026-10-30', 'DB', 'SETTLED DEBIT', false],
    ['of a capture', '2026-11-10', 'CP', 'SETTLED DEBIT', true],
    ['of another type', '2026-11-10', 'RF', 'SETTLED DEBIT', false],
    ['that is no settlement', '2026-11-10', 'DB', 'CHARGEBACK', false],
  ])('pairs a payment without settlement and a record %s: %s', async (_name, date, type, kind, isPair) => {
    const items = await itemsOf(
      `payment | account | type    | at\np1 | ours | ${type} | 2026-11-10T10:00:00Z`,
      `record | kind | unique | date\na | ${kind} | p9 | ${date}`,
    );
    const pairs = items.flatMap(({ discrepancyId, suggestedLink }) =>
      suggestedLink === null ? [] : [[discrepancyId, suggestedLink].sort().join()],
    );
    expect([pairs.length, new Set(pairs).size]).toEqual(isPair ? [2, 1] : [0, 0]);
  });
});
