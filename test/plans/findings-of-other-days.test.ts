import { expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { countDiscrepancies } from '../../src/reporting/count-discrepancies.js';
import { runId } from '../../src/values/ids.js';
import { settings } from '../matching/findings.js';
import { rolledBack } from '../matching/scenario.js';
import { settlementRow, storedCells } from '../support/settlement-rows.js';
import { knowledge, setStatistics } from './crowded-quarter.js';
import { plansOf, recorderOfTests, statementsBeyond, timesAsked } from './record-plans.js';

const recorder = recorderOfTests();

const settled = 300;

/** Two files of one day each: every payment of the first is settled with too little, which is open. */
async function storeTwoDays(tx: Tx): Promise<void> {
  await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
  await tx`
    insert into payments (id, payment_type, payment_brand, amount_minor, currency, result_code, entity_id, requested_at)
    select lpad(n::text, 32, 'p'), 'DB', 'VISA', 10000, 'EUR', '000.000.000', lpad('', 32, 'a'), '2026-11-01T10:00:00Z'
    from generate_series(1, ${settled + 1}) n`;
  await tx`
    insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id,
      finished_run_id, rows_total, rows_accepted, first_settlement_date, last_settlement_date)
    select n, encode(sha256(convert_to(n::text, 'UTF8')), 'hex'), 'test', 'file-' || n, 1, 'loaded', now(), n, n, 1, 1,
      '2026-11-10'::date + n, '2026-11-10'::date + n
    from generate_series(1, 2) n`;
  const places = Array.from({ length: settled + 1 }, (_, n) => ({
    ...storedCells(settlementRow()),
    file_id: n < settled ? 1 : 2,
    line: n + 2,
    fingerprint: `00000000-0000-0000-0000-${`${n}`.padStart(12, '0')}`,
    occurrence: 1,
    reconciliation_type: 'SETTLED',
    payment_type: 'DEBIT',
    cashflow: 'POS',
    merchant_account_id: 'a'.repeat(32),
    amount_minor: 9000n,
    currency: 'EUR',
    settlement_amount_minor: 9000n,
    settlement_currency: 'EUR',
    settlement_fx_rate_hundredths: 100n,
    settlement_date: n < settled ? '2026-11-11' : '2026-11-12',
    settlement_status: 'SUCCESS',
  }));
  await tx`insert into settlement_records ${tx(places)}`;
  await tx`
    insert into record_matches (file_id, line, status, matched_by, payment_key, run_id)
    select r.file_id, r.line, 'MATCHED', 'UNIQUE_ID', p.key, r.file_id
    from settlement_records r join payments p on p.id = lpad((r.line - 1)::text, 32, 'p')`;
  await tx`
    insert into discrepancies (id, code, severity, file_id, line, payment_key, expected, actual, difference_minor,
      message, first_seen_run)
    select lpad(m.line::text, 32, '0'), 'AMOUNT_MISMATCH', 'error', m.file_id, m.line, m.payment_key, '100.00', '90.00',
      -1000, 'too little', m.file_id
    from record_matches m`;
}

it.each([...knowledge])(
  'the findings of a day are found without the records of other days (statistics are %s)',
  async (kind) => {
    await rolledBack(recorder().sql, async (tx) => {
      await storeTwoDays(tx);
      await setStatistics(tx, kind);
      const day = { kind: 'range', from: '2026-11-12', to: '2026-11-12', asOf: '2026-11-20' } as const;
      const { result, plans } = await plansOf(recorder(), tx, () => countDiscrepancies(tx, day, settings));
      expect(result.byCode).toEqual({ AMOUNT_MISMATCH: 1 });
      const asked = plans.reduce((sum, { root }) => sum + timesAsked(root, 'settlement_records'), 0);
      expect(asked).toBeLessThan(settled / 10);
    });
  },
);

it.each([...knowledge])(
  'the findings of a run are found without comparing those of other runs with each other (statistics are %s)',
  async (kind) => {
    await rolledBack(recorder().sql, async (tx) => {
      await storeTwoDays(tx);
      await setStatistics(tx, kind);
      const run = { kind: 'run', runId: runId(2), asOf: '2026-11-20' } as const;
      const { result, beyond } = await statementsBeyond(recorder(), tx, {
        mostRows: 20 * settled,
        work: () => countDiscrepancies(tx, run, settings),
      });
      expect(result.byCode).toEqual({ AMOUNT_MISMATCH: 1 });
      expect(beyond).toEqual([]);
    });
  },
);
