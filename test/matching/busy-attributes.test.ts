import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { databaseForAllTests } from '../support/database.js';
import { matchRun, settings } from './findings.js';
import { account, payment, record, rolledBack, storePayments, storeRecords } from './scenario.js';

/**
 * More than ten records with the attributes of more payments than may be found are counted by their times and brands
 * instead of being looked up one by one (`busy-attributes.ts`). What they find must be the same.
 */
const testDatabase = databaseForAllTests();

/** Scattered, and the same in each run of the test. */
const scatter = (n: number, of: number) => ((n * 7919 + 104_729) * 31) % of;
const timeOf = (minutes: number) =>
  new Date(Date.parse('2026-11-18T00:00:00Z') + minutes * 60_000).toISOString();
const attributes = { amount: 10_000n, currency: 'EUR', last4: '1234' } as const;
const brands = ['VISA', 'MASTER', 'AMEX', null] as const;
const types = ['DB', 'DB', 'CP', 'RF', 'CB'] as const;

async function store(tx: Tx): Promise<void> {
  await storePayments(
    tx,
    Array.from({ length: 120 }, (_, n) =>
      payment(`p${n}-`, {
        ...attributes,
        entityId: account,
        brand: brands[scatter(n, 4)] ?? null,
        type: types[scatter(n, 5)] ?? 'DB',
        // Some at the same moment, and some exactly at the end of the window of a record.
        requestedAt: timeOf(60 * scatter(n, 97)),
        last4: n % 10 === 0 ? '5678' : '1234',
      }),
    ),
  );
  await storeRecords(
    tx,
    1,
    Array.from({ length: 80 }, (_, n) =>
      record(`r${n}-`, {
        ...attributes,
        line: n + 2,
        merchantAccountId: account,
        uniqueId: null,
        brand: n % 7 === 0 ? 'Visa Card' : (brands[scatter(n, 4)] ?? null),
        txRequestTime: n % 13 === 0 ? null : timeOf(60 * scatter(n, 89)),
        settlementAmount: 10_000n,
      }),
    ),
  );
}

/** How many payments of the right type each record finds, evaluated for each pair. */
async function expectedCounts(tx: Tx, windowHours: number): Promise<Map<number, number>> {
  const rows = await tx<{ line: number; found: number }[]>`
    select r.line, count(p.key)::int as found
    from settlement_records r
    left join payments p on p.entity_id = r.merchant_account_id and p.account_number_last4 = r.account_number_last4
      and p.amount_minor = r.amount_minor and p.currency = r.currency and p.payment_type <> 'CB'
      and abs(extract(epoch from p.requested_at - r.tx_request_time)) <= ${windowHours * 3600}
      and (p.payment_brand is null or r.brand is null or p.payment_brand = r.brand
        or (r.brand = 'Visa Card' and p.payment_brand = 'VISA'))
    group by r.line`;
  return new Map(rows.map(({ line, found }) => [line, found]));
}

describe('records with the attributes of too many payments', () => {
  it.each([1, 3, 8, 11])('find what their time and brand allow, with a limit of %i', (limit) =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await store(tx);
      const windowHours = 5;
      await matchRun(tx, 1, {
        maxPaymentsPerKey: limit,
        attributes: { enabled: true, windowHours },
        allowances: { ...settings.allowances, brandAliases: new Map([['Visa Card', 'VISA']]) },
      });
      const counts = await expectedCounts(tx, windowHours);
      const matched = await tx<{ line: number; matchedBy: string | null }[]>`
        select line, matched_by as "matchedBy" from record_matches order by line`;
      const expected = matched.map(({ line }) => {
        const found = counts.get(line) ?? 0;
        return { line, matchedBy: found > 0 && found <= limit ? 'ATTRIBUTES' : null };
      });
      expect(matched.map((row) => ({ ...row }))).toEqual(expected);
      const [busy] = await tx<{ count: number }[]>`select count(*)::int as count from busy_records`;
      expect(busy?.count).toBeGreaterThan(10);
      const crowded = expected.filter(({ line }) => (counts.get(line) ?? 0) > limit);
      expect(crowded.length).toBeGreaterThan(0);
      const [named] = await tx<{ count: number }[]>`
        select count(*)::int as count from discrepancies
        where code = 'NOT_MATCHED' and message like '%Not used%account, amount and time%'`;
      expect(named?.count).toBe(crowded.length);
    }),
  );

  it('are left with the payments that narrowing leaves', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await store(tx);
      await matchRun(tx, 1, { maxPaymentsPerKey: 20, attributes: { enabled: true, windowHours: 5 } });
      const [row] = await tx<{ wrong: number; candidates: number }[]>`
        select count(*)::int as candidates, count(*) filter (where p.payment_type not in ('DB', 'CP'))::int as wrong
        from match_candidates c join payments p on p.key = c.payment_key`;
      expect(row?.candidates).toBeGreaterThan(0);
      expect(row?.wrong).toBe(0);
    }));
});
