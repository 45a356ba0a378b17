import { describe, expect, it } from 'vitest';
import { addDays } from '../../../src/values/calendar-date.js';
import { databaseForAllTests } from '../../support/database.js';
import { matchRange, matchRun, openFindings, shortened } from '../findings.js';
import { fingerprintOf, storePayments, storeRecords, rolledBack } from '../scenario.js';
import { rowsOf } from '../../support/rows-of.js';
import { paymentsOf, recordsOf } from '../table.js';

const testDatabase = databaseForAllTests();

/**
 * Matches both tables in one run. Every finding is one line: code, expected → actual, difference; several findings of
 * one record are separated by commas in the order of their codes. `expected` is the last column; findings
 * about payments are expected by name.
 */
async function expectFindings(
  payments: string,
  records: string,
  missing: Readonly<Record<string, string>> = {},
): Promise<void> {
  const found = await rolledBack(testDatabase.database.sql, async (tx) => {
    await storePayments(tx, paymentsOf(payments));
    await storeRecords(tx, 1, recordsOf(records));
    await matchRun(tx, 1);
    return openFindings(tx, new Map(recordsOf(records).map((each) => [fingerprintOf(each.name), each.name])));
  });
  const lines: Record<string, string> = {};
  for (const each of found) {
    const line = `${each.code} ${shortened(each.expected)} → ${shortened(each.actual)}${each.difference === null ? '' : ` (${each.difference})`}`;
    lines[each.subject] = lines[each.subject] === undefined ? line : `${lines[each.subject] ?? ''}, ${line}`;
  }
  const wanted = rowsOf(records)
    .filter((row) => row['expected'] !== '')
    .map((row) => [
      (row['record'] ?? '').includes('/') ? row['record'] : `${row['record'] ?? ''}/1`,
      row['expected'],
    ]);
  expect(lines).toEqual({ ...Object.fromEntries(wanted), ...missing });
}

describe('about the match', () => {
  it('NOT_MATCHED and MULTIPLE_MATCHES', () =>
    expectFindings(
      `payment | short
       p1      | s1
       p2      | s1
       p3      | s3`,
      `record | kind        | short | expected
       a      |             | s1    | MULTIPLE_MATCHES one payment → 2 payments
       b      |             | s3    |
       c      |             | s9    | NOT_MATCHED one payment → none
       d      | FEE MONTHLY | s9    |`,
    ));

  it('CLAIM_DIFFERS', () =>
    expectFindings(
      `payment | short
       p1      | s1
       p2      | s2
       p3      | s2`,
      `record | kind        | short | claim            | claimed | expected
       a      | CHARGEBACK  | s1    | MATCHED          | p1      | CHARGEBACK_EXCEEDS_PAYMENT 100.00 → 400.00 (300.00)
       b      | CHARGEBACK  | s1    | MATCHED          | p2      | CLAIM_DIFFERS MATCHED p1 → MATCHED p2
       c      | CHARGEBACK  | s1    | NOT_MATCHED      |         | CLAIM_DIFFERS MATCHED p1 → NOT_MATCHED
       d      | FEE MONTHLY |       | MATCHED          |         | CLAIM_DIFFERS nothing → MATCHED
       e      | CHARGEBACK  | s2    | MULTIPLE_MATCHES | p3,p2   | MULTIPLE_MATCHES one payment → 2 payments
       f      | CHARGEBACK  | s2    |                  | p2      | CLAIM_DIFFERS MULTIPLE_MATCHES p2,p3 → p2, MULTIPLE_MATCHES one payment → 2 payments
       g      | FEE MONTHLY |       |                  |         |
       h      | CHARGEBACK  | s1    |                  | p1      |`,
    ));
});

