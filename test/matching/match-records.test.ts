import { describe, expect, it } from 'vitest';
import type { MatchingSettings } from '../../src/matching/run-matching.js';
import { databaseForAllTests } from '../support/database.js';
import { asOf, matchRun, matchRange, matchesOf, openFindings } from './findings.js';
import { fingerprintOf, storePayments, storeRecords, rolledBack } from './scenario.js';
import { rowsOf } from '../support/rows-of.js';
import { paymentsOf, recordsOf } from './table.js';

const testDatabase = databaseForAllTests();

/** Stores both tables, matches, and returns the outcome of each record beside the expected one. */
async function outcomes(payments: string, records: string, changes: Partial<MatchingSettings> = {}) {
  return rolledBack(testDatabase.database.sql, async (tx) => {
    await storePayments(tx, paymentsOf(payments));
    await storeRecords(tx, 1, recordsOf(records));
    await matchRun(tx, 1, changes);
    const names = new Map(recordsOf(records).map((each) => [fingerprintOf(each.name), each.name]));
    const found = await matchesOf(tx, names);
    const rows = rowsOf(records).map((row) => [row['record'] ?? '', row['expected'] ?? ''] as const);
    const key = (name: string) => (name.includes('/') ? name : `${name}/1`);
    return {
      actual: Object.fromEntries(
        rows.map(([name]) => [name, found[key(name)]?.replace(/ [0-9a-f]{32}$/, '')]),
      ),
      expected: Object.fromEntries(rows),
    };
  });
}

async function expectOutcomes(...tables: Parameters<typeof outcomes>): Promise<void> {
  const { actual, expected } = await outcomes(...tables);
  expect(actual).toEqual(expected);
}

