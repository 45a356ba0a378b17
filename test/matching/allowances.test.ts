import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import type { Allowances } from '../../src/matching/allowances.js';
import { explainRecord } from '../../src/matching/explain/explain-record.js';
import { databaseForAllTests } from '../support/database.js';
import { explainSettings, matchesOf, matchRange, matchRun } from './findings.js';
import { fingerprintOf, rolledBack, storePayments, storeRecords } from './scenario.js';
import { rowsOf } from '../support/rows-of.js';
import { paymentsOf, recordsOf } from './table.js';

/** Tolerances and brand aliases (design 4.6), which are off by default. */

const testDatabase = databaseForAllTests();

const off: Allowances = { tolerance: new Map(), brandAliases: new Map() };
const oneCent: Allowances = { ...off, tolerance: new Map([['EUR', 1n]]) };
const visaDebit: Allowances = {
  ...off,
  brandAliases: new Map([
    ['VISADEBIT', 'VISA'],
    ['MASTER, DEBIT', 'MASTER'],
  ]),
};

const inTransaction = (body: (tx: Tx) => Promise<void>) => rolledBack(testDatabase.database.sql, body);

/** The open findings as `code severity`, each at the line of its record. */
async function severities(tx: Tx): Promise<{ line: number; finding: string; message: string }[]> {
  return [
    ...(await tx<{ line: number; finding: string; message: string }[]>`
      select line, code || ' ' || severity as finding, message from discrepancies
      where resolved_run is null and line is not null order by line, code`),
  ];
}

/** Matches both tables and compares the findings of each record with its last column. */
async function expectSeverities(allowances: Allowances, payments: string, records: string): Promise<void> {
  await inTransaction(async (tx) => {
    await storePayments(tx, paymentsOf(payments));
    await storeRecords(tx, 1, recordsOf(records));
    await matchRun(tx, 1, { allowances });
    const found = await severities(tx);
    const rows = rowsOf(records).map((row, index) => ({ name: row['record'], line: index + 2, ...row }));
    expect(
      rows.map(({ name, line }) => [
        name,
        found
          .filter((each) => each.line === line)
          .map(({ finding }) => finding)
          .join(', '),
      ]),
    ).toEqual(rowsOf(records).map((row) => [row['record'], row['expected']]));
  });
}

describe('a tolerance', () => {
  const payments = `payment | amount
    p1      | 100.00
    p2      | 100.00
    p3      | 100.00
    p4      | 100.00
    p5      | 100.00 USD
    p6      | 100.00
    p7      | 100.00`;
  const records = (within: string) => `record | unique | amount     | tx | status | expected
    a      | p1     | 99.99      | 1  |        | AMOUNT_MISMATCH ${within}
    b      | p2     | 100.01     | 2  |        | AMOUNT_MISMATCH ${within}
    c      | p3     | 99.98      | 3  |        | AMOUNT_MISMATCH error
    d      | p4     | 100.02     | 4  |        | AMOUNT_MISMATCH error
    e      | p5     | 99.99 USD  | 5  |        | AMOUNT_MISMATCH error
    f1     | p6     | 60.00      | 6  |        |
    f2     | p6     | 39.99      | 7  |        | AMOUNT_MISMATCH ${within}
    g1     | p7     | 100.00     | 8  | FAILED | SETTLEMENT_FAILED error
    g2     | p7     | 99.99      | 9  |        | AMOUNT_MISMATCH ${within}`;

  it('reports a mismatch of at most this much in its currency for information only, and resolves nothing', () =>
    expectSeverities(oneCent, payments, records('info')));

  it('is off by default', () => expectSeverities(off, payments, records('error')));

  it('of zero accepts no difference', () =>
    expectSeverities({ ...off, tolerance: new Map([['EUR', 0n]]) }, payments, records('error')));

  it('is named by the message, which states the difference as before', () =>
    inTransaction(async (tx) => {
      await storePayments(tx, paymentsOf('payment | amount\np1 | 100.00\np2 | 100.00'));
      await storeRecords(tx, 1, recordsOf('record | unique | amount\na | p1 | 99.99\nb | p2 | 99.98'));
      await matchRun(tx, 1, { allowances: oneCent });
      const [within, beyond] = await severities(tx);
      expect(within?.message).toMatch(
        /but 99\.99 EUR was settled for it: 0\.01 EUR too little\. This is within the tolerance of 0\.01 EUR\.$/,
      );
      expect(beyond?.message).toMatch(/0\.02 EUR too little\.$/);
    }));

  it.each([
    ['without a tolerance', off],
    ['with one', oneCent],
  ])('fills no room: a payment that lacks a cent still has room (%s)', (_name, allowances) =>
    inTransaction(async (tx) => {
      await storePayments(tx, paymentsOf('payment | short\np1 | s1\np2 | s1\np3 | s2\np4 | s2'));
      const table = `record | unique | short | amount
        a      | p1     |       | 99.99
        b      |        | s1    | 100.00
        c      | p3     |       | 100.00
        d      |        | s2    | 100.00`;
      await storeRecords(tx, 1, recordsOf(table));
      await matchRun(tx, 1, { allowances });
      const names = new Map(recordsOf(table).map((each) => [fingerprintOf(each.name), each.name]));
      const matches = await matchesOf(tx, names);
      expect(matches['b/1']).toBe('MULTIPLE_MATCHES SHORT_ID p1,p2');
      expect(matches['d/1']).toBe('MATCHED SHORT_ID p4');
    }),
  );

  it('that is changed changes the severity at the next look; the finding keeps its id and its first run', () =>
    inTransaction(async (tx) => {
      const stored = () => tx<{ id: string; severity: string; seen: number }[]>`
        select id, severity, first_seen_run as seen from discrepancies where resolved_run is null`;
      await storePayments(tx, paymentsOf('payment\np1'));
      await storeRecords(tx, 1, recordsOf('record | unique | amount\na | p1 | 99.99'));
      await matchRun(tx, 1);
      const [before] = await stored();
      expect(before).toMatchObject({ severity: 'error', seen: 1 });
      await matchRange(tx, 2, undefined, { allowances: oneCent });
      expect([...(await stored())]).toEqual([{ ...before, severity: 'info' }]);
      await matchRange(tx, 3);
      expect([...(await stored())]).toEqual([before]);
    }));

  it('leaves nothing to do about a finding, also where its record is explained', () =>
    inTransaction(async (tx) => {
      await storePayments(tx, paymentsOf('payment\np1'));
      await storeRecords(tx, 1, recordsOf('record | unique | amount\na | p1 | 99.99'));
      const remedy = async () => {
        const explained = await explainRecord(tx, '1:2', explainSettings);
        return explained.kind === 'record' ? explained.record.discrepancies.map((each) => each.remedy) : [];
      };
      await matchRun(tx, 1);
      expect(await remedy()).toEqual(['Claim the missing part, or expect that the surplus is claimed back.']);
      await matchRange(tx, 2, undefined, { allowances: oneCent });
      expect(await remedy()).toEqual([
        'Nothing: the difference is within matching.tolerance. Accept it to take it off the list.',
      ]);
    }));
});

