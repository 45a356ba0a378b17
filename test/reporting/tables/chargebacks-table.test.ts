import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunScope } from '../../../src/db/run-scope.js';
import { ChargebackTally } from '../../../src/reporting/page/tally-chargebacks.js';
import { readChargebacks } from '../../../src/reporting/tables/chargebacks-table.js';
import { createWorld, id32, match, payment, runScope, type Fact, type World } from '../world.js';

/** What `chargebacks.csv` says of chargebacks that failed, were reversed, or do not count. */
let world: World;

beforeEach(async () => {
  world = await createWorld();
  await world.store([payment(1)]);
});

afterEach(() => world.end());

const reversal = 'CHARGEBACK REVERSAL';

/** A record that is matched to the payment, and its link to a chargeback id. */
interface Linked {
  readonly kind: 'CHARGEBACK' | typeof reversal;
  readonly chargeback: string;
  readonly date?: string;
  readonly settlementTxId?: string;
  readonly status?: 'FAILED';
  readonly amount?: string;
  readonly currency?: string;
  /** The link does not count: the file is withdrawn, or the record superseded. */
  readonly isInactive?: boolean;
}

const load = (...records: readonly Linked[]) => loadFile(1, ...records);

async function loadFile(file: number, ...records: readonly Linked[]): Promise<void> {
  await world.load({
    id: file,
    name: `settlement-${file}.csv`,
    lines: records.map(
      ({ kind, date = '2026-11-19', settlementTxId = 'tx', status = 'SUCCESS', ...money }, index) => ({
        kind: 'record' as const,
        cells: {
          Amount: money.amount ?? '100.00',
          Currency: money.currency ?? 'EUR',
          ReconciliationType: kind,
          UniqueID: id32('p1'),
          SettlementDate: date,
          SettlementTxId: settlementTxId,
          SettlementStatus: status,
          // No two rows are the same record.
          ShortId: `${index}`,
        },
      }),
    ),
  });
  await world.store(
    records.flatMap(({ kind, chargeback, isInactive = false }, index): Fact[] => {
      const place = { file_id: file, line: index + 2 };
      const booking = { booking_id: id32(`b${file}${place.line}`), chargeback_id: id32(chargeback) };
      return [
        match([file, place.line], 'MATCHED', { matched_by: 'UNIQUE_ID', payment_key: 1 }),
        ['chargeback_links', { ...place, kind, ...booking, payment_key: 1, run_id: 1, active: !isInactive }],
      ];
    }),
  );
}

/** Line, status and day of the reversal, in the order of the report. */
const listed = (scope: RunScope = runScope) =>
  world.transact(async (tx) => {
    const found: string[] = [];
    for await (const batch of readChargebacks(tx, scope)) {
      found.push(...batch.map((row) => `${row.line} ${row.status} ${row.reversed_on ?? '-'}`));
    }
    return found;
  });

test('one that FAILED moved no money, and one that was reversed is reversed, even if it FAILED', async () => {
  await load(
    { kind: 'CHARGEBACK', chargeback: 'a' },
    { kind: 'CHARGEBACK', chargeback: 'b', status: 'FAILED' },
    { kind: 'CHARGEBACK', chargeback: 'c', status: 'FAILED' },
    { kind: reversal, chargeback: 'c', date: '2026-11-20' },
  );
  expect((await listed()).sort()).toEqual(['2 OPEN -', '3 FAILED -', '4 REVERSED 2026-11-20']);
});

test('a reversal says how much it returned, and the sums of the page count that', async () => {
  await load(
    { kind: 'CHARGEBACK', chargeback: 'a', amount: '100.00' },
    { kind: reversal, chargeback: 'a', amount: '40.00' },
    { kind: 'CHARGEBACK', chargeback: 'b', amount: '7.00' },
    { kind: reversal, chargeback: 'b', amount: '8.00', currency: 'USD' },
    { kind: 'CHARGEBACK', chargeback: 'c', amount: '5.00' },
  );
  const { returned, totals } = await world.transact(async (tx) => {
    const tally = new ChargebackTally();
    const rows: string[] = [];
    for await (const batch of tally.watch(readChargebacks(tx, runScope))) {
      rows.push(
        ...batch.map((row) => `${row.line} ${row.reversed_minor ?? '-'} ${row.reversed_currency ?? '-'}`),
      );
    }
    return { returned: rows, totals: tally.totals() };
  });
  expect(returned.sort()).toEqual(['2 4000 EUR', '4 800 USD', '6 - -']);
  expect(totals.byCurrency).toEqual([
    { currency: 'EUR', open: 1, openMinor: 500n, reversed: 2, reversedMinor: 4000n },
    { currency: 'USD', open: 0, openMinor: 0n, reversed: 0, reversedMinor: 800n },
  ]);
});

test('one that does not count is not listed, and a reversal that does not count reverses nothing', async () => {
  await load(
    { kind: 'CHARGEBACK', chargeback: 'a', isInactive: true },
    { kind: 'CHARGEBACK', chargeback: 'b' },
    { kind: reversal, chargeback: 'b', isInactive: true },
    // Its chargeback does not count.
    { kind: reversal, chargeback: 'a' },
  );
  expect(await listed()).toEqual(['3 OPEN -']);
});

test('they are in the order of their day and then of SettlementTxId, by bytes', async () => {
  await load(
    { kind: 'CHARGEBACK', chargeback: 'a', settlementTxId: 'a' },
    { kind: 'CHARGEBACK', chargeback: 'b', settlementTxId: 'B' },
    { kind: 'CHARGEBACK', chargeback: 'c', settlementTxId: 'z', date: '2026-11-18' },
    { kind: 'CHARGEBACK', chargeback: 'd', settlementTxId: '' },
  );
  expect(await listed()).toEqual(['4 OPEN -', '5 OPEN -', '3 OPEN -', '2 OPEN -']);
});

test('a range has those of its days, and those whose reversal is of its days', async () => {
  await load(
    { kind: 'CHARGEBACK', chargeback: 'a', date: '2026-11-17' },
    { kind: 'CHARGEBACK', chargeback: 'b', date: '2026-11-18' },
    { kind: 'CHARGEBACK', chargeback: 'c', date: '2026-11-17' },
    { kind: reversal, chargeback: 'c', date: '2026-11-18' },
    { kind: 'CHARGEBACK', chargeback: 'd', date: '2026-11-19' },
  );
  const day: RunScope = { kind: 'range', from: '2026-11-18', to: '2026-11-18', asOf: '2026-11-20' };
  expect(await listed(day)).toEqual(['4 REVERSED 2026-11-18', '3 OPEN -']);
});

test('what was removed of a chargeback and its reversal is read from the booking', async () => {
  await loadFile(1, { kind: 'CHARGEBACK', chargeback: 'a' }, { kind: reversal, chargeback: 'b' });
  await loadFile(
    2,
    { kind: reversal, chargeback: 'a', date: '2026-11-20' },
    { kind: 'CHARGEBACK', chargeback: 'b', date: '2026-11-19' },
  );
  const bookings = [2, 3].map((line) =>
    payment(10 + line, { id: id32(`b1${line}`), requested_at: `2026-11-1${line}T00:00:00Z` }),
  );
  await world.store(bookings);
  await world.transact(async (tx) => {
    await tx`delete from settlement_records where file_id = 1`;
    await tx`update settlement_files set status = 'retired' where id = 1`;
  });
  expect(await listed()).toEqual(['2 REVERSED 2026-11-20', '3 REVERSED 2026-11-13']);
});