describe('keys', () => {
  it('are tried strongest first, and the first one that finds a payment decides', async () => {
    await expectOutcomes(
      `payment | short | tx1 | tx2 | tx3
       p1      | s1    | c1  |     |
       p2      | s2    |     | c2  |
       p3      | s3    |     |     | c3`,
      `record | unique | short | tx1 | tx2 | tx3 | expected
       a      | p1     |       |     |     |     | MATCHED UNIQUE_ID p1
       b      | p1     | s2    | c1  |     |     | MATCHED UNIQUE_ID p1
       c      | p9     | s2    |     |     |     | MATCHED SHORT_ID p2
       d      |        | s2    | c1  |     |     | MATCHED SHORT_ID p2
       e      |        | s9    | c1  |     |     | MATCHED CONNECTOR_TX_ID p1
       f      |        |       |     | c2  |     | MATCHED CONNECTOR_TX_ID p2
       g      |        |       |     |     | c3  | MATCHED CONNECTOR_TX_ID p3
       h      |        |       | c2  |     |     | NOT_MATCHED
       i      |        |       |     |     |     | NOT_MATCHED
       j      | p9     | s9    | c9  | c9  | c9  | NOT_MATCHED`,
    );
  });

  it('never find a booked chargeback or its reversal', async () => {
    await expectOutcomes(
      `payment | type | short
       p1      | CB   | s1
       p2      | CR   | s1
       p3      | RV   | s3`,
      `record | unique | short | expected
       a      | p1     |       | NOT_MATCHED
       b      |        | s1    | NOT_MATCHED
       c      | p2     | s3    | MATCHED SHORT_ID p3`,
    );
  });

  const attributePayments = `
    payment | amount     | account   | last4 | brand  | at
    p1      | 100.00     | ours      | 1111  | VISA   | 2026-11-18T10:00:00Z
    p2      | 50.00      | ours      | 1111  |        | 2026-11-18T10:00:00Z
    p3      | 70.00 USD  | ours      | 1111  | VISA   | 2026-11-18T10:00:00Z
    p4      | 80.00      | elsewhere | 1111  | VISA   | 2026-11-18T10:00:00Z`;

  it('fall back on attributes, which must all agree, within the time window on either side', async () => {
    await expectOutcomes(
      attributePayments,
      `record | amount | last4 | brand  | time                 | expected
       a      | 100.00 | 1111  | VISA   | 2026-11-19T10:00:00Z | MATCHED ATTRIBUTES p1
       b      | 100.00 | 1111  | VISA   | 2026-11-17T10:00:00Z | MATCHED ATTRIBUTES p1
       c      | 100.00 | 1111  | VISA   | 2026-11-19T10:00:01Z | NOT_MATCHED
       d      | 100.00 | 1111  | VISA   | 2026-11-17T09:59:59Z | NOT_MATCHED
       e      | 100.00 | 1111  |        | 2026-11-18T10:00:00Z | MATCHED ATTRIBUTES p1
       f      | 100.00 | 1111  | MASTER | 2026-11-18T10:00:00Z | NOT_MATCHED
       g      | 50.00  | 1111  | MASTER | 2026-11-18T10:00:00Z | MATCHED ATTRIBUTES p2
       h      | 100.00 | 2222  | VISA   | 2026-11-18T10:00:00Z | NOT_MATCHED
       i      | 100.00 |       | VISA   | 2026-11-18T10:00:00Z | NOT_MATCHED
       j      | 100.00 | 1111  | VISA   |                      | NOT_MATCHED
       k      | 100.01 | 1111  | VISA   | 2026-11-18T10:00:00Z | NOT_MATCHED
       l      | 70.00  | 1111  | VISA   | 2026-11-18T10:00:00Z | NOT_MATCHED
       m      | 80.00  | 1111  | VISA   | 2026-11-18T10:00:00Z | NOT_MATCHED`,
    );
  });

  it('do not use attributes when these are switched off, and use the configured window', async () => {
    const records = (near: string, far: string) => `
      record | last4 | time                 | expected
      a      | 1111  | 2026-11-18T12:00:00Z | ${near}
      b      | 1111  | 2026-11-18T12:00:01Z | ${far}`;
    await expectOutcomes(attributePayments, records('NOT_MATCHED', 'NOT_MATCHED'), {
      attributes: { enabled: false, windowHours: 24 },
    });
    await expectOutcomes(attributePayments, records('MATCHED ATTRIBUTES p1', 'NOT_MATCHED'), {
      attributes: { enabled: true, windowHours: 2 },
    });
  });
});

