import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { runId } from '../../src/values/ids.js';
import { matchScope, settings } from '../matching/findings.js';
import { rolledBack } from '../matching/scenario.js';
import { knowledge, setStatistics, type Knowledge } from './crowded-quarter.js';
import { storeLoadedFile } from './loaded-file.js';
import { plansOf, recorderOfTests, rowsToWrite } from './record-plans.js';

/**
 * Records with the ShortId of many payments have all of them as candidates: 1,000 of each are a million rows in two
 * tables. Each is stored once; a re-run, or a run that changes one payment, writes no others.
 */
const count = 60;
const pairs = count * count;
const asOf = '2026-11-20';

const recorder = recorderOfTests();

async function storePayments(tx: Tx): Promise<void> {
  await tx`
    insert into payments (id, short_id, payment_type, amount_minor, currency, result_code, entity_id, requested_at)
    select lpad(n::text, 32, 'p'), 'same', 'DB', 10000, 'EUR', '000.000.000', lpad('', 32, 'a'), '2026-11-18T10:00:00Z'
    from generate_series(1, ${count}::int) n`;
}

/** @param references the UniqueID and the ShortId, as SQL over the number `n` of a record */
async function storeFile(tx: Tx, file: number, rows: number, references: string): Promise<void> {
  await storeLoadedFile(tx, file, rows);
  await tx`
    insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type, cashflow,
      clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, settlement_tx_id, unique_id, short_id,
      amount_minor, currency, settlement_amount_minor, settlement_currency, settlement_fx_rate_hundredths,
      settlement_date, settlement_status, settlement_file_format, clearing_institute_name)
    select ${file}, 1 + n, md5(${file} || ':' || n)::uuid, 1, 'SETTLED', 'DEBIT', 'POS', 'CI', lpad('', 32, 'a'),
      lpad('', 32, 'b'), lpad('', 32, 'm'), 'tx-' || ${file} || '-' || n, ${tx.unsafe(references)}, 10000, 'EUR',
      10000, 'EUR', 100, '2026-11-19', 'SUCCESS', 'STANDARD', 'Acquirer'
    from generate_series(1, ${rows}::int) n`;
}

const tables = ['match_candidates', 'room_candidates', 'contested'];

/** How many rows a matching gives to the statements that write each of the tables. */
async function written(tx: Tx, run: number, scope: 'run' | 'day'): Promise<Record<string, number>> {
  const matched =
    scope === 'run'
      ? ({ kind: 'run', runId: runId(run), asOf } as const)
      : ({ kind: 'range', from: '2026-11-19', to: '2026-11-19', asOf } as const);
  const { plans } = await plansOf(recorder(), tx, () =>
    matchScope(tx, matched, { ...settings, runId: runId(run) }),
  );
  return Object.fromEntries(tables.map((table) => [table, rowsToWrite(plans, table)]));
}

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  it('a payment that many records list is written once for each of them', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      await storePayments(tx);
      await storeFile(tx, 1, count, `null, 'same'`);
      await setStatistics(tx, kind);
      expect(await written(tx, 1, 'run')).toEqual({
        match_candidates: pairs,
        room_candidates: pairs,
        contested: pairs,
      });
      expect(await written(tx, 2, 'day')).toEqual({
        match_candidates: 0,
        room_candidates: 0,
        contested: pairs,
      });
      // A record that names the first payment fills it, so all others lose one candidate.
      await storeFile(tx, 3, 1, `lpad('1', 32, 'p'), null`);
      expect(await written(tx, 3, 'run')).toEqual({
        match_candidates: count,
        room_candidates: count,
        contested: pairs,
      });
    });
  });
});