describe('about the payment', () => {
  it('CURRENCY_MISMATCH, without a finding about the amount', () =>
    expectFindings(
      `payment | amount
       p1      | 100.00 EUR
       p2      | 100.00 EUR`,
      `record | kind       | unique | amount     | settles    | rate | expected
       a      |            | p1     | 90.00 USD  |            |      | CURRENCY_MISMATCH EUR → USD
       b      | CHARGEBACK | p1     | 90.00 USD  |            |      |
       c      |            | p2     | 100.00 EUR | 108.00 USD | 1.08 |`,
    ));

  it('TYPE_MISMATCH', () =>
    expectFindings(
      `payment | type
       p1      | DB
       p2      | CP
       p3      | PA`,
      `record | kind            | unique | expected
       a      | SETTLED REFUND  | p1     | TYPE_MISMATCH RF → DB
       b      | SETTLED DEBIT   | p2     |
       c      | SETTLED DEBIT   | p3     | TYPE_MISMATCH DB or CP → PA
       d      | FEE AUTH_FEE    | p3     |
       e      | FEE CAPTURE_FEE | p3     | TYPE_MISMATCH CP or DB → PA`,
    ));

  it('PAYMENT_NOT_SUCCESSFUL', () =>
    expectFindings(
      `payment | result
       p1      | failed
       p2      | pending
       p3      | success`,
      `record | kind       | unique | expected
       a      |            | p1     | PAYMENT_NOT_SUCCESSFUL SUCCESS → FAILED
       b      |            | p2     | PAYMENT_NOT_SUCCESSFUL SUCCESS → PENDING
       c      |            | p3     |
       d      | CHARGEBACK | p1     |`,
    ));

  it('PAYMENT_REVERSED: only when reversed in full, by reversals that succeeded', () =>
    expectFindings(
      `payment | type | amount | result  | of
       p1      | DB   | 100.00 |         |
       p2      | RV   | 60.00  |         | p1
       p3      | RV   | 40.00  |         | p1
       p4      | DB   | 100.00 |         |
       p5      | RV   | 99.99  |         | p4
       p6      | DB   | 100.00 |         |
       p7      | RV   | 100.00 | failed  | p6
       p8      | RF   | 100.00 |         | p6`,
      `record | kind       | unique | expected
       a      |            | p1     | PAYMENT_REVERSED not reversed → reversed in full
       b      |            | p4     |
       c      |            | p6     |
       d      | CHARGEBACK | p1     |`,
    ));

  it('MERCHANT_ACCOUNT_MISMATCH, ACCOUNT_MISMATCH, BRAND_MISMATCH: only where both sides have a value', () =>
    expectFindings(
      `payment | account   | last4 | brand
       p1      | ours      | 1111  | VISA
       p2      | elsewhere | 1111  | VISA
       p3      |           |       |`,
      `record | unique | last4 | brand  | expected
       a      | p1     | 1111  | VISA   |
       b      | p2     |       |        | MERCHANT_ACCOUNT_MISMATCH elsewhere → account
       c      | p3     | 2222  | MASTER |`,
    ));

  it('ACCOUNT_MISMATCH and BRAND_MISMATCH', () =>
    expectFindings(
      `payment | last4 | brand
       p1      | 1111  | VISA`,
      `record | kind       | unique | last4 | brand  | expected
       a      | CHARGEBACK | p1     | 2222  | MASTER | ACCOUNT_MISMATCH 1111 → 2222, BRAND_MISMATCH VISA → MASTER
       b      |            | p1     |       |        |`,
    ));
});

