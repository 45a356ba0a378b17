import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  linkReversals,
  type OpenChargeback,
  type WaitingReversal,
} from '../../../src/matching/chargebacks/link-reversals.js';
import { databaseForAllTests } from '../../support/database.js';
import { matchRun, matchRange, openFindings } from '../findings.js';
import {
  fingerprintOf,
  id32,
  storePayments,
  storeRecords,
  rolledBack,
  type TestRecord,
} from '../scenario.js';
import { paymentsOf, recordsOf } from '../table.js';
import { rearranged, reversalsOf } from '../arbitrary-input.js';
import { fileId, paymentKey } from '../../../src/values/ids.js';

const testDatabase = databaseForAllTests();

const namesOf = (records: readonly TestRecord[]) =>
  new Map(records.map((each) => [fingerprintOf(each.name), each.name]));

/** The id as the design defines it: 32 hexadecimal characters from the record's identity. */
const idOf = (name: string, prefix = 'chargeback') =>
  createHash('sha256')
    .update(`${prefix}:${fingerprintOf(name)}:1`)
    .digest('hex')
    .slice(0, 32);

describe('a chargeback', () => {
  it('is booked on no payment while its authorisation has too many captures of its amount', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const limited = { maxPaymentsPerKey: 2 };
      const captures = ['p2', 'p3', 'p4'].map((name) => `${name} | CP | 60.00 | p1`);
      await storePayments(
        tx,
        paymentsOf(['payment | type | amount | of', 'p1 | PA | 500.00 |', ...captures].join('\n')),
      );
      await storeRecords(
        tx,
        1,
        recordsOf(`record | kind       | unique | amount | date
                   a      | CHARGEBACK | p1     | 60.00  | 2026-11-18
                   b      | REVERSAL   | p1     | 60.00  | 2026-11-19`),
      );
      const booked = () => tx`select referenced_payment_id from payments where payment_type in ('CB', 'CR')`;
      expect(await matchRun(tx, 1, limited)).toEqual({ assigned: 0, reversed: 0 });
      expect(await booked()).toEqual([]);
      const findings = await tx<{ code: string; message: string }[]>`
        select code, message from discrepancies where resolved_run is null and file_id is not null order by line, code`;
      expect(findings.map(({ code }) => code)).toEqual(['NOT_MATCHED', 'NOT_MATCHED']);
      expect(findings[0]?.message).toContain(
        'Payments of the same family are not used, because too many of them fit equally well.',
      );
      await tx`update payments set amount_minor = 1 where id in (${id32('p3')}, ${id32('p4')})`;
      expect(await matchRun(tx, 2, limited)).toEqual({ assigned: 1, reversed: 1 });
      expect(
        await tx`select payment_key = (select key from payments where id = ${id32('p2')}) as fits
        from chargeback_links`,
      ).toEqual([{ fits: true }, { fits: true }]);
    }));

  it('gets its id when it is matched, and is booked on its payment', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf('payment | short\np1 | \np2 | s\np3 | s'));
      await storeRecords(
        tx,
        1,
        recordsOf(`record | kind       | unique | short | amount | date
                   a      | CHARGEBACK | p1     |       | 60.00  | 2026-11-18
                   b      | CHARGEBACK | p9     |       |        |
                   c      | CHARGEBACK |        | s     |        |
                   d      | REVERSAL   | p1     |       | 60.00  | 2026-11-19`),
      );
      expect(await matchRun(tx, 1)).toEqual({ assigned: 1, reversed: 1 });
      expect(
        await tx`select line, kind, chargeback_id, booking_id, run_id from chargeback_links order by line`,
      ).toEqual([
        { line: 2, kind: 'CHARGEBACK', chargeback_id: idOf('a'), booking_id: idOf('a'), run_id: 1 },
        {
          line: 5,
          kind: 'CHARGEBACK REVERSAL',
          chargeback_id: idOf('a'),
          booking_id: idOf('d', 'chargeback-reversal'),
          run_id: 1,
        },
      ]);
      const booked = await tx`
        select id, payment_type, amount_minor, currency, referenced_payment_id, requested_at::text
        from payments where payment_type in ('CB', 'CR') order by payment_type`;
      expect(booked).toMatchObject([
        {
          id: idOf('a'),
          payment_type: 'CB',
          amount_minor: 6000n,
          currency: 'EUR',
          referenced_payment_id: id32('p1'),
          requested_at: '2026-11-18 00:00:00+00',
        },
        {
          id: idOf('d', 'chargeback-reversal'),
          payment_type: 'CR',
          amount_minor: 6000n,
          referenced_payment_id: idOf('a'),
          requested_at: '2026-11-19 00:00:00+00',
        },
      ]);
      expect(await matchRange(tx, 2)).toEqual({ assigned: 0, reversed: 0 });
    }));

  it('keeps its payment and its id when payments arrive that fit better', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf('payment | short\np1 | s1'));
      await storeRecords(tx, 1, recordsOf('record | kind | unique | short\na | CHARGEBACK | p2 | s1'));
      await matchRun(tx, 1);
      await storePayments(tx, paymentsOf('payment\np2'));
      await matchRange(tx, 2);
      const kept = await tx`select m.status, m.matched_by, m.run_id, p.id from record_matches m
        join payments p on p.key = m.payment_key`;
      expect(kept).toEqual([{ status: 'MATCHED', matched_by: 'SHORT_ID', run_id: 1, id: id32('p1') }]);
    }));
});

