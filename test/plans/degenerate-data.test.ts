import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import type { RunScope } from '../../src/db/run-scope.js';
import { explainRecord } from '../../src/matching/explain/explain-record.js';
import { runId } from '../../src/values/ids.js';
import { explainSettings, matchScope, settings } from '../matching/findings.js';
import { rolledBack } from '../matching/scenario.js';
import { knowledge, setStatistics, type Knowledge } from './crowded-quarter.js';
import { storeLoadedFile } from './loaded-file.js';
import { readReport } from './read-report.js';
import { recorderOfTests, type StatementBeyond, statementsBeyond } from './record-plans.js';

/**
 * Data in which all records have something in common, such as their payment, may not cost the product of the records
 * with each other. 3,000 records of one payment took PostgreSQL 2.5 seconds in a re-run of their day, and 6.5 seconds
 * once their file was withdrawn. Rows are counted and not seconds, so a busy machine changes nothing.
 */
const records = 1_000;
const asOf = '2026-11-20';

/** A join of everything with everything handles 1,000,000 rows. */
const mostRows = 50 * records;

/** SQL over the number `n` of a payment or record, from 1 on; of a record also over its `file`. */
interface Data {
  readonly name: string;
  readonly payments: {
    readonly count: number;
    /** How many others are stored, which no record is about. */
    readonly unrelated?: number;
    readonly type?: string;
    readonly amount?: string;
    readonly resultCode?: string;
    readonly shortId?: string;
    /** The number of the payment that this one refers to. */
    readonly refersTo?: string;
  };
  readonly record: {
    /** The number of the payment that it names. */
    readonly names?: string;
    readonly shortId?: string;
    readonly kind?: string;
    readonly type?: string;
    readonly amount?: string;
    readonly status?: string;
    readonly settlementTxId?: string;
  };
}

const one: Data['payments'] = { count: 1 };

/** A capture with so many refunds that no record is left with one of them, for each of the records below. */
const refunds = {
  count: settings.maxPaymentsPerKey + 2,
  type: `case n when 1 then 'CP' else 'RF' end`,
  refersTo: 'case when n > 1 then 1 end',
};
const half = records / 2;