describe('a value that more payments have than the limit', () => {
  const payments = `
    payment | short | tx1 | tx2 | account | last4 | at                   | amount
    p1      | none  | 0   | c1  | ours    | 1111  | 2026-11-18T10:00:00Z | 100.00
    p2      | none  | 0   | c2  | ours    | 1111  | 2026-11-18T10:00:00Z | 100.00
    p3      | none  | 0   | c3  | ours    | 1111  | 2026-11-18T10:00:00Z | 100.00
    p4      | none  | 0   | c4  | ours    | 2222  | 2026-11-18T10:00:00Z | 30.00
    p5      | three | 1   | c5  | ours    | 3333  | 2026-11-18T10:00:00Z | 5.00
    p6      | three | 1   | c5  | ours    | 3333  | 2026-11-18T10:00:00Z | 6.00
    p7      | three | 1   |     | ours    | 3333  | 2026-11-18T10:00:00Z | 7.00`;

  it('identifies none of them, and the next value is tried', async () => {
    await expectOutcomes(
      payments,
      `record | short | tx1 | tx2 | amount | last4 | time                 | expected
       a      | none  |     |     | 30.00  |       |                      | NOT_MATCHED
       b      | none  | 0   | c2  | 30.00  |       |                      | MATCHED CONNECTOR_TX_ID p2
       c      | none  | 0   |     | 30.00  | 2222  | 2026-11-18T11:00:00Z | MATCHED ATTRIBUTES p4
       d      | three |     |     | 1.00   |       |                      | MULTIPLE_MATCHES SHORT_ID p5,p7
       e      | three |     |     | 6.00   |       |                      | MATCHED SHORT_ID p6
       f      |       | 0   |     | 100.00 | 1111  | 2026-11-18T11:00:00Z | MULTIPLE_MATCHES ATTRIBUTES p1,p2,p3`,
      { maxPaymentsPerKey: 3 },
    );
  });

  it('is also one of account, amount and time together', async () => {
    await expectOutcomes(
      payments,
      `record | short | amount | last4 | time                 | expected
       a      |       | 100.00 | 1111  | 2026-11-18T11:00:00Z | NOT_MATCHED
       b      |       | 30.00  | 2222  | 2026-11-18T11:00:00Z | MATCHED ATTRIBUTES p4
       c      | three | 6.00   | 3333  | 2026-11-18T11:00:00Z | MATCHED ATTRIBUTES p6`,
      { maxPaymentsPerKey: 2 },
    );
  });

  it('says so in the discrepancy of a record that has no other', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf(payments));
      await storeRecords(
        tx,
        1,
        recordsOf(
          `record | short | tx1 | amount | last4 | time
           a      | none  | 0   | 100.00 | 1111  | 2026-11-18T11:00:00Z
           b      | other |     | 1.00   |       |`,
        ),
      );
      await matchRun(tx, 1, { maxPaymentsPerKey: 2 });
      const messages = await tx<{ message: string }[]>`
        select message from discrepancies where code = 'NOT_MATCHED' order by line`;
      expect(messages.map(({ message }) => message.replace(/^.*?\)\./, ''))).toEqual([
        ' Not used, because too many payments have the same value: ShortId, ConnectorTxId1, account, amount and time.',
        '',
      ]);
    }));

  it('is not named for a record that a stronger key decided, although another record was looked up by it', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(
        tx,
        paymentsOf(
          `payment | type | short | tx1 | amount | of
           p1      | CD   | c     |     | 20.00  |
           p2      | DB   | s     | t   | 5.00   | p1
           p3      | DB   | s     | t   | 5.00   | p1
           p4      | DB   | s     | t   | 5.00   | p1`,
        ),
      );
      await storeRecords(
        tx,
        1,
        recordsOf(
          `record | kind       | unique | short | tx1 | amount
           a      | CHARGEBACK | p1     | s     | t   | 5.00
           b      | CHARGEBACK |        | c     | t   | 5.00
           c      |            |        | s     | t   | 5.00`,
        ),
      );
      await matchRun(tx, 1, { maxPaymentsPerKey: 2 });
      const messages = await tx<{ message: string }[]>`
        select message from discrepancies where code = 'NOT_MATCHED' order by line`;
      const family = ' Payments of the same family are not used, because too many of them fit equally well.';
      expect(messages.map(({ message }) => message.replace(/^.*?\)\./, ''))).toEqual([
        family,
        family,
        ' Not used, because too many payments have the same value: ShortId, ConnectorTxId1.',
      ]);
    }));

  it('becomes one when a payment more is stored, and the records that it decided are matched again', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const names = new Map(['a', 'b'].map((name) => [fingerprintOf(name), name]));
      await storePayments(
        tx,
        // A booked chargeback is not counted.
        paymentsOf(
          'payment | type | short | amount\np1 | DB | s | 1.00\np2 | DB | s | 2.00\np3 | DB | t | 3.00\nc1 | CB | s | 1.00',
        ),
      );
      await storeRecords(tx, 1, recordsOf('record | short | amount\na | s | 1.00\nb | t | 3.00'));
      await matchRun(tx, 1, { maxPaymentsPerKey: 2 });
      expect(await matchesOf(tx, names)).toEqual({
        'a/1': 'MATCHED SHORT_ID p1',
        'b/1': 'MATCHED SHORT_ID p3',
      });
      await storePayments(tx, paymentsOf('payment | short | amount\np4 | s | 4.00'));
      await matchRun(tx, 2, { maxPaymentsPerKey: 2, lookbackDays: 0 });
      expect(await matchesOf(tx, names)).toEqual({ 'a/1': 'NOT_MATCHED', 'b/1': 'MATCHED SHORT_ID p3' });
    }));
});

