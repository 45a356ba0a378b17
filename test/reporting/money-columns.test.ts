import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { discrepancyList } from '../../src/listings/list-discrepancies.js';
import { collect } from '../../src/listings/listing.js';
import { createWorld, discrepancy, due, id32, match, payment, type World } from './world.js';

/** Every amount that finance reads stands beside its own currency, and every row about a payment can be summed. */
let world: World;

beforeEach(async () => {
  world = await createWorld();
  await world.load({
    id: 1,
    name: 'settlement.csv',
    lines: [
      {
        kind: 'record',
        cells: { UniqueID: id32('p1'), SettlementAmount: '102.00', SettlementCurrency: 'USD' },
      },
      { kind: 'record', cells: { UniqueID: id32('p2'), Amount: '90.00', SettlementAmount: '90.00' } },
      { kind: 'record', cells: { UniqueID: id32('p3'), Currency: 'GBP' } },
      { kind: 'record', cells: { UniqueID: id32('nobody'), Currency: 'CHF' } },
    ],
  });
  const about = (line: number, key: number) => ({ file_id: 1, line, payment_key: key });
  await world.store([
    payment(1),
    payment(2, { entity_id: 'shop' }),
    payment(3),
    payment(4, {
      payment_type: 'RF',
      amount_minor: 4000,
      currency: 'SEK',
      requested_at: '2026-11-08T23:30:00Z',
    }),
    ...[1, 2, 3].map((key) => match([1, key + 1], 'MATCHED', { matched_by: 'UNIQUE_ID', payment_key: key })),
    match([1, 5], 'NOT_MATCHED'),
    discrepancy('d1', 'FX_MISMATCH', { ...about(2, 1), difference_minor: -600 }),
    discrepancy('d2', 'AMOUNT_MISMATCH', { ...about(3, 2), difference_minor: -1000 }),
    discrepancy('d3', 'CURRENCY_MISMATCH', about(4, 3)),
    discrepancy('d4', 'MISSING_SETTLEMENT', { payment_key: 4, difference_minor: -4000 }),
    discrepancy('d5', 'NOT_MATCHED', { file_id: 1, line: 5 }),
    discrepancy('d6', 'RECORD_REDELIVERED', { ...about(4, 3), difference_minor: 500 }),
  ]);
});

afterEach(() => world.end());

const inBerlin = { ...due, timezone: 'Europe/Berlin' };

test('discrepancies.csv states the currency of each difference, and the payment beside the record', async () => {
  const { discrepancies } = await world.publish({ due: inBerlin });
  const rows = parse<Record<string, string>>(readFileSync(discrepancies), {
    delimiter: ';',
    columns: true,
    bom: true,
  });
  const cells = rows.map((row) =>
    [
      'Code',
      'Difference',
      'DifferenceCurrency',
      'PaidAmount',
      'PaidCurrency',
      'PaidOn',
      'PaidAs',
      'PaidAccount',
    ]
      .map((name) => row[name])
      .join(' '),
  );
  expect(cells.sort()).toEqual([
    'AMOUNT_MISMATCH -10.00 EUR 100.00 EUR 2026-11-18 DB shop',
    'CURRENCY_MISMATCH   100.00 EUR 2026-11-18 DB ',
    'FX_MISMATCH -6.00 USD 100.00 EUR 2026-11-18 DB ',
    'MISSING_SETTLEMENT -40.00 SEK 40.00 SEK 2026-11-09 RF ',
    'NOT_MATCHED       ',
    'RECORD_REDELIVERED 5.00 GBP 100.00 EUR 2026-11-18 DB ',
  ]);
});

test('the sums per code are in the currency of what they add up', async () => {
  const { discrepancies } = await world.publishReports();
  expect(discrepancies.amounts).toEqual([
    { code: 'AMOUNT_MISMATCH', currency: 'EUR', count: 1, amount: '10.00' },
    { code: 'CURRENCY_MISMATCH', currency: 'GBP', count: 1, amount: '100.00' },
    { code: 'FX_MISMATCH', currency: 'USD', count: 1, amount: '6.00' },
    { code: 'MISSING_SETTLEMENT', currency: 'SEK', count: 1, amount: '40.00' },
    { code: 'NOT_MATCHED', currency: 'CHF', count: 1, amount: '100.00' },
    { code: 'RECORD_REDELIVERED', currency: 'GBP', count: 1, amount: '5.00' },
  ]);
});

test('the list states both currencies: of the amount and of the difference', async () => {
  const everything = { code: null, severity: null, from: null, to: null, runId: null };
  const source = discrepancyList({ ...everything, timezone: 'UTC', withResolved: false });
  const { rows } = await collect(world.sql, source, null);
  expect(rows.map(({ code, currency, differenceCurrency }) => [code, currency, differenceCurrency])).toEqual([
    ['AMOUNT_MISMATCH', 'EUR', 'EUR'],
    ['CURRENCY_MISMATCH', 'GBP', null],
    ['FX_MISMATCH', 'EUR', 'USD'],
    ['MISSING_SETTLEMENT', 'SEK', 'SEK'],
    ['NOT_MATCHED', 'CHF', null],
    ['RECORD_REDELIVERED', 'GBP', 'GBP'],
  ]);
});