describe('sums of settlements', () => {
  it('AMOUNT_MISMATCH is reported once, on the last of the parts', () =>
    expectFindings(
      `payment | amount
       p1      | 100.00
       p2      | 100.00
       p3      | 100.00
       p4      | 100.00
       p5      | 100.00
       p6      | 0.00`,
      `record | unique | amount     | date       | tx | status  | expected
       a      | p1     | 90.00      |            |    |         | AMOUNT_MISMATCH 100.00 → 90.00 (-10.00)
       b2     | p2     | 40.00      | 2026-11-20 | 1  |         |
       b1     | p2     | 60.00      | 2026-11-19 | 2  |         |
       c3     | p3     | 20.00      | 2026-11-20 | 2  |         | AMOUNT_MISMATCH 100.00 → 90.00 (-10.00)
       c2     | p3     | 30.00      | 2026-11-20 | 1  |         |
       c1     | p3     | 40.00      | 2026-11-19 | 9  |         |
       d      | p4     | 100.00     |            | 1  |         |
       e      | p4     | 50.00      |            | 2  | FAILED  | SETTLEMENT_FAILED SUCCESS → FAILED
       f      | p5     | 100.01     |            |    |         | AMOUNT_MISMATCH 100.00 → 100.01 (0.01)
       g      | p6     | 1.00       |            |    |         | AMOUNT_MISMATCH 0.00 → 1.00 (1.00)`,
    ));

  it('leave out a record of a type that does not fit', () =>
    expectFindings(
      `payment | amount | type
       p1      | 100.00 | DB
       p2      | 100.00 | PA`,
      `record | kind           | unique | amount | tx | status | expected
       a      |                | p1     | 100.00 | 1  |        |
       b      | SETTLED REFUND | p1     | 40.00  | 2  |        | TYPE_MISMATCH RF → DB
       c      |                | p2     | 40.00  | 1  |        | TYPE_MISMATCH DB or CP → PA
       d      | CHARGEBACK     | p2     | 140.00 | 1  |        | TYPE_MISMATCH DB or CP → PA
       e      | SETTLED REFUND | p1     | 100.00 | 0  | FAILED | SETTLEMENT_FAILED SUCCESS → FAILED, TYPE_MISMATCH RF → DB`,
    ));

  // Records of one day are in the order of their SettlementTxId, none first, and then of their fingerprints: g2, g1.
  it('DUPLICATE_SETTLEMENT: records that come after the payment is settled, which do not count in the sum', () =>
    expectFindings(
      `payment | amount
       p1      | 100.00
       p2      | 100.00
       p3      | 100.00
       p4      | 0.00
       p5      | 100.00
       p6      | 100.00`,
      `record | kind           | unique | amount     | date       | tx | expected
       a2     |                | p1     | 100.00     | 2026-11-20 |    | DUPLICATE_SETTLEMENT 0.00 → 100.00 (100.00)
       a1     |                | p1     | 100.00     | 2026-11-19 |    |
       b/2    |                | p2     | 100.00     |            | 1  | DUPLICATE_SETTLEMENT 0.00 → 100.00 (100.00)
       b/1    |                | p2     | 100.00     |            | 1  |
       c1     |                | p3     | 60.00      |            | 1  |
       c2     |                | p3     | 60.00      |            | 2  | AMOUNT_MISMATCH 100.00 → 120.00 (20.00)
       c3     |                | p3     | 60.00      |            | 3  | DUPLICATE_SETTLEMENT 0.00 → 60.00 (60.00)
       c4     |                | p3     | 60.00 USD  |            | 4  | CURRENCY_MISMATCH EUR → USD
       d1     |                | p4     | 0.00       |            | 1  |
       d2     |                | p4     | 0.00       |            | 2  | DUPLICATE_SETTLEMENT 0.00 → 0.00 (0.00)
       e1     |                | p5     | 100.00     |            | 1  | DUPLICATE_SETTLEMENT 0.00 → 100.00 (100.00)
       e2     |                | p5     | 100.00     |            |    |
       g1     |                | p6     | 100.00     |            | 1  | DUPLICATE_SETTLEMENT 0.00 → 100.00 (100.00)
       g2     |                | p6     | 100.00     |            | 1  |`,
    ));

  it('sums of payments that weaker keys find: of one record, and of several with other keys and kinds', () =>
    expectFindings(
      `payment | short | tx1 | amount
       p1      | s1    |     | 100.00
       p2      | s2    |     | 100.00
       p3      | s3    | t3  | 100.00
       p4      | s4    |     | 100.00
       p5      | s5    |     | 100.00
       p6      | s6    |     | 100.00
       p7      |       | t7  | 100.00`,
      `record | kind       | unique | short | tx1 | amount     | date       | status | expected
       a      |            |        | s1    |     | 100.00     |            |        |
       b1     |            |        | s2    |     | 100.00     |            |        |
       b2     |            |        | s2    |     | 100.00     | 2026-11-20 |        | DUPLICATE_SETTLEMENT 0.00 → 100.00 (100.00)
       c1     |            | p3     |       |     | 100.00     |            |        |
       c2     |            |        |       | t3  | 100.00     | 2026-11-20 |        | DUPLICATE_SETTLEMENT 0.00 → 100.00 (100.00)
       d      |            |        | s4    |     | 60.00      |            |        | AMOUNT_MISMATCH 100.00 → 60.00 (-40.00)
       e1     |            |        | s5    |     | 100.00     |            |        |
       e2     |            |        | s5    |     | 100.00     | 2026-11-18 | FAILED |
       f      |            |        | s6    |     | 100.00 USD |            |        | CURRENCY_MISMATCH EUR → USD
       g1     |            |        |       | t7  | 100.00     |            |        |
       g2     |            |        |       | t7  | 10.00      | 2026-11-20 |        | DUPLICATE_SETTLEMENT 0.00 → 10.00 (10.00)`,
    ));
});