describe('narrowing', () => {
  it('uses type, then success, then amount and currency, and skips a step that would leave no payment', async () => {
    await expectOutcomes(
      `payment | short | type | result  | amount
       p1      | type  | DB   | failed  | 1.00
       p2      | type  | RF   | success | 100.00
       p3      | ok    | DB   | failed  | 100.00
       p4      | ok    | DB   | success | 1.00
       p5      | sum   | DB   | success | 100.00
       p6      | sum   | DB   | success | 100.00 USD
       p7      | none  | RF   | failed  | 1.00
       p8      | none  | CD   | failed  | 2.00
       p9      | skip  | RF   | failed  | 2.00
       q1      | skip  | CD   | pending | 100.00
       q2      | three | DB   | success | 100.00
       q3      | three | CP   | success | 100.00
       q4      | three | PA   | success | 100.00`,
      `record | short | expected
       a      | type  | MATCHED SHORT_ID p1
       b      | ok    | MATCHED SHORT_ID p4
       c      | sum   | MATCHED SHORT_ID p5
       d      | none  | MULTIPLE_MATCHES SHORT_ID p7,p8
       e      | skip  | MATCHED SHORT_ID q1
       f      | three | MULTIPLE_MATCHES SHORT_ID q2,q3`,
    );
  });

  it('knows for every kind of record which payment types fit', async () => {
    const types = ['PA', 'DB', 'CD', 'CP', 'RV', 'RF'];
    await expectOutcomes(
      ['payment | short | type', ...types.map((type, index) => `p${index + 1} | s | ${type}`)].join('\n'),
      `record | kind             | short | expected
       a      | SETTLED DEBIT    | s     | MULTIPLE_MATCHES SHORT_ID p2,p4
       b      | SETTLED CREDIT   | s     | MATCHED SHORT_ID p3
       c      | SETTLED REFUND   | s     | MATCHED SHORT_ID p6
       d      | CHARGEBACK       | s     | MULTIPLE_MATCHES SHORT_ID p2,p4
       e      | REVERSAL         | s     | MULTIPLE_MATCHES SHORT_ID p2,p4
       f      | FEE AUTH_FEE     | s     | MULTIPLE_MATCHES SHORT_ID p1,p2
       g      | FEE CAPTURE_FEE  | s     | MULTIPLE_MATCHES SHORT_ID p2,p4
       h      | FEE CANCEL_FEE   | s     | MATCHED SHORT_ID p5
       i      | FEE REFUND_FEE   | s     | MATCHED SHORT_ID p6
       j      | SETTLED BATCH    | s     | MULTIPLE_MATCHES SHORT_ID p1,p2,p4,p5`,
    );
  });
});

describe('fees', () => {
  it('match only when they belong to a payment and name it', async () => {
    await expectOutcomes(
      `payment | short | tx2
       p1      | s1    | c2`,
      `record | kind               | unique | short | tx2 | expected
       a      | FEE CAPTURE_FEE    | p1     |       |     | MATCHED UNIQUE_ID p1
       b      | FEE AUTH_FEE       |        |       | c2  | MATCHED CONNECTOR_TX_ID p1
       c      | FEE REFUND_FEE     |        | s9    |     | NOT_MATCHED
       d      | FEE CAPTURE_FEE    |        |       |     | NOT_APPLICABLE
       e      | FEE MONTHLY        | p1     | s1    | c2  | NOT_APPLICABLE
       f      | SETTLED MONTHLY    | p1     |       |     | MATCHED UNIQUE_ID p1`,
    );
  });
});

