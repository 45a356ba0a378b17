import path from 'node:path';
import { Writable } from 'node:stream';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Sql } from '../../../src/db/client.js';
import { inOwnTransaction } from '../../../src/db/transaction.js';
import { amendChargebacks } from '../../../src/payment-core/chargebacks/amend-chargebacks.js';
import { bookChargebacks } from '../../../src/payment-core/chargebacks/book-chargebacks.js';
import type { ChargebackBooking } from '../../../src/payment-core/chargebacks/booking-rows.js';
import { exportPayments } from '../../../src/payment-file/export-payments.js';
import { findPayment } from '../../../src/payment-core/stored-payments/find-payment.js';
import { importPayments } from '../../../src/payment-file/import-payments.js';
import { databaseForAllTests } from '../../support/database.js';
import { idOf, paymentLine, writePayments } from '../../payment-file/payments-file.js';
import { folderForAllTests } from '../../support/test-folder.js';

const testDatabase = databaseForAllTests();
let sql: Sql;
const directory = folderForAllTests();

beforeAll(() => {
  sql = testDatabase.database.sql;
});
beforeEach(async () => {
  await sql`truncate payments cascade`;
  await importPayments(
    sql,
    writePayments(path.join(directory.path, 'p.csv'), [paymentLine(1, { EntityId: 'E'.repeat(32) })]),
  );
});

const chargeback: ChargebackBooking = {
  id: idOf(0xcb),
  paymentType: 'CB',
  referencedPaymentId: idOf(1),
  amountMinor: 700n,
  currency: 'EUR',
  reasonCode: '000.100.204',
  bookedAt: '2026-11-19T00:00:00Z',
};
const reversal: ChargebackBooking = {
  ...chargeback,
  id: idOf(0xc),
  paymentType: 'CR',
  referencedPaymentId: idOf(0xcb),
};

const book = (...bookings: ChargebackBooking[]) =>
  inOwnTransaction(sql, (tx) => bookChargebacks(tx, bookings));

test('a chargeback and its reversal are stored, whatever their order', async () => {
  expect(await book(reversal, chargeback)).toEqual({ booked: 2 });
  expect(await findPayment(sql, chargeback.id)).toMatchObject({
    paymentType: 'CB',
    amountMinor: 700n,
    currency: 'EUR',
    resultCode: '000.100.204',
    referencedPaymentId: idOf(1),
    entityId: 'E'.repeat(32),
    paymentBrand: 'VISA',
    requestedAt: '2026-11-19 00:00:00+00',
  });
  expect(await findPayment(sql, reversal.id)).toMatchObject({
    paymentType: 'CR',
    resultCode: '000.000.000',
    outcome: 'SUCCESS',
    referencedPaymentId: chargeback.id,
    entityId: 'E'.repeat(32),
  });
});

test('booking again changes nothing', async () => {
  await book(chargeback, reversal);
  expect(await book({ ...chargeback, amountMinor: 1n }, reversal)).toEqual({ booked: 0 });
  expect(await findPayment(sql, chargeback.id)).toMatchObject({ amountMinor: 700n });
  expect(await book()).toEqual({ booked: 0 });
});

test.each([
  [null, '000.100.200'],
  ['4853', '000.100.200'],
  ['000.100.2', '000.100.200'],
  ['000.100.299', '000.100.299'],
])('reason %s becomes result code %s', async (reasonCode, expected) => {
  await book({ ...chargeback, reasonCode });
  expect(await findPayment(sql, chargeback.id)).toMatchObject({ resultCode: expected });
});

test('many at once, and none of them in an export', async () => {
  const many = Array.from({ length: 5_000 }, (_, index) => ({ ...chargeback, id: idOf(1_000 + index) }));
  expect(await book(...many)).toEqual({ booked: 5_000 });
  let text = '';
  const out = new Writable({
    write: (block: Buffer, _encoding, done) => {
      text += block.toString();
      done();
    },
  });
  expect(await exportPayments(sql, out)).toEqual({ written: 1 });
  expect(text.split('\n')).toHaveLength(3);
});

test('an amendment changes bookings of the same type, and no other payment', async () => {
  await inOwnTransaction(sql, (tx) => bookChargebacks(tx, [chargeback]));
  const amended = { ...chargeback, amountMinor: 0n };
  const others: ChargebackBooking[] = [
    { ...amended, id: idOf(1) },
    { ...amended, paymentType: 'CR' },
    { ...amended, id: idOf(2) },
  ];
  expect(await inOwnTransaction(sql, (tx) => amendChargebacks(tx, others))).toEqual({ amended: 0 });
  expect(await inOwnTransaction(sql, (tx) => amendChargebacks(tx, [amended]))).toEqual({ amended: 1 });
  expect(await inOwnTransaction(sql, (tx) => amendChargebacks(tx, [amended]))).toEqual({ amended: 0 });
  const stored = await sql<
    { id: string; amount: bigint }[]
  >`select id, amount_minor as amount from payments order by id`;
  expect(stored.map(({ id, amount }) => [id, amount === 0n])).toEqual([
    [idOf(1), false],
    [chargeback.id, true],
  ]);
});

test.each<[what: string, change: Partial<ChargebackBooking>]>([
  ['the amount', { amountMinor: 1n }],
  ['the currency', { currency: 'USD' }],
  ['the reason', { reasonCode: '000.100.229' }],
  ['the day', { bookedAt: '2026-11-01T00:00:00Z' }],
  ['the payment', { referencedPaymentId: idOf(7) }],
])('an amendment of %s alone is stored', async (_what, change) => {
  const read = () => sql`select * from payments where id = ${chargeback.id}`;
  await inOwnTransaction(sql, (tx) => bookChargebacks(tx, [chargeback]));
  const [before] = await read();
  expect(await inOwnTransaction(sql, (tx) => amendChargebacks(tx, [{ ...chargeback, ...change }]))).toEqual({
    amended: 1,
  });
  expect(await read()).not.toEqual([before]);
});