const data: readonly Data[] = [
  { name: 'parts of one payment', payments: one, record: { names: '1' } },
  { name: 'failures of one payment', payments: one, record: { names: '1', status: `'FAILED'` } },
  {
    name: 'failures and repeats of one payment',
    payments: one,
    record: { names: '1', status: `case n % 2 when 0 then 'FAILED' else 'SUCCESS' end` },
  },
  {
    name: 'chargebacks and reversals of one payment with the same amount',
    payments: one,
    record: { names: '1', kind: `case n % 2 when 0 then 'CHARGEBACK' else 'CHARGEBACK REVERSAL' end` },
  },
  {
    name: 'chargebacks and reversals of one payment with other amounts',
    payments: one,
    record: {
      names: '1',
      kind: `case when n > ${half} then 'CHARGEBACK' else 'CHARGEBACK REVERSAL' end`,
      amount: '100 + n',
    },
  },
  {
    name: 'reversals of one payment without a chargeback',
    payments: one,
    record: { names: '1', kind: `'CHARGEBACK REVERSAL'` },
  },
  { name: 'fees of one payment', payments: one, record: { names: '1', kind: `'FEE'`, type: `'AUTH_FEE'` } },
  {
    name: 'records with one SettlementTxId of one payment',
    payments: one,
    record: { names: '1', settlementTxId: `'tx'`, amount: '100 * file + n' },
  },
  {
    name: 'records with one SettlementTxId of one payment that is not stored',
    payments: { count: 0 },
    record: { names: '1', settlementTxId: `'tx'`, amount: '100 * file + n' },
  },
  {
    name: 'records with the ShortId of one payment',
    payments: { ...one, shortId: `'s'` },
    record: { shortId: `'s'` },
  },
  {
    name: 'records with one SettlementTxId and the ShortId of one payment',
    payments: { ...one, shortId: `'s'` },
    record: { shortId: `'s'`, settlementTxId: `'tx'`, amount: '100 * file + n' },
  },
  { name: 'records without a payment', payments: { count: 0 }, record: { names: 'n' } },
  {
    name: 'records that name each refund of one payment',
    payments: {
      count: records + 1,
      type: `case n when 1 then 'DB' else 'RF' end`,
      amount: '100 + n',
      refersTo: 'case when n > 1 then 1 end',
    },
    record: { names: 'n + 1', type: `'REFUND'`, amount: '101 + n' },
  },
  {
    name: 'records that name each of the refunds of one payment as a debit',
    payments: {
      count: records + 1,
      type: `case n when 1 then 'DB' else 'RF' end`,
      amount: '100 + n',
      refersTo: 'case when n > 1 then 1 end',
    },
    record: { names: 'n + 1', amount: '101 + n' },
  },
  {
    name: 'records that name the capture of refunds of the same amount',
    payments: { ...refunds, amount: '100' },
    record: { names: '1', type: `'REFUND'` },
  },
  {
    name: 'records that name the capture of refunds of other amounts',
    payments: { ...refunds, amount: '100000 + n' },
    record: { names: '1', type: `'REFUND'`, amount: '100 + n' },
  },
  {
    name: 'records that name the capture of refunds that failed',
    payments: { ...refunds, amount: '100000 + n', resultCode: `'800.100.152'` },
    record: { names: '1', type: `'REFUND'`, amount: '100 + n' },
  },
  {
    name: 'records with the ShortId of captures that have refunds of the same amount',
    payments: {
      ...refunds,
      amount: '100',
      shortId: `case n when 1 then 's' when 2 then 's' end`,
      type: `case when n < 3 then 'CP' else 'RF' end`,
      count: refunds.count + 1,
    },
    record: { shortId: `'s'`, type: `'REFUND'` },
  },
  {
    name: 'reversals of one payment, each of a part',
    payments: {
      count: records + 1,
      type: `case n when 1 then 'DB' else 'RV' end`,
      refersTo: 'case when n > 1 then 1 end',
    },
    record: { names: '1' },
  },
  {
    name: 'records that name the authorisation of captures with other amounts',
    payments: {
      count: records + 1,
      type: `case n when 1 then 'PA' else 'CP' end`,
      amount: '100 + n',
      refersTo: 'case when n > 1 then 1 end',
    },
    record: { names: '1', amount: '101 + n' },
  },
  {
    name: 'captures of one authorisation that are all payments there are',
    payments: {
      count: records + 1,
      unrelated: 0,
      type: `case n when 1 then 'PA' else 'CP' end`,
      amount: '100 + n',
      refersTo: 'case when n > 1 then 1 end',
    },
    record: { names: '1', amount: '101 + n' },
  },
  {
    name: 'records that name each payment of a chain of references, in which no type fits',
    payments: { count: records, refersTo: 'case when n > 1 then n - 1 end' },
    record: { names: 'n', type: `'REFUND'` },
  },
  {
    name: 'records that name each payment of a chain of references, in which one type fits',
    payments: {
      count: records,
      type: `case n when ${half} then 'RF' else 'DB' end`,
      refersTo: 'case when n > 1 then n - 1 end',
    },
    record: { names: 'n', type: `'REFUND'` },
  },
];

const recorder = recorderOfTests();

/** Stores them with others that no record is about, so that the server knows how large a payment is. */
async function storePayments(tx: Tx, payments: Data['payments']): Promise<void> {
  const { count, unrelated = records, type = `'DB'`, amount = '100000', shortId = 'null' } = payments;
  const { refersTo = 'null', resultCode = `'000.000.000'` } = payments;
  await tx`
    insert into payments (id, short_id, payment_type, payment_brand, amount_minor, currency, result_code, entity_id,
      requested_at, referenced_payment_id)
    select lpad(n::text, 32, 'p'), ${tx.unsafe(shortId)}, ${tx.unsafe(type)}, 'VISA', ${tx.unsafe(amount)}, 'EUR',
      ${tx.unsafe(resultCode)}, lpad('', 32, 'a'), '2026-11-18T10:00:00Z', lpad((${tx.unsafe(refersTo)})::text, 32, 'p')
    from generate_series(1, ${count}) n`;
  await tx`
    insert into payments (id, payment_type, payment_brand, amount_minor, currency, result_code, entity_id, requested_at)
    select lpad(n::text, 32, 'q'), 'DB', 'VISA', 100000, 'EUR', '000.000.000', lpad('', 32, 'a'), '2026-11-18T10:00:00Z'
    from generate_series(1, ${unrelated}) n`;
}