describe('a brand alias', () => {
  const payments = `payment | brand
    p1      | VISA
    p2      | VISADEBIT
    p3      | VISADEBIT
    p4      | MASTER
    p5      | MASTER`;
  const records = (aliased: string) => `record | unique | brand         | expected
    a      | p1     | VISADEBIT     | ${aliased}
    b      | p2     | VISA          | BRAND_MISMATCH warning
    c      | p3     | VISADEBIT     |
    d      | p4     | MASTER, DEBIT | ${aliased}
    e      | p5     | VISADEBIT     | BRAND_MISMATCH warning`;

  it('lets the name in the file stand for that of the payment, and not the other way round', () =>
    expectSeverities(visaDebit, payments, records('')));

  it('is off by default', () => expectSeverities(off, payments, records('BRAND_MISMATCH warning')));

  const byAttributes = (brandInFile: string) =>
    `record | brand | last4 | time\na | ${brandInFile} | 1111 | 2026-11-19T10:00:00Z`;

  it.each([
    ['the name in the file', visaDebit, 'VISA', 'VISADEBIT', 'MATCHED ATTRIBUTES p1'],
    ['the name of the payment', visaDebit, 'VISADEBIT', 'VISA', 'NOT_MATCHED'],
    ['the name in the file, without the alias', off, 'VISA', 'VISADEBIT', 'NOT_MATCHED'],
  ])('counts for the key ATTRIBUTES: %s', (_name, allowances, ofPayment, inFile, expected) =>
    inTransaction(async (tx) => {
      await storePayments(
        tx,
        paymentsOf(`payment | brand | last4 | account\np1 | ${ofPayment} | 1111 | ours`),
      );
      await storeRecords(tx, 1, recordsOf(byAttributes(inFile)));
      await matchRun(tx, 1, { allowances });
      expect(await matchesOf(tx, new Map([[fingerprintOf('a'), 'a']]))).toEqual({ 'a/1': expected });
    }),
  );

  it('is visible where a record is explained', () =>
    inTransaction(async (tx) => {
      await storePayments(tx, paymentsOf('payment | brand | last4 | account\np1 | VISA | 1111 | ours'));
      await storeRecords(tx, 1, recordsOf(byAttributes('VISADEBIT')));
      await matchRun(tx, 1, { allowances: visaDebit });
      const explained = await explainRecord(tx, '1:2', {
        ...explainSettings,
        allowances: visaDebit,
      });
      if (explained.kind !== 'record') throw new Error('one record was stored');
      const { comparisons, keys, now } = explained.record;
      expect(comparisons.find(({ code }) => code === 'BRAND_MISMATCH')).toMatchObject({
        verdict: 'in order',
        expected: 'VISA',
        actual: 'VISADEBIT, an alias of VISA',
      });
      expect(keys.find(({ key }) => key === 'ATTRIBUTES')).toMatchObject({
        outcome: 'decides',
        value: expect.stringContaining('VISADEBIT or VISA') as string,
      });
      expect(now).toMatchObject({ status: 'MATCHED', matchedBy: 'ATTRIBUTES' });
    }));
});