describe('reversals', () => {
  const rows = `
    record | kind       | unique | amount    | date       | tx
    c1     | CHARGEBACK | p1     | 30.00     | 2026-11-17 | 1
    c2     | CHARGEBACK | p1     | 20.00     | 2026-11-18 | 1
    c3     | CHARGEBACK | p1     | 20.00 USD | 2026-11-18 | 2
    c4     | CHARGEBACK | p1     | 20.00     | 2026-11-19 | 1
    c5     | CHARGEBACK | p2     | 20.00     | 2026-11-10 | 1
    r1     | REVERSAL   | p1     | 20.00     | 2026-11-16 | 1
    r2     | REVERSAL   | p1     | 20.00 USD | 2026-11-16 | 2
    r3     | REVERSAL   | p1     | 99.00     | 2026-11-16 | 3
    r4     | REVERSAL   | p1     | 99.00     | 2026-11-16 | 4
    r5     | REVERSAL   | p1     | 20.00     | 2026-11-16 | 5`;

  it('take the chargeback of equal amount and currency, otherwise the oldest, whatever their order in the files', () =>
    fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat()), (shuffle) =>
        rolledBack(testDatabase.database.sql, async (tx) => {
          const records = rearranged(recordsOf(rows), shuffle);
          await storePayments(tx, paymentsOf('payment\np1\np2'));
          await storeRecords(tx, 1, records);
          expect(await matchRun(tx, 1)).toEqual({ assigned: 5, reversed: 4 });
          expect(await reversalsOf(tx, namesOf(records))).toEqual({
            'r1/1': 'c2/1',
            'r2/1': 'c3/1',
            'r3/1': 'c1/1',
            'r4/1': 'c4/1',
          });
        }),
      ),
      { numRuns: 10 },
    ));

  it('take one that FAILED after the others of its kind, and take none if they FAILED themselves', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const records = recordsOf(`
        record | kind       | unique | amount | date       | tx | status
        a1     | CHARGEBACK | p1     | 20.00  | 2026-11-17 | 1  | FAILED
        a2     | CHARGEBACK | p1     | 20.00  | 2026-11-18 | 2  |
        a3     | REVERSAL   | p1     | 20.00  | 2026-11-19 | 3  | FAILED
        a4     | REVERSAL   | p1     | 20.00  | 2026-11-20 | 4  |
        b1     | CHARGEBACK | p2     | 20.00  | 2026-11-17 | 1  | FAILED
        b2     | CHARGEBACK | p2     | 30.00  | 2026-11-18 | 2  |
        b3     | REVERSAL   | p2     | 40.00  | 2026-11-19 | 3  |`);
      await storePayments(tx, paymentsOf('payment\np1\np2'));
      await storeRecords(tx, 1, records);
      expect(await matchRun(tx, 1)).toEqual({ assigned: 4, reversed: 2 });
      expect(await reversalsOf(tx, namesOf(records))).toEqual({ 'a4/1': 'a2/1', 'b3/1': 'b2/1' });
    }));

  it('wait for their chargeback, even longer than the look-back, and keep a link once it is stored', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const early = recordsOf(
        'record | kind | unique | amount | date\nr1 | REVERSAL | p1 | 20.00 | 2026-08-01',
      );
      const late = recordsOf(`record | file | kind       | unique | amount
                              c1     | 2    | CHARGEBACK | p1     | 50.00`);
      const later = recordsOf(`record | file | kind       | unique | amount
                               c2     | 3    | CHARGEBACK | p1     | 20.00
                               r2     | 3    | REVERSAL   | p1     | 50.00`);
      const names = namesOf([...early, ...late, ...later]);
      await storePayments(tx, paymentsOf('payment\np1'));
      await storeRecords(tx, 1, early);
      expect(await matchRun(tx, 1)).toEqual({ assigned: 0, reversed: 0 });
      expect((await openFindings(tx, names)).map((each) => each.code)).toEqual([
        'REVERSAL_WITHOUT_CHARGEBACK',
      ]);
      await storeRecords(tx, 2, late);
      expect(await matchRun(tx, 2)).toEqual({ assigned: 1, reversed: 1 });
      expect(await openFindings(tx, names)).toEqual([]);
      await storeRecords(tx, 3, later);
      expect(await matchRun(tx, 3)).toEqual({ assigned: 1, reversed: 1 });
      expect(await reversalsOf(tx, names)).toEqual({ 'r1/1': 'c1/1', 'r2/1': 'c2/1' });
    }));
});