describe('about the record alone', () => {
  it('CASHFLOW_MISMATCH', () =>
    expectFindings(
      'payment',
      `record | kind           | cashflow | unique | expected
       a      | SETTLED DEBIT  | NEG      | p9     | CASHFLOW_MISMATCH POS → NEG, NOT_MATCHED one payment → none
       b      | SETTLED CREDIT | POS      | p9     | CASHFLOW_MISMATCH NEG → POS, NOT_MATCHED one payment → none
       c      | SETTLED REFUND | POS      | p9     | CASHFLOW_MISMATCH NEG → POS, NOT_MATCHED one payment → none
       d      | CHARGEBACK     | POS      | p9     | CASHFLOW_MISMATCH NEG → POS, NOT_MATCHED one payment → none
       e      | REVERSAL       | NEG      | p9     | CASHFLOW_MISMATCH POS → NEG, NOT_MATCHED one payment → none
       f      | SETTLED DEBIT  | POS      | p9     | NOT_MATCHED one payment → none
       g      | SETTLED BATCH  | NEG      | p9     | NOT_MATCHED one payment → none
       h      | FEE MONTHLY    | NEG      |        |
       i      | FEE MONTHLY    | POS      |        |`,
    ));

  it('SETTLEMENT_FAILED, for any kind of record', () =>
    expectFindings(
      'payment\np1',
      `record | kind        | unique | status | expected
       a      |             | p1     | FAILED | SETTLEMENT_FAILED SUCCESS → FAILED
       b      | FEE MONTHLY |        | FAILED | SETTLEMENT_FAILED SUCCESS → FAILED`,
    ));

  it('SETTLEMENT_FAILED is resolved by later settlements of the full amount, and by nothing else', () =>
    expectFindings(
      `payment | amount
       p1      | 100.00
       p2      | 100.00
       p3      | 100.00
       p4      | 100.00
       p5      | 100.00
       p6      | 0.00
       p7      | 0.00`,
      `record | kind       | unique | amount     | tx | status | expected
       a1     |            | p1     | 100.00     | 1  | FAILED |
       a2     |            | p1     | 60.00      | 2  |        |
       a3     |            | p1     | 40.00      | 3  |        |
       b1     |            | p2     | 100.00     | 1  |        |
       b2     |            | p2     | 100.00     | 2  | FAILED | SETTLEMENT_FAILED SUCCESS → FAILED
       c1     |            | p3     | 100.00     | 1  | FAILED | SETTLEMENT_FAILED SUCCESS → FAILED
       c2     |            | p3     | 99.99      | 2  |        | AMOUNT_MISMATCH 100.00 → 99.99 (-0.01)
       d1     |            | p4     | 100.00     | 1  | FAILED | SETTLEMENT_FAILED SUCCESS → FAILED
       d2     |            | p4     | 100.00 USD | 2  |        | CURRENCY_MISMATCH EUR → USD
       e1     | CHARGEBACK | p5     | 100.00     | 1  | FAILED | SETTLEMENT_FAILED SUCCESS → FAILED
       e2     |            | p5     | 100.00     | 2  |        |
       f1     |            | p6     | 0.00       | 1  | FAILED | SETTLEMENT_FAILED SUCCESS → FAILED
       g1     |            | p7     | 0.00       | 1  | FAILED |
       g2     |            | p7     | 0.00       | 2  |        |`,
    ));

  it('FX_MISMATCH: beyond a cent in one currency, beyond half a percent more between two, never for a fee', () =>
    expectFindings(
      `payment | amount
       p1      | 100.00
       p2      | 9999999999.99
       p3      | 400000.00
       p4      | 9999999999.99`,
      `record | kind        | unique | amount        | settles           | fee  | rate          | expected
       a      | CHARGEBACK  | p1     | 10.00         | 10.01             |      |               |
       b      | CHARGEBACK  | p1     | 10.00         | 10.02             |      |               | FX_MISMATCH 10.00 → 10.02 (0.02)
       c      | CHARGEBACK  | p1     | 10.00         | 9.98              | 0.01 |               |
       d      | CHARGEBACK  | p1     | 10.00         | 9.97              | 0.01 |               | FX_MISMATCH 10.00 → 9.97 (-0.03)
       e      | CHARGEBACK  | p1     | 10.00         | 11.00             | 1.00 |               |
       f      | CHARGEBACK  | p1     | 10.00         | 10.86 USD         |      | 1.08          |
       g      | CHARGEBACK  | p1     | 10.00         | 10.87 USD         |      | 1.08          | FX_MISMATCH 10.80 → 10.87 (0.07)
       h      | FEE MONTHLY |        | 10.00         | 99.00             |      |               |
       i      | CHARGEBACK  | p1     | 0.33          | 0.16 USD          |      | 0.50          |
       j      | CHARGEBACK  | p1     | 0.33          | 0.17 USD          |      | 0.50          |
       k      | CHARGEBACK  | p1     | 0.33          | 0.18 USD          |      | 0.50          | FX_MISMATCH 0.17 → 0.18 (0.01)
       s      | CHARGEBACK  | p1     | 0.33          | 0.15 USD          |      | 0.49          | FX_MISMATCH 0.16 → 0.15 (-0.01)
       l      | CHARGEBACK  | p2     | 9999999999.99 | 1.00              |      | 9999999999.99 | FX_MISMATCH 99999999999800000000.00 → 1.00
       m      | CHARGEBACK  | p1     | 0.00          | 0.00              |      | 0.00          |
       n      | CHARGEBACK  | p3     | 100000.00     | 9000000000.01     |      | 90000.00      |
       o      | CHARGEBACK  | p3     | 100000.00     | 9000000000.02     |      | 90000.00      | FX_MISMATCH 9000000000.00 → 9000000000.02 (0.02)
       p      | CHARGEBACK  | p3     | 100000.00     | 9000001000.01     |      | 90000.01      |
       q      | CHARGEBACK  | p3     | 100000.00     | 9000001000.02     |      | 90000.01      | FX_MISMATCH 9000001000.00 → 9000001000.02 (0.02)
       r      | CHARGEBACK  | p4     | 9999999999.99 | 1.00              |      | 90000.00      | FX_MISMATCH 899999999999100.00 → 1.00 (-899999999999099.00)`,
      {},
    ));

  it('CHARGEBACK_WITHOUT_REASON', () =>
    expectFindings(
      'payment\np1',
      `record | kind       | unique | reason      | expected
       a      | CHARGEBACK | p1     | none        | CHARGEBACK_WITHOUT_REASON a reason code → none
       b      | REVERSAL   | p1     | none        |
       c      | SETTLED DEBIT | p1  | none        |`,
    ));
});