describe('the scope of a run', () => {
  it.each([
    [
      'in one file',
      `record | file | date       | unique
       inside | 1    | 2026-09-21 | p1
       older  | 1    | 2026-09-20 | p2`,
    ],
    [
      'in a file for each day',
      `record | file | date       | unique
       inside | 1    | 2026-09-21 | p1
       older  | 2    | 2026-09-20 | p2`,
    ],
  ])(
    'includes earlier open records within the look-back, %s, and finds late payments',
    async (_where, open) => {
      await rolledBack(testDatabase.database.sql, async (tx) => {
        await storeRecords(tx, 1, recordsOf(open));
        await matchRun(tx, 1);
        await storePayments(tx, paymentsOf('payment\np1\np2'));
        await matchRun(tx, 2);
        const names = new Map(['inside', 'older'].map((name) => [fingerprintOf(name), name]));
        expect(await matchesOf(tx, names)).toEqual({
          'inside/1': 'MATCHED UNIQUE_ID p1',
          'older/1': 'NOT_MATCHED',
        });
        expect(await tx`select run_id, file_id, line from run_rechecks`).toEqual([
          { run_id: 2, file_id: 1, line: 2 },
        ]);
        const findings = await openFindings(tx, names);
        expect(findings.map((each) => `${each.code} ${each.subject}`)).toEqual(['NOT_MATCHED older/1']);
      });
    },
  );

  it('matches a range again with both ends included, and nothing else', async () => {
    await rolledBack(testDatabase.database.sql, async (tx) => {
      const days = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'];
      const records = ['record | date | unique', ...days.map((day, n) => `r${n} | ${day} | p${n}`)].join(
        '\n',
      );
      await storeRecords(tx, 1, recordsOf(records));
      await matchRun(tx, 1);
      await storePayments(tx, paymentsOf('payment\np0\np1\np2\np3'));
      await matchRange(tx, 2, { from: '2026-11-18', to: '2026-11-19' });
      const names = new Map(days.map((_, n) => [fingerprintOf(`r${n}`), `r${n}`]));
      expect(await matchesOf(tx, names)).toEqual({
        'r0/1': 'NOT_MATCHED',
        'r1/1': 'MATCHED UNIQUE_ID p1',
        'r2/1': 'MATCHED UNIQUE_ID p2',
        'r3/1': 'NOT_MATCHED',
      });
    });
  });

  it('changes the result of a record when its payments change, and otherwise keeps the run that found it', async () => {
    await rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf('payment | short\np1 | s1'));
      await storeRecords(tx, 1, recordsOf('record | short | unique\na | s1 | p2\nb | s1 |'));
      await matchRun(tx, 1);
      await storePayments(tx, paymentsOf('payment | short\np2 | s2'));
      await matchRange(tx, 2);
      const runs = await tx`select line, matched_by, run_id from record_matches order by line`;
      expect(runs).toEqual([
        { line: 2, matched_by: 'UNIQUE_ID', run_id: 2 },
        { line: 3, matched_by: 'SHORT_ID', run_id: 1 },
      ]);
    });
  });

  it('drops and adds candidates one by one', async () => {
    await rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf('payment | short\np1 | s1\np2 | s1'));
      await storeRecords(tx, 1, recordsOf('record | short\na | s1'));
      await matchRun(tx, 1);
      await tx`update payments set result_code = '800.100.152' where id like 'p1%'`;
      await storePayments(tx, paymentsOf('payment | short\np3 | s1'));
      await matchRun(tx, 2);
      const names = new Map([[fingerprintOf('a'), 'a']]);
      expect(await matchesOf(tx, names)).toEqual({ 'a/1': 'MULTIPLE_MATCHES SHORT_ID p2,p3' });
      await tx`update payments set result_code = '800.100.152' where id like 'p2%'`;
      await matchRun(tx, 3, { asOf });
      expect(await matchesOf(tx, names)).toEqual({ 'a/1': 'MATCHED SHORT_ID p3' });
      expect(await tx`select from match_candidates`).toHaveLength(0);
    });
  });
});