describe('linkReversals', () => {
  const key = fc.constantFrom(paymentKey(1n), paymentKey(2n));
  const currency = fc.constantFrom('EUR', 'USD');
  const arbitraryReversal = fc.record({
    paymentKey: key,
    amountMinor: fc.constantFrom(0n, 10n, 20n, 30n),
    currency,
    formerId: fc.option(fc.constantFrom('c0', 'c1', 'c2'), { freq: 8 }),
  });
  const arbitraryChargeback = fc
    .record({
      paymentKey: key,
      leftMinor: fc.constantFrom(10n, 20n, 30n, 60n),
      currency,
      hasReversal: fc.boolean(),
      hasFailed: fc.constantFrom(false, false, true),
      counts: fc.constantFrom(true, true, true, false),
    })
    .filter(({ leftMinor, hasReversal }) => leftMinor > 0n || !hasReversal);

  /** The rule as it is written in the design. */
  function plainly(
    reversals: readonly WaitingReversal[],
    chargebacks: readonly OpenChargeback[],
  ): (string | undefined)[] {
    const open = chargebacks.map((each) => ({ ...each }));
    const isEnough = (chargeback: OpenChargeback, { amountMinor, currency }: WaitingReversal) =>
      chargeback.currency === currency && chargeback.leftMinor >= amountMinor;
    const choose = (reversal: WaitingReversal) => {
      const own = open.filter(
        (each) =>
          each.counts &&
          each.paymentKey === reversal.paymentKey &&
          (!each.hasReversal || isEnough(each, reversal)),
      );
      const rank = (each: OpenChargeback) =>
        (isEnough(each, reversal) && each.leftMinor === reversal.amountMinor ? 0 : 4) +
        (each.hasFailed ? 2 : 0) +
        (each.hasReversal ? 1 : 0);
      return [...own].sort((one, other) => rank(one) - rank(other))[0];
    };
    const takes = (reversal: WaitingReversal, chosen: (typeof open)[number] | undefined) => {
      if (chosen === undefined) return;
      chosen.leftMinor = chosen.currency === reversal.currency ? chosen.leftMinor - reversal.amountMinor : 0n;
      chosen.hasReversal = true;
      if (chosen.leftMinor <= 0n) open.splice(open.indexOf(chosen), 1);
      taken.set(reversal, chosen.chargebackId);
    };
    const taken = new Map<WaitingReversal, string>();
    for (const reversal of reversals) {
      const former = open.find(({ chargebackId }) => chargebackId === reversal.formerId);
      if (former?.paymentKey !== reversal.paymentKey) continue;
      if (!former.hasReversal || isEnough(former, reversal)) takes(reversal, former);
    }
    for (const reversal of reversals) if (!taken.has(reversal)) takes(reversal, choose(reversal));
    return reversals.map((reversal) => taken.get(reversal));
  }

  it('follows the rule of the design', () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryReversal, { maxLength: 12 }),
        fc.array(arbitraryChargeback, { maxLength: 12 }),
        (left, right) => {
          const reversals = left.map((each, line) => ({ ...each, fileId: fileId(1), line }));
          const chargebacks = [...right]
            .sort((one, other) => Number(one.hasFailed) - Number(other.hasFailed))
            .map((each, index) => ({ ...each, chargebackId: `c${index}` }));
          const links = linkReversals(reversals, chargebacks);
          const taken = reversals.map((each) => links.find((link) => link.reversal === each)?.chargebackId);
          expect(taken).toEqual(plainly(reversals, chargebacks));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['more than each of them', 9n, 100_000],
    ['a part of each of them, and then more than is left', 4n, 100_000],
    ['the halves of each of them', 3n, 200_000],
  ])(
    'takes linear time with a hundred thousand on one payment, if reversals return %s',
    (_, amountMinor, count) => {
      const chargebacks = Array.from({ length: 100_000 }, (_each, index) => ({
        chargebackId: `c${index}`,
        paymentKey: paymentKey(1n),
        leftMinor: 6n,
        currency: 'EUR',
        hasReversal: false,
        hasFailed: false,
        counts: true,
      }));
      const reversals = Array.from({ length: 200_000 }, (_each, line) => ({
        paymentKey: paymentKey(1n),
        currency: 'EUR',
        formerId: null,
        amountMinor,
        fileId: fileId(1),
        line,
      }));
      expect(linkReversals(reversals, chargebacks)).toHaveLength(count);
    },
  );

  it('takes little more time if each reversal is for less than the one before, and never that much is left', () => {
    const chargebacks = Array.from({ length: 100_000 }, (_each, index) => ({
      chargebackId: `c${index}`,
      paymentKey: paymentKey(1n),
      leftMinor: 6n,
      currency: 'EUR',
      hasReversal: true,
      hasFailed: false,
      counts: true,
    }));
    const reversals = Array.from({ length: 100_000 }, (_each, line) => ({
      paymentKey: paymentKey(1n),
      currency: 'EUR',
      formerId: null,
      amountMinor: 1_000_000n - BigInt(line),
      fileId: fileId(1),
      line,
    }));
    expect(linkReversals(reversals, chargebacks)).toEqual([]);
  });
});
