import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { matchRun } from '../matching/findings.js';
import { rolledBack } from '../matching/scenario.js';
import { knowledge, setStatistics, type Knowledge } from './crowded-quarter.js';
import { storeLoadedFile } from './loaded-file.js';
import { recorderOfTests, statementsBeyond } from './record-plans.js';

/**
 * A sender that writes the same text into every reference must not cost the product of its records and payments: 900
 * records with the ShortId of 900 payments took 22 seconds.
 */
const records = 1_000;
const payments = 1_500;

/** Each record handles at most a few rows more than the limit below. */
const maxPaymentsPerKey = 10;
const mostRows = (records + payments) * maxPaymentsPerKey;

const recorder = recorderOfTests();

type Placeholder = 'short_id' | 'connector_tx_id1' | 'account_number_last4';

async function storePayments(tx: Tx, column: Placeholder, from: number, to: number): Promise<void> {
  await tx`
    insert into payments (id, payment_type, amount_minor, currency, result_code, entity_id, requested_at, ${tx(column)})
    select lpad(n::text, 32, 'p'), 'DB', 10000, 'EUR', '000.000.000', lpad('', 32, 'a'), '2026-11-18T10:00:00Z', '0000'
    from generate_series(${from}::int, ${to}::int) n`;
}

async function storeFile(tx: Tx, file: number, column: Placeholder): Promise<void> {
  await storeLoadedFile(tx, file, records);
  await tx`
    insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type, cashflow,
      clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, ${tx(column)}, amount_minor, currency,
      tx_request_time, settlement_amount_minor, settlement_currency, settlement_fx_rate_hundredths, settlement_date,
      settlement_status, settlement_file_format, clearing_institute_name)
    select ${file}::int, 1 + n, md5(${`${file}:`} || n)::uuid, 1, 'SETTLED', 'DEBIT', 'POS', 'CI',
      lpad('', 32, 'a'), lpad('', 32, 'b'), lpad('', 32, 'm'), '0000', 10000, 'EUR', '2026-11-18T10:00:00Z', 10000,
      'EUR', 100, '2026-11-19', 'SUCCESS', 'STANDARD', 'Acquirer'
    from generate_series(1, ${records}) n`;
}

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  it.each<Placeholder>(['short_id', 'connector_tx_id1', 'account_number_last4'])(
    'records and payments that all have the same %s are matched in proportion to both, and so are later ones',
    async (column) => {
      await rolledBack(recorder().sql, async (tx) => {
        await storePayments(tx, column, 1, payments);
        await storeFile(tx, 1, column);
        await setStatistics(tx, kind);
        await bounded(tx, () => matchRun(tx, 1, { maxPaymentsPerKey }));
        await storePayments(tx, column, payments + 1, 2 * payments);
        await storeFile(tx, 2, column);
        await bounded(tx, () => matchRun(tx, 2, { maxPaymentsPerKey }));
        const [row] = await tx<{ count: number }[]>`
          select count(*)::int as count from record_matches where status = 'NOT_MATCHED'`;
        expect(row?.count).toBe(2 * records);
      });
    },
  );
});

async function bounded(tx: Tx, work: () => Promise<unknown>): Promise<void> {
  const { beyond } = await statementsBeyond(recorder(), tx, { mostRows, work });
  expect(beyond).toEqual([]);
}