async function storeFile(tx: Tx, file: number, record: Data['record'], rows: number): Promise<void> {
  const { names = 'null', shortId = 'null', kind = `'SETTLED'`, type = `'DEBIT'`, amount = '100' } = record;
  const { status = `'SUCCESS'`, settlementTxId = `'tx-' || file || '-' || n` } = record;
  await storeLoadedFile(tx, file, rows);
  await tx`
    insert into settlement_records (file_id, line, fingerprint, occurrence, reconciliation_type, payment_type, cashflow,
      clearing_institute_merchant_id, merchant_account_id, psp_id, merchant_id, settlement_tx_id, unique_id, short_id,
      amount_minor, currency, brand, settlement_amount_minor, settlement_currency, settlement_fx_rate_hundredths,
      settlement_date, settlement_status, settlement_file_format, clearing_institute_name)
    select file, 1 + n, md5(file || ':' || n)::uuid, 1, ${tx.unsafe(kind)}, ${tx.unsafe(type)}, 'POS', 'CI-471100',
      lpad('', 32, 'a'), lpad('', 32, 'b'), lpad('', 32, 'm'), ${tx.unsafe(settlementTxId)},
      lpad((${tx.unsafe(names)})::text, 32, 'p'), ${tx.unsafe(shortId)}, ${tx.unsafe(amount)}, 'EUR', 'VISA',
      ${tx.unsafe(amount)}, 'EUR', 100, '2026-11-19', ${tx.unsafe(status)}, 'STANDARD', 'Acquirer'
    from generate_series(1, ${rows}) n cross join (select ${file}::int as file) f`;
}

async function decideAboutFile(tx: Tx, file: number, kind: 'withdraw' | 'restore'): Promise<void> {
  await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
    values (${file}, ${kind}, 'wrong file', 'finance', now())`;
}

async function match(tx: Tx, scope: RunScope, run: number): Promise<void> {
  await matchScope(tx, scope, { ...settings, runId: runId(run) });
}

const day: RunScope = { kind: 'range', from: '2026-11-19', to: '2026-11-19', asOf };
const ofRun = (run: number): RunScope => ({ kind: 'run', runId: runId(run), asOf });

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  it.each(data)('$name are handled in proportion to their number', async (world) => {
    await rolledBack(recorder().sql, async (tx) => {
      await storePayments(tx, world.payments);
      await storeFile(tx, 1, world.record, records);
      await setStatistics(tx, kind);
      // As if the server had looked at these tables after all of their rows were deleted.
      await tx`update pg_class set relpages = 3, reltuples = 0
        where relname in ('match_candidates', 'room_candidates')`;
      const beyond: (StatementBeyond & { readonly step: string })[] = [];
      const expectFew = async (name: string, work: () => Promise<void>) => {
        const handled = await statementsBeyond(recorder(), tx, { mostRows, work });
        beyond.push(...handled.beyond.map((each) => ({ step: name, ...each })));
      };
      const step = (name: string, scope: RunScope, run: number) =>
        expectFew(name, () => match(tx, scope, run));
      const report = (name: string, scope: RunScope, run: number) =>
        expectFew(name, () => readReport(tx, scope, { asOf, lookbackDays: settings.lookbackDays, run }));
      await step('the first run', ofRun(1), 1);
      await step('a re-run', day, 2);
      await expectFew('the explanation of a record', async () => {
        await explainRecord(tx, 'file-1:2', explainSettings);
      });
      await storeFile(tx, 3, world.record, records);
      await step('a second file', ofRun(3), 3);
      await report('the report of a second file', ofRun(3), 3);
      await decideAboutFile(tx, 1, 'withdraw');
      await step('the run after the withdrawal', ofRun(4), 4);
      await decideAboutFile(tx, 1, 'restore');
      await step('a re-run after the restoration', day, 5);
      await report('the report of a day', day, 5);
      expect(beyond).toEqual([]);
    });
  });
});