describe('sums of chargebacks', () => {
  it('CHARGEBACK_EXCEEDS_PAYMENT, reported on the last chargeback, after subtracting reversals', () =>
    expectFindings(
      `payment
       p1
       p2
       p3
       p4
       p5`,
      `record | kind       | unique | amount    | tx | status | expected
       a2     | CHARGEBACK | p1     | 60.00     | 2  |        | CHARGEBACK_EXCEEDS_PAYMENT 100.00 → 120.00 (20.00)
       a1     | CHARGEBACK | p1     | 60.00     | 1  |        |
       b1     | CHARGEBACK | p2     | 60.00     | 1  |        |
       b2     | CHARGEBACK | p2     | 60.00     | 2  |        |
       b3     | REVERSAL   | p2     | 20.00     | 3  |        |
       c1     | CHARGEBACK | p3     | 60.00     | 1  |        |
       c2     | CHARGEBACK | p3     | 60.00 USD | 2  |        |
       d1     | CHARGEBACK | p4     | 60.00     | 1  |        |
       d2     | CHARGEBACK | p4     | 40.00     | 2  |        |
       e1     | CHARGEBACK | p5     | 60.00     | 1  |        |
       e2     | CHARGEBACK | p5     | 60.00     | 2  |        | CHARGEBACK_EXCEEDS_PAYMENT 100.00 → 120.00 (20.00)
       e3     | CHARGEBACK | p5     | 60.00     | 3  | FAILED | SETTLEMENT_FAILED SUCCESS → FAILED`,
    ));

  it('REVERSAL_WITHOUT_CHARGEBACK', () =>
    expectFindings(
      'payment\np1\np2',
      `record | kind       | unique | tx | expected
       a1     | CHARGEBACK | p1     | 1  |
       a2     | REVERSAL   | p1     | 2  |
       a3     | REVERSAL   | p1     | 3  | REVERSAL_WITHOUT_CHARGEBACK an open chargeback → none
       b      | REVERSAL   | p9     | 3  | NOT_MATCHED one payment → none
       c      | REVERSAL   | p2     |    | REVERSAL_WITHOUT_CHARGEBACK an open chargeback → none`,
    ));
});

describe('MISSING_SETTLEMENT', () => {
  const missing = 'MISSING_SETTLEMENT 100.00 → 0.00 (-100.00)';

  it('is reported for successful payments that are due and not too old, of the types that are settled', () =>
    expectFindings(
      `payment | type | result  | at                   | of
       p1      | DB   |         | 2026-11-15T23:59:59Z |
       p2      | DB   |         | 2026-11-16T00:00:00Z |
       p3      | DB   |         | 2026-09-21T00:00:00Z |
       p4      | DB   |         | 2026-09-20T23:59:59Z |
       p5      | DB   | failed  | 2026-11-10T10:00:00Z |
       p6      | DB   | pending | 2026-11-10T10:00:00Z |
       p7      | PA   |         | 2026-11-10T10:00:00Z |
       p8      | CP   |         | 2026-11-10T10:00:00Z |
       q1      | CD   |         | 2026-11-10T10:00:00Z |
       q2      | RF   |         | 2026-11-10T10:00:00Z |
       q3      | DB   |         | 2026-11-10T10:00:00Z |
       q4      | RV   |         | 2026-11-10T10:00:00Z | q3`,
      'record | expected',
      { p1: missing, p3: missing, p8: missing, q1: missing, q2: missing },
    ));

  it('is reported unless a SETTLED, SUCCESS record is matched to the payment or lists it, or its failure is open', () =>
    expectFindings(
      `payment | short | at
       p1      |       | 2026-11-10T10:00:00Z
       p2      | s2    | 2026-11-10T10:00:00Z
       p3      | s2    | 2026-11-10T10:00:00Z
       p4      |       | 2026-11-10T10:00:00Z
       p5      |       | 2026-11-10T10:00:00Z
       p6      | s6    | 2026-11-10T10:00:00Z
       p7      | s6    | 2026-11-10T10:00:00Z
       p8      |       | 2026-11-10T10:00:00Z
       p9      |       | 2026-11-10T10:00:00Z`,
      `record | kind           | unique | short | status | expected
       a      |                | p1     |       | FAILED | SETTLEMENT_FAILED SUCCESS → FAILED
       b      |                |        | s2    |        | MULTIPLE_MATCHES one payment → 2 payments
       c      | CHARGEBACK     | p4     |       |        |
       d      |                |        | s6    | FAILED | MULTIPLE_MATCHES one payment → 2 payments, SETTLEMENT_FAILED SUCCESS → FAILED
       e      | CHARGEBACK     | p8     |       | FAILED | SETTLEMENT_FAILED SUCCESS → FAILED
       f      | SETTLED REFUND | p9     |       |        | TYPE_MISMATCH RF → DB`,
      { p4: missing, p5: missing, p6: missing, p7: missing, p8: missing, p9: missing },
    ));

  it.each([
    ['Europe/Berlin', '2026-11-15T22:59:59Z', '2026-11-15T23:00:00Z', '2026-11-20'],
    // The clock shows the first hour of 25 October twice.
    ['Atlantic/Azores', '2026-10-24T23:59:59Z', '2026-10-25T00:00:00Z', '2026-10-29'],
    ['America/Havana', '2026-11-01T03:59:59Z', '2026-11-01T04:00:00Z', '2026-11-05'],
    // The clock does not show the first hour of 6 September.
    ['America/Santiago', '2026-09-06T03:59:59Z', '2026-09-06T04:00:00Z', '2026-09-10'],
  ])('uses the day of a payment in the configured time zone: %s', (timezone, due, notDue, day) =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf(`payment | at\np1 | ${due}\np2 | ${notDue}`));
      const subjects = async () => (await openFindings(tx, new Map())).map((each) => each.subject);
      await matchRun(tx, 1, { timezone, asOf: day });
      expect(await subjects()).toEqual(['p1']);
      await matchRun(tx, 2, { timezone, asOf: addDays(day, 1) });
      expect(await subjects()).toEqual(['p1', 'p2']);
    }),
  );
});

