import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { matchRun } from '../matching/findings.js';
import { rolledBack } from '../matching/scenario.js';
import { databaseForAllTests } from '../support/database.js';
import { setStatistics, type Knowledge } from './crowded-quarter.js';
import { storeLoadedFile } from './loaded-file.js';
import { recordPlans, statementsBeyond, type PlanRecorder } from './record-plans.js';

/**
 * Many chargebacks are returned in two parts each, and the file of the parts is withdrawn and restored: the parts have
 * their chargebacks again without being compared with each other.
 */
const chargebacks = 1_000;

/** Each part compared with each other one would be 4,000,000 rows. */
const mostRows = 50 * chargebacks;

const testDatabase = databaseForAllTests();
let recorder: PlanRecorder;

beforeAll(async () => {
  await testDatabase.database.sql.begin(async (tx) => {
    await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
    await storePayments(tx);
    await storeFile(tx, 1, { kind: 'CHARGEBACK', amounts: [10000] });
    await storeFile(tx, 2, { kind: 'CHARGEBACK REVERSAL', amounts: [4000, 6000] });
    expect(await matchRun(tx, 1)).toEqual({ assigned: chargebacks, reversed: 0 });
    expect(await matchRun(tx, 2)).toEqual({ assigned: 0, reversed: 2 * chargebacks });
  });
  recorder = await recordPlans(testDatabase);
});

afterAll(() => recorder.end());

async function storePayments(tx: Tx): Promise<void> {
  await tx`
    insert into payments (id, payment_type, payment_brand, amount_minor, currency, result_code, entity_id, requested_at)
    select lpad(n::text, 32, 'p'), 'DB', 'VISA', 10000, 'EUR', '000.000.000', lpad('', 32, 'a'), '2026-11-18T10:00:00Z'
    from generate_series(1, ${chargebacks}) n`;
}

interface Records {
  readonly kind: string;
  /** For each payment, a record of each amount. */
  readonly amounts: readonly number[];
}

/** A file that arrives in the run of its number. */
async function storeFile(tx: Tx, file: number, { kind, amounts }: Records): Promise<void> {
  const count = chargebacks * amounts.length;
  await storeLoadedFile(tx, file, count);
  await tx`
    insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type, cashflow,
      clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, settlement_tx_id, unique_id,
      amount_minor, currency, brand, settlement_amount_minor, settlement_currency, settlement_fx_rate_hundredths,
      settlement_date, settlement_status, settlement_file_format, clearing_institute_name)
    select ${file}::int, 1 + i * ${chargebacks} + n, md5(${`${file}:`} || i || ':' || n)::uuid, 1, ${kind}, 'DEBIT', 'POS',
      'CI', lpad('', 32, 'a'), lpad('', 32, 'b'), lpad('', 32, 'm'), 'tx-' || i || '-' || n, lpad(n::text, 32, 'p'),
      amount, 'EUR', 'VISA', amount, 'EUR', 100, '2026-11-19', 'SUCCESS', 'STANDARD', 'Acquirer'
    from generate_series(1, ${chargebacks}) n, unnest(${amounts}::bigint[]) with ordinality parts (amount, i)`;
}

async function decide(tx: Tx, kind: 'withdraw' | 'restore', file = 2): Promise<void> {
  await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
    values (${file}, ${kind}, 'r', 'anna', now())`;
}

describe.each<Knowledge>(['fresh', 'missing'])('when the statistics are %s', (kind) => {
  it('parts whose file is withdrawn and restored are not compared with each other', async () => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      await decide(tx, 'withdraw');
      await bounded(tx, () => matchRun(tx, 3));
      expect(await reversed(tx)).toBe(0);
      await decide(tx, 'restore');
      await bounded(tx, () => matchRun(tx, 4));
      expect(await reversed(tx)).toBe(2 * chargebacks);
    });
  });
});

describe.each<Knowledge>(['fresh', 'missing', 'stale'])('when the statistics are %s', (kind) => {
  it('parts that are restored before their chargebacks are not compared with each other', async () => {
    await rolledBack(recorder.sql, async (tx) => {
      await setStatistics(tx, kind);
      await decide(tx, 'withdraw', 1);
      await decide(tx, 'withdraw');
      await bounded(tx, () => matchRun(tx, 3));
      await decide(tx, 'restore');
      await bounded(tx, () => matchRun(tx, 4));
      expect(await reversed(tx)).toBe(2 * chargebacks);
      await decide(tx, 'restore', 1);
      await bounded(tx, () => matchRun(tx, 5));
      expect(await reversed(tx)).toBe(2 * chargebacks);
    });
  });
});

async function reversed(tx: Tx): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from chargeback_links where kind = 'CHARGEBACK REVERSAL' and active`;
  return row?.count ?? 0;
}

async function bounded<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
  const { result, beyond } = await statementsBeyond(recorder, tx, { mostRows, work });
  expect(beyond).toEqual([]);
  return result;
}
