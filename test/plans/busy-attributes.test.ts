import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { matchRun } from '../matching/findings.js';
import { rolledBack } from '../matching/scenario.js';
import { knowledge, setStatistics, type Knowledge } from './crowded-quarter.js';
import { storeLoadedFile } from './loaded-file.js';
import { recorderOfTests, statementsBeyond } from './record-plans.js';

/**
 * Records that have no reference, and account, last four digits, amount and currency in common with each other and with
 * many payments. Each of them read up to the limit of these payments, and all of them if their brand or their type does
 * not fit: 10,000 records took PostgreSQL 12 seconds.
 */
const records = 1_000;
const payments = 1_500;
const maxPaymentsPerKey = 500;

/** One look-up of each record reads 500,000 rows. */
const mostRows = 10 * (records + payments);

/** SQL over the number `n` of a payment or record. */
interface Data {
  readonly name: string;
  readonly payment: { readonly type?: string; readonly brand?: string; readonly time?: string };
  readonly record: { readonly brand?: string; readonly time?: string };
}

const day = `timestamptz '2026-11-18T10:00:00Z'`;

const data: readonly Data[] = [
  { name: 'one time', payment: {}, record: {} },
  {
    name: 'different times',
    payment: { time: `${day} + n * interval '1 second'` },
    record: { time: `${day} + n * interval '7 seconds'` },
  },
  { name: 'a brand that no payment has', payment: { brand: `'MASTER'` }, record: {} },
  {
    name: 'several brands',
    payment: {},
    record: { brand: `case n % 3 when 0 then 'VISA' when 1 then 'AMEX' end` },
  },
  { name: 'the attributes of booked chargebacks', payment: { type: `'CB'` }, record: {} },
  {
    name: 'payments of other days',
    payment: { time: `${day} - interval '9 days'` },
    record: {},
  },
];

const recorder = recorderOfTests();

async function store(tx: Tx, { payment, record }: Data): Promise<void> {
  const { type = `'DB'`, brand = `'VISA'`, time = day } = payment;
  await tx`
    insert into payments (id, payment_type, payment_brand, amount_minor, currency, result_code, entity_id,
      account_number_last4, requested_at)
    select lpad(n::text, 32, 'p'), ${tx.unsafe(type)}, ${tx.unsafe(brand)}, 10000, 'EUR', '000.000.000',
      lpad('', 32, 'a'), '1234', ${tx.unsafe(time)}
    from generate_series(1, ${payments}::int) n`;
  await storeLoadedFile(tx, 1, records);
  await tx`
    insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type, cashflow,
      clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, account_number_last4, amount_minor,
      currency, brand, tx_request_time, settlement_amount_minor, settlement_currency, settlement_fx_rate_hundredths,
      settlement_date, settlement_status, settlement_file_format, clearing_institute_name)
    select 1, 1 + n, md5(n::text)::uuid, 1, 'SETTLED', 'DEBIT', 'POS', 'CI', lpad('', 32, 'a'), lpad('', 32, 'b'),
      lpad('', 32, 'm'), '1234', 10000, 'EUR', ${tx.unsafe(record.brand ?? `'VISA'`)}, ${tx.unsafe(record.time ?? day)},
      10000, 'EUR', 100, '2026-11-19', 'SUCCESS', 'STANDARD', 'Acquirer'
    from generate_series(1, ${records}::int) n`;
}

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  it.each(data)(
    'records of the same attributes with $name are matched in proportion to their number',
    (world) =>
      rolledBack(recorder().sql, async (tx) => {
        await store(tx, world);
        await setStatistics(tx, kind);
        const work = () => matchRun(tx, 1, { maxPaymentsPerKey });
        const { beyond } = await statementsBeyond(recorder(), tx, { mostRows, work });
        expect(beyond).toEqual([]);
        const [row] = await tx<{ count: number }[]>`
        select count(*)::int as count from record_matches where status = 'NOT_MATCHED'`;
        expect(row?.count).toBe(records);
      }),
  );
});