describe('MISSING_SETTLEMENT in a re-run', () => {
  it.each([
    [
      'whose due date is in the range, both ends included',
      '2026-11-16',
      '2026-11-18',
      ['p2', 'p3', 'p4', 'p5'],
    ],
    ['that are due on the as-of date, though the range ends later', '2026-11-19', '2026-12-31', ['p6', 'p7']],
    ['of a single day', '2026-11-18', '2026-11-18', ['p4', 'p5']],
  ])('is about the payments %s', (_name, from, to, expected) =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(
        tx,
        paymentsOf(`payment | at
                    p1      | 2026-11-10T23:59:59Z
                    p2      | 2026-11-11T00:00:00Z
                    p3      | 2026-11-12T10:00:00Z
                    p4      | 2026-11-13T00:00:00Z
                    p5      | 2026-11-13T23:59:59Z
                    p6      | 2026-11-14T00:00:00Z
                    p7      | 2026-11-15T23:59:59Z
                    p8      | 2026-11-16T00:00:00Z`),
      );
      await matchRange(tx, 1, { from, to });
      expect((await openFindings(tx, new Map())).map((each) => each.subject)).toEqual(expected);
    }),
  );
});

describe('a delivery that has not arrived', () => {
  const late = [
    { source: 'north', date: '2026-11-11' },
    { source: 'south', date: '2026-11-11' },
    { source: 'east', date: '2026-11-13' },
  ];

  it.each([
    ['of the day of the payment', '2026-11-11T10:00:00Z', 'The delivery of north for 2026-11-11'],
    ['of the next day after it', '2026-11-12T10:00:00Z', 'The delivery of east for 2026-11-13'],
    ['of the day in the configured zone', '2026-11-11T23:00:00Z', 'The delivery of east for 2026-11-13'],
    ['but none of an earlier day', '2026-11-14T10:00:00Z', null],
  ])('is named by MISSING_SETTLEMENT, the first %s', (_name, at, delivery) =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf(`payment | at\np1 | ${at}`));
      // In another order than the sources and days.
      await matchRun(tx, 1, { timezone: 'Europe/Berlin', awaited: late.toReversed() });
      const [found] = await tx<{ message: string }[]>`
        select message from discrepancies where code = 'MISSING_SETTLEMENT'`;
      expect(found?.message.split(' has arrived.')[1]).toBe(
        delivery === null ? '' : ` ${delivery} has not arrived and may contain it.`,
      );
    }),
  );
});

describe('wording', () => {
  it('says what is wrong, by how much and for which payment', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(
        tx,
        paymentsOf('payment | amount | at\np1 | 100.00 |\np2 | 50.00 | 2026-11-10T10:00:00Z'),
      );
      await storeRecords(
        tx,
        1,
        recordsOf(`record | unique | short | amount | last4 | time
                   a      | p1     |       | 90.00  |       |
                   b      | p8     | s8    | 12.00  |       |
                   c      |        |       | 13.00  | 1234  | 2026-11-10T10:00:00Z
                   d      |        |       | 14.00  |       |
                   e      |        |       | 15.00  | 1234  |
                   f      |        |       | 16.00  |       | 2026-11-10T10:00:00Z`),
      );
      await matchRun(tx, 1);
      const rows = await tx<{ message: string }[]>`select message from discrepancies order by code, line`;
      expect(rows.map((row) => shortened(row.message))).toEqual([
        'Payment p1 is for 100.00 EUR, but 90.00 EUR was settled for it: 10.00 EUR too little.',
        'Payment p2 (DB) for 50.00 EUR on 2026-11-10 succeeded, but no settlement of it has arrived.',
        'No stored payment belongs to this record of 12.00 EUR (UniqueID p8, ShortId s8).',
        'No stored payment belongs to this record of 13.00 EUR (it carries no payment reference, and account, amount and time find none).',
        'No stored payment belongs to this record of 14.00 EUR (it carries no payment reference, and without AccountNumberLast4 and TxRequestTime it is not looked up by account, amount and time).',
        'No stored payment belongs to this record of 15.00 EUR (it carries no payment reference, and without TxRequestTime it is not looked up by account, amount and time).',
        'No stored payment belongs to this record of 16.00 EUR (it carries no payment reference, and without AccountNumberLast4 it is not looked up by account, amount and time).',
      ]);
    }));

  it('does not say that attributes find nothing when they are not used', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storeRecords(tx, 1, recordsOf(`record | last4 | time\na | 1234 | 2026-11-10T10:00:00Z`));
      await matchRun(tx, 1, { attributes: { enabled: false, windowHours: 24 } });
      const [found] = await tx<{ message: string }[]>`select message from discrepancies`;
      expect(found?.message).toBe(
        'No stored payment belongs to this record of 100.00 EUR (it carries no payment reference, and matching by attributes is off).',
      );
    }));

  it.each([
    [10, 'pa, pb, pc, pd, pe, pf, pg, ph, pi, pj.'],
    [12, 'pa, pb, pc, pd, pe, pf, pg, ph, pi, pj and 2 more.'],
  ])('names at most ten of %i payments that fit', (count, list) =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const ids = 'pa,pb,pc,pd,pe,pf,pg,ph,pi,pj,pk,pl'.split(',').slice(0, count);
      await storePayments(tx, paymentsOf(`payment | short\n${ids.map((id) => `${id} | s1`).join('\n')}`));
      await storeRecords(tx, 1, recordsOf('record | short\na | s1'));
      await matchRun(tx, 1);
      const [found] = await tx<{ message: string }[]>`
        select message from discrepancies where code = 'MULTIPLE_MATCHES'`;
      expect(shortened(found?.message ?? '')).toBe(
        `This record of 100.00 EUR fits ${count} payments equally well and was matched to none of them: ${list}`,
      );
    }),
  );
});