describe('references', () => {
  it('lead to the payment of the family whose type fits, at any depth, and never to a sibling', async () => {
    await expectOutcomes(
      `payment | type | amount | of | short
       p1      | DB   | 100.00 |    | s1
       p2      | RF   | 40.00  | p1 |
       p3      | RF   | 60.00  | p1 |
       q1      | PA   | 100.00 |    |
       q2      | CP   | 100.00 | q1 |
       q3      | RF   | 100.00 | q2 |
       r1      | DB   | 100.00 |    |
       r2      | RF   | 40.00  | r1 | s2
       r3      | RF   | 40.00  | r1 | s2
       t1      | PA   | 10.00  | t2 |
       t2      | PA   | 10.00  | t1 |`,
      `record | kind           | unique | short | amount | expected
       a      | SETTLED REFUND | p1     |       | 40.00  | MATCHED UNIQUE_ID REFERENCE p2
       b      | SETTLED REFUND |        | s1    | 60.00  | MATCHED SHORT_ID REFERENCE p3
       c      | SETTLED DEBIT  | q1     |       | 100.00 | MATCHED UNIQUE_ID REFERENCE q2
       d      | SETTLED REFUND | q1     |       | 100.00 | MATCHED UNIQUE_ID REFERENCE q3
       e      | SETTLED DEBIT  | q3     |       | 100.00 | MATCHED UNIQUE_ID REFERENCE q2
       f      | SETTLED REFUND | r1     |       | 40.00  | MULTIPLE_MATCHES UNIQUE_ID REFERENCE r2,r3
       g      | SETTLED CREDIT | r2     |       | 40.00  | MATCHED UNIQUE_ID r2
       h      | SETTLED DEBIT  | t1     |       | 10.00  | MATCHED UNIQUE_ID t1
       i      | SETTLED REFUND | p2     |       | 40.00  | MATCHED UNIQUE_ID p2
       j      | CHARGEBACK     | q1     |       | 100.00 | MATCHED UNIQUE_ID REFERENCE q2`,
    );
  });
});

