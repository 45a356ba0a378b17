import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { matchRun } from '../matching/findings.js';
import { rolledBack } from '../matching/scenario.js';
import { knowledge, setStatistics, type Knowledge } from './crowded-quarter.js';
import { storeLoadedFile } from './loaded-file.js';
import { recorderOfTests, statementsBeyond } from './record-plans.js';

/**
 * Records that a weaker key matched are looked up by the identifiers of each payment that is stored after them. That
 * may cost a look-up for each payment, and not the product of the payments and the records.
 */
const records = 1_000;
const latePayments = 1_000;
const maxPaymentsPerKey = 10;
const mostRows = (records + latePayments) * maxPaymentsPerKey;

const recorder = recorderOfTests();

/** SQL over the number `n` of a payment. */
interface Payments {
  readonly id: string;
  readonly shortId?: string;
  readonly connectorTxId?: string;
}

async function storePayments(
  tx: Tx,
  { id, shortId, connectorTxId }: Payments,
  { count, day = '2026-11-10' }: { readonly count: number; readonly day?: string },
): Promise<void> {
  await tx`
    insert into payments (id, payment_type, amount_minor, currency, result_code, entity_id, requested_at, short_id,
      connector_tx_id1)
    select ${tx.unsafe(id)}, 'DB', 10000, 'EUR', '000.000.000', lpad('', 32, 'a'), ${`${day}T10:00:00Z`},
      ${tx.unsafe(shortId ?? 'null')}, ${tx.unsafe(connectorTxId ?? 'null')}
    from generate_series(1, ${count}::int) n`;
}

/** Each record names a payment that is not stored by its UniqueID, and has the ShortId that is given. */
async function storeFile(tx: Tx, shortId: string): Promise<void> {
  await storeLoadedFile(tx, 1, records, '2026-11-11');
  await tx`
    insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type, cashflow,
      clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, unique_id, short_id, connector_tx_id1,
      amount_minor, currency, settlement_amount_minor, settlement_currency, settlement_fx_rate_hundredths,
      settlement_date, settlement_status, settlement_file_format, clearing_institute_name)
    select 1, 1 + n, md5(n::text)::uuid, 1, 'SETTLED', 'DEBIT', 'POS', 'CI', lpad('', 32, 'a'), lpad('', 32, 'b'),
      lpad('', 32, 'm'), lpad(n::text, 32, 'u'), ${tx.unsafe(shortId)}, 'connector-' || n, 10000, 'EUR', 10000, 'EUR',
      100, '2026-11-11', 'SUCCESS', 'STANDARD', 'Acquirer'
    from generate_series(1, ${records}) n`;
}

interface World {
  readonly name: string;
  /** Before the records, besides the payments that ConnectorTxId1 finds. */
  readonly early?: Payments;
  readonly shortId: string;
  readonly late: Payments;
  readonly matchedBy: string;
}

const late = `lpad(n::text, 32, 'u')`;
const placeholder = `'none'`;
const worlds: readonly World[] = [
  {
    name: 'late payments that the records name by UniqueID',
    shortId: `'short-' || n`,
    late: { id: late },
    matchedBy: 'UNIQUE_ID',
  },
  {
    name: 'late payments that the records name by ShortId',
    shortId: `'short-' || n`,
    late: { id: `lpad(n::text, 32, 'v')`, shortId: `'short-' || n` },
    matchedBy: 'SHORT_ID',
  },
  {
    name: 'late payments with a placeholder that the records and other payments have',
    early: { id: `lpad(n::text, 32, 'w')`, shortId: placeholder },
    shortId: placeholder,
    late: { id: `lpad(n::text, 32, 'v')`, shortId: placeholder },
    matchedBy: 'CONNECTOR_TX_ID',
  },
  {
    name: 'late payments with a placeholder that only the records had',
    shortId: placeholder,
    late: { id: `lpad(n::text, 32, 'v')`, shortId: placeholder },
    matchedBy: 'CONNECTOR_TX_ID',
  },
];

/** Of the look-back, and the as-of date of the runs: a payment of that day is not late. */
const days = ['2026-11-10', '2026-11-20'];

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  it.each(worlds.flatMap((world) => days.map((day) => ({ ...world, day }))))(
    '$name, made on $day, are looked up in proportion to their number',
    async (world) => {
      await rolledBack(recorder().sql, async (tx) => {
        const connected = { id: `lpad(n::text, 32, 'p')`, connectorTxId: `'connector-' || n` };
        await storePayments(tx, connected, { count: records });
        if (world.early !== undefined) await storePayments(tx, world.early, { count: latePayments });
        await storeFile(tx, world.shortId);
        await setStatistics(tx, kind);
        await matchRun(tx, 1, { maxPaymentsPerKey });
        await storePayments(tx, world.late, { count: latePayments, day: world.day });
        const work = () => matchRun(tx, 2, { maxPaymentsPerKey });
        const { beyond } = await statementsBeyond(recorder(), tx, { mostRows, work });
        expect(beyond).toEqual([]);
        const matched = await tx<{ by: string; count: number }[]>`
        select matched_by as by, count(*)::int as count from record_matches group by matched_by`;
        expect([...matched]).toEqual([{ by: world.matchedBy, count: records }]);
      });
    },
  );

  it('late payments and captures of them that nothing earlier names are not compared with what is stored', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      const connected = { id: `lpad(n::text, 32, 'p')`, connectorTxId: `'connector-' || n` };
      await storePayments(tx, connected, { count: records });
      await storeFile(tx, `'short-' || n`);
      await setStatistics(tx, kind);
      await matchRun(tx, 1, { maxPaymentsPerKey });
      const others = { id: `lpad(n::text, 32, 'x')`, shortId: `'other-' || n` };
      await storePayments(tx, others, { count: latePayments });
      await storePayments(tx, { id: `lpad(n::text, 32, 'y')` }, { count: latePayments });
      await tx`update payments set payment_type = 'CP', referenced_payment_id = replace(id, 'y', 'x')
        where id like '%y%'`;
      const work = () => matchRun(tx, 2, { maxPaymentsPerKey });
      const { beyond } = await statementsBeyond(recorder(), tx, { mostRows: 4 * latePayments, work });
      expect(beyond).toEqual([]);
      expect(await tx`select from changed_payments`).toHaveLength(0);
      expect(await tx`select from run_rechecks where run_id = 2`).toHaveLength(0);
    });
  });
});