describe('discrepancies over several runs', () => {
  const state = (tx: Parameters<typeof matchRun>[0]) => tx`
    select code, first_seen_run as seen, resolved_run as resolved from discrepancies order by code, 2, id`;

  it('are closed when they no longer apply, reopened with the run that first found them, and never duplicated', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storeRecords(tx, 1, recordsOf('record | unique\na | p1'));
      await matchRun(tx, 1);
      const seen = { code: 'NOT_MATCHED', seen: 1, resolved: null };
      expect(await state(tx)).toEqual([seen]);
      await matchRun(tx, 2);
      expect(await state(tx)).toEqual([seen]);
      await storePayments(tx, paymentsOf('payment\np1'));
      await matchRun(tx, 3);
      expect(await state(tx)).toEqual([{ ...seen, resolved: 3 }]);
      await tx`delete from payments`;
      await storeRecords(tx, 4, recordsOf('record | file | unique\nb | 2 | p9'));
      await tx`update settlement_files set finished_run_id = 4`;
      await matchRun(tx, 4);
      expect(await state(tx)).toEqual([seen, { ...seen, seen: 4 }]);
    }));

  it('change when a record arrives later: another part becomes the last one, or a split is completed', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf('payment\np1\np2'));
      await storeRecords(tx, 1, recordsOf('record | unique | amount\na | p1 | 60.00\nb | p2 | 60.00'));
      await matchRun(tx, 1);
      await storeRecords(
        tx,
        2,
        recordsOf(
          'record | file | unique | amount | date\nc | 2 | p1 | 40.00 |\nd | 2 | p2 | 30.00 | 2026-11-18',
        ),
      );
      await matchRun(tx, 2);
      const names = new Map(['a', 'b', 'c', 'd'].map((name) => [fingerprintOf(name), name]));
      expect(await openFindings(tx, names)).toEqual([
        {
          code: 'AMOUNT_MISMATCH',
          subject: 'b/1',
          expected: '100.00',
          actual: '90.00',
          difference: '-10.00',
        },
      ]);
      expect(await state(tx)).toContainEqual({ code: 'AMOUNT_MISMATCH', seen: 1, resolved: 2 });
      expect(await state(tx)).toContainEqual({ code: 'AMOUNT_MISMATCH', seen: 1, resolved: null });
    }));

  it('about a payment keep their id when another record becomes the one that shows them', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const ids = () => tx<{ code: string; id: string; line: number; seen: number }[]>`
        select code, id, line, first_seen_run as seen from discrepancies where resolved_run is null order by code`;
      await storePayments(tx, paymentsOf('payment\np1\np2'));
      await storeRecords(
        tx,
        1,
        recordsOf('record | kind | unique | amount\na | | p1 | 60.00\nb | CHARGEBACK | p2 | 160.00'),
      );
      await matchRun(tx, 1);
      const before = await ids();
      expect(before.map(({ code, line }) => `${code} ${line}`)).toEqual([
        'AMOUNT_MISMATCH 2',
        'CHARGEBACK_EXCEEDS_PAYMENT 3',
      ]);
      await storeRecords(
        tx,
        2,
        recordsOf(`record | file | kind       | unique | amount | date
                   c      | 2    | CHARGEBACK | p2     | 10.00  | 2026-11-20
                   d      | 2    |            | p1     | 30.00  | 2026-11-20`),
      );
      await matchRun(tx, 2);
      expect(await ids()).toEqual([
        { ...before[0], line: 3 },
        { ...before[1], line: 2 },
      ]);
    }));

  it('of a failed settlement are closed by the repeat in a later file, and opened again when that settles another payment', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const names = new Map(['a', 'b'].map((name) => [fingerprintOf(name), name]));
      const open = async () =>
        (await openFindings(tx, names)).map(({ code, subject }) => `${code} ${subject}`);
      await storePayments(tx, paymentsOf('payment | short\np1 | s1'));
      await storeRecords(tx, 1, recordsOf('record | unique | status | tx\na | p1 | FAILED | 1'));
      await matchRun(tx, 1);
      expect(await open()).toEqual(['SETTLEMENT_FAILED a/1']);
      await storeRecords(tx, 2, recordsOf('record | file | unique | short | tx\nb | 2 | p2 | s1 | 2'));
      await matchRun(tx, 2);
      expect(await open()).toEqual([]);
      await storePayments(tx, paymentsOf('payment\np2'));
      await matchRange(tx, 3, { from: '2026-11-19', to: '2026-11-19' });
      expect(await open()).toEqual(['SETTLEMENT_FAILED a/1']);
      expect(await state(tx)).toEqual([{ code: 'SETTLEMENT_FAILED', seen: 1, resolved: null }]);
    }));

  it('of a failed settlement are opened when the repeat that came before it settles another payment', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const names = new Map(['a', 'b'].map((name) => [fingerprintOf(name), name]));
      await storePayments(tx, paymentsOf('payment | short\np1 | s1'));
      await storeRecords(tx, 1, recordsOf('record | unique | short | date\nb | p2 | s1 | 2026-11-20'));
      await matchRun(tx, 1);
      await storeRecords(
        tx,
        2,
        recordsOf('record | file | unique | status | date\na | 2 | p1 | FAILED | 2026-11-18'),
      );
      await matchRun(tx, 2);
      expect(await openFindings(tx, names)).toEqual([]);
      await storePayments(tx, paymentsOf('payment\np2'));
      await matchRange(tx, 3, { from: '2026-11-20', to: '2026-11-20' });
      expect((await openFindings(tx, names)).map(({ code, subject }) => `${code} ${subject}`)).toEqual([
        'SETTLEMENT_FAILED a/1',
      ]);
    }));

  it('of a missing settlement are closed when it arrives or is listed, or when the payment is reversed or fails', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const due = ['p1', 'p2', 'p3', 'p4', 'p5'].map((id) => `${id} | s-${id} | 2026-11-10T10:00:00Z`);
      await storePayments(tx, paymentsOf(['payment | short | at', ...due].join('\n')));
      await matchRun(tx, 1);
      expect(await openFindings(tx, new Map())).toHaveLength(5);
      await storeRecords(tx, 2, recordsOf('record | unique | short\na | p1 |\nb | | s-p2'));
      await storePayments(
        tx,
        paymentsOf(`payment | type | short | of
                    q1      | DB   | s-p2  |
                    q2      | RV   |       | p3`),
      );
      await tx`update payments set result_code = '800.100.152' where id like 'p4%'`;
      await matchRun(tx, 2);
      const missing = (await openFindings(tx, new Map())).filter(
        (each) => each.code === 'MISSING_SETTLEMENT',
      );
      expect(missing.map((each) => each.subject)).toEqual(['p5']);
    }));

  it('of a missing settlement remain open when the payment becomes older than the look-back', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf('payment | at\np1 | 2026-11-10T10:00:00Z'));
      await matchRun(tx, 1);
      await matchRun(tx, 2, { asOf: '2027-06-01' });
      expect(await state(tx)).toEqual([{ code: 'MISSING_SETTLEMENT', seen: 1, resolved: null }]);
    }));

  it('are updated for the payment that a record was matched to before', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf('payment | short\np1 | s1'));
      await storeRecords(tx, 1, recordsOf('record | unique | short | tx\na | p1 | | 1\nb | p2 | s1 | 2'));
      await matchRun(tx, 1);
      const names = new Map(['a', 'b'].map((name) => [fingerprintOf(name), name]));
      expect((await openFindings(tx, names)).map((each) => each.code)).toEqual(['DUPLICATE_SETTLEMENT']);
      await storePayments(tx, paymentsOf('payment\np2'));
      await tx`update settlement_files set finished_run_id = 2`;
      await matchRun(tx, 2);
      expect(await openFindings(tx, names)).toEqual([]);
    }));

  it('are made when a later file settles a payment again, whichever keys find it', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf('payment | short\np1 | s1\np2 | s2\np3 | s3'));
      await storeRecords(
        tx,
        1,
        recordsOf('record | unique | short | tx\na | p1 | | 1\nb | | s2 | 1\nc | | s3 | 1'),
      );
      await matchRun(tx, 1);
      const names = new Map(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [fingerprintOf(name), name]));
      expect(await openFindings(tx, names)).toEqual([]);
      const again =
        'record | file | unique | short | tx\nd | 2 | | s1 | 2\ne | 2 | | s2 | 2\nf | 2 | p3 | | 2';
      await storeRecords(tx, 2, recordsOf(again));
      await matchRun(tx, 2);
      expect((await openFindings(tx, names)).map((each) => `${each.code} ${each.subject}`).sort()).toEqual([
        'DUPLICATE_SETTLEMENT d/1',
        'DUPLICATE_SETTLEMENT e/1',
        'DUPLICATE_SETTLEMENT f/1',
      ]);
    }));
});