describe('a family of which narrowing leaves too many payments', () => {
  const payments = `payment | type | result  | amount | of | short
       p1      | CP   | success | 100.00 |    | s1
       p2      | RF   | success | 5.00   | p1 |
       p3      | RF   | success | 5.00   | p1 |
       p4      | RF   | success | 5.00   | p1 |
       p5      | RF   | success | 7.00   | p1 |
       p6      | RF   | failed  | 9.00   | p1 |
       q1      | PA   | success | 100.00 |    | s1
       q2      | RF   | success | 5.00   | q1 |
       r1      | CP   | success | 100.00 |    |
       r2      | RF   | failed  | 5.00   | r1 |
       r3      | RF   | failed  | 5.00   | r1 |
       r4      | RF   | failed  | 5.00   | r1 |
       r5      | RF   | failed  | 7.00   | r1 |`;
  const limited = { maxPaymentsPerKey: 2 };

  it('identifies none of them, and the record stays with the payment that it names', async () => {
    await expectOutcomes(
      payments,
      `record | kind           | unique | short | amount | expected
       a      | SETTLED REFUND | p1     |       | 5.00   | MATCHED UNIQUE_ID p1
       b      | SETTLED REFUND | p1     |       | 7.00   | MATCHED UNIQUE_ID REFERENCE p5
       c      | SETTLED REFUND | p1     |       | 9.00   | MATCHED UNIQUE_ID p1
       d      | SETTLED REFUND | q1     |       | 5.00   | MATCHED UNIQUE_ID REFERENCE q2
       e      | SETTLED REFUND |        | s1    | 5.00   | MULTIPLE_MATCHES SHORT_ID p1,q1
       f      | SETTLED REFUND |        | s1    | 7.00   | MATCHED SHORT_ID REFERENCE p5
       g      | SETTLED REFUND | r1     |       | 5.00   | MATCHED UNIQUE_ID r1
       h      | SETTLED REFUND | r1     |       | 7.00   | MATCHED UNIQUE_ID REFERENCE r5
       i      | SETTLED REFUND | r1     |       | 8.00   | MATCHED UNIQUE_ID r1`,
      limited,
    );
  });

  it('leaves a chargeback and a reversal without a payment, because they would be booked on it', async () => {
    const captures = ['p2', 'p3', 'p4'].map((name) => `${name} | CP | 5.00 | | p1`);
    await expectOutcomes(
      [
        'payment | type | amount | short | of',
        'p1 | PA | 20.00 | s1 |',
        ...captures,
        'p5 | CP | 7.00 | | p1',
        'q1 | PA | 5.00 | s1 |',
      ].join('\n'),
      `record | kind       | unique | short | amount | expected
       a      | CHARGEBACK | p1     |       | 5.00   | NOT_MATCHED
       b      | REVERSAL   | p1     |       | 5.00   | NOT_MATCHED
       c      | CHARGEBACK |        | s1    | 5.00   | NOT_MATCHED
       d      | CHARGEBACK | p1     |       | 7.00   | MATCHED UNIQUE_ID REFERENCE p5
       e      | CHARGEBACK | q1     |       | 5.00   | MATCHED UNIQUE_ID q1
       f      | SETTLED DEBIT | p1  |       | 5.00   | MATCHED UNIQUE_ID p1`,
      limited,
    );
  });

  it('leaves as many as the limit', async () => {
    await expectOutcomes(
      payments,
      `record | kind           | unique | amount | expected
       a      | SETTLED REFUND | p1     | 5.00   | MULTIPLE_MATCHES UNIQUE_ID REFERENCE p2,p3,p4
       b      | SETTLED REFUND | r1     | 5.00   | MULTIPLE_MATCHES UNIQUE_ID REFERENCE r2,r3,r4`,
      { maxPaymentsPerKey: 3 },
    );
    await expectOutcomes(
      `payment | type | amount | of
       p1      | PA   | 20.00  |
       p2      | CP   | 5.00   | p1
       p3      | CP   | 5.00   | p1`,
      `record | kind       | unique | amount | expected
       a      | CHARGEBACK | p1     | 5.00   | MULTIPLE_MATCHES UNIQUE_ID REFERENCE p2,p3`,
      limited,
    );
  });

  it('is named in the discrepancy of the record', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf(payments));
      await storeRecords(
        tx,
        1,
        recordsOf(
          `record | kind           | unique | short | amount
           a      | SETTLED REFUND | p1     |       | 5.00
           b      | SETTLED REFUND |        | s1    | 5.00
           c      | SETTLED CREDIT | q2     |       | 5.00`,
        ),
      );
      await matchRun(tx, 1, limited);
      const messages = await tx<{ message: string }[]>`
        select message from discrepancies where code in ('TYPE_MISMATCH', 'MULTIPLE_MATCHES') order by line`;
      const sentence =
        ' Payments of the same family are not used, because too many of them fit equally well.';
      expect(messages.map(({ message }) => message.includes(sentence))).toEqual([true, true, false]);
    }));

  it('is one as soon as one more payment is stored, for records of any age', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const names = new Map([[fingerprintOf('a'), 'a']]);
      await storePayments(
        tx,
        paymentsOf(
          'payment | type | amount | of\np1 | CP | 9.00 |\np2 | RF | 5.00 | p1\np3 | RF | 5.00 | p1',
        ),
      );
      await storeRecords(
        tx,
        1,
        recordsOf('record | kind | unique | amount | date\na | SETTLED REFUND | p1 | 5.00 | 2026-01-01'),
      );
      await matchRun(tx, 1, limited);
      expect(await matchesOf(tx, names)).toEqual({ 'a/1': 'MULTIPLE_MATCHES UNIQUE_ID REFERENCE p2,p3' });
      await storePayments(tx, paymentsOf('payment | type | amount | of\np4 | RF | 5.00 | p1'));
      await matchRun(tx, 2, limited);
      expect(await matchesOf(tx, names)).toEqual({ 'a/1': 'MATCHED UNIQUE_ID p1' });
    }));
});

describe('room', () => {
  it('a payment that others settle in full is no candidate while one with room is', async () => {
    await expectOutcomes(
      `payment | short | amount
       p1      | s1    | 100.00
       p2      | s1    | 100.00
       q1      | s2    | 100.00
       q2      | s2    | 100.00
       r1      | s3    | 100.00
       r2      | s3    | 100.00
       t1      | s4    | 0.00
       t2      | s4    | 0.00
       u1      | s5    | 100.00
       u2      | s5    | 100.00`,
      `record | kind       | unique | short | amount     | status | expected
       a      |            | p1     |       | 100.00     |        | MATCHED UNIQUE_ID p1
       b      |            |        | s1    | 100.00     |        | MATCHED SHORT_ID p2
       c      |            | q1     |       | 99.99      |        | MATCHED UNIQUE_ID q1
       d      |            |        | s2    | 100.00     |        | MULTIPLE_MATCHES SHORT_ID q1,q2
       e      |            | r1     |       | 100.00     | FAILED | MATCHED UNIQUE_ID r1
       f      |            |        | s3    | 100.00     |        | MULTIPLE_MATCHES SHORT_ID r1,r2
       g      |            | t1     |       | 0.00       |        | MATCHED UNIQUE_ID t1
       h      |            |        | s4    | 0.00       |        | MATCHED SHORT_ID t2
       i      |            | u1     |       | 100.00     |        | MATCHED UNIQUE_ID u1
       j      |            | u2     |       | 100.00     |        | MATCHED UNIQUE_ID u2
       k      |            |        | s5    | 100.00     |        | MULTIPLE_MATCHES SHORT_ID u1,u2
       l      | CHARGEBACK |        | s1    | 100.00     |        | MULTIPLE_MATCHES SHORT_ID p1,p2`,
    );
  });

  it('is asked for again when it changes, of records of any age, which count as looked at again', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const names = new Map(['a', 'b', 'c'].map((name) => [fingerprintOf(name), name]));
      const rechecked = () => tx`select run_id as run, line from run_rechecks order by 1, 2`;
      await storePayments(tx, paymentsOf('payment | short\np1 | s1\np2 | s1\np3 | s3'));
      const old = ['record | short | unique | date', 'a | s1 | | 2026-01-01', 'c | | p3 | 2026-01-01'];
      await storeRecords(tx, 1, recordsOf(old.join('\n')));
      await matchRun(tx, 1);
      const ofOthers = { 'c/1': 'MATCHED UNIQUE_ID p3' };
      expect(await matchesOf(tx, names)).toEqual({ 'a/1': 'MULTIPLE_MATCHES SHORT_ID p1,p2', ...ofOthers });
      await storeRecords(tx, 2, recordsOf('record | file | unique | short\nb | 2 | p1 |'));
      await matchRun(tx, 2);
      expect(await matchesOf(tx, names)).toMatchObject({ 'a/1': 'MATCHED SHORT_ID p2', ...ofOthers });
      expect(await rechecked()).toEqual([{ run: 2, line: 2 }]);
      expect((await openFindings(tx, names)).filter(({ code }) => code !== 'MISSING_SETTLEMENT')).toEqual([]);
      await matchRun(tx, 3);
      expect(await rechecked()).toHaveLength(1);
      await tx`update payments set id = 'elsewhere' where id like 'p1%'`;
      await matchRange(tx, 4, { from: '2026-11-19', to: '2026-11-19' });
      expect((await matchesOf(tx, names))['a/1']).toBe('MULTIPLE_MATCHES SHORT_ID elsewhere,p2');
      expect((await openFindings(tx, names)).map(({ code, subject }) => `${code} ${subject}`)).toEqual([
        'MULTIPLE_MATCHES a/1',
        'NOT_MATCHED b/1',
      ]);
    }));
});
