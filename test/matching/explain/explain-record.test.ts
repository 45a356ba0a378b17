import { describe, expect, it } from 'vitest';
import type { Tx } from '../../../src/db/client.js';
import { explainRecord } from '../../../src/matching/explain/explain-record.js';
import type { ExplainedRecord, Explanation } from '../../../src/matching/explain/explanation.js';
import { formatExplanation } from '../../../src/matching/explain/format-explanation.js';
import { databaseForAllTests } from '../../support/database.js';
import { explainSettings, matchRun, matchesOf, settings, shortened } from '../findings.js';
import { fingerprintOf, id32, storePayments, storeRecords, rolledBack } from '../scenario.js';
import { paymentsOf, recordsOf } from '../table.js';

const testDatabase = databaseForAllTests();

async function store(tx: Tx, payments: string, records: string): Promise<void> {
  await storePayments(tx, paymentsOf(payments));
  await storeRecords(tx, 1, recordsOf(records));
  await matchRun(tx, 1);
}

function onlyRecord(explanation: Explanation): ExplainedRecord {
  if (explanation.kind !== 'record') throw new Error(`expected a record, got ${explanation.kind}`);
  return explanation.record;
}

const explain = async (tx: Tx, reference: string, attributes = settings.attributes) =>
  onlyRecord(await explainRecord(tx, reference, { ...explainSettings, attributes }));

describe('explainRecord', () => {
  it('shows which keys were tried with which values, and which key decided', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await store(
        tx,
        'payment | short | tx1\np1 | s1 | c1',
        `record | unique | short | tx1 | tx2 | last4 | time
         a      | p9     |       | c1  | c2  | 1111  | 2026-11-19T10:00:00Z
         b      |        |       |     |     |       |`,
      );
      const { keys, now, stored } = await explain(tx, '1:2');
      expect(
        keys.map(({ key, value, outcome, found }) => [key, shortened(value), outcome, found.length]),
      ).toEqual([
        ['UNIQUE_ID', 'p9', 'finds nothing', 0],
        ['SHORT_ID', '', 'has no value', 0],
        ['CONNECTOR_TX_ID', '1: c1, 2: c2', 'decides', 1],
        [
          'ATTRIBUTES',
          'merchant account account, 100.00 EUR, last four 1111, 2026-11-19 10:00:00+00 ± 24 h',
          'not needed',
          0,
        ],
      ]);
      expect(now).toEqual({
        status: 'MATCHED',
        matchedBy: 'CONNECTOR_TX_ID',
        matchedThrough: null,
        payments: [id32('p1')],
      });
      expect(stored).toEqual({ ...now, runId: 1 });
      const nothing = await explain(tx, '1:3', { enabled: false, windowHours: 24 });
      expect(nothing.keys.map((each) => each.outcome)).toEqual([
        'has no value',
        'has no value',
        'has no value',
        'switched off',
      ]);
      expect(nothing.now.status).toBe('NOT_MATCHED');
    }));

  it('shows that a value is ignored because too many payments have it', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf('payment | short | tx1\np1 | s | c1\np2 | s |\np3 | s |'));
      await storeRecords(tx, 1, recordsOf('record | short | tx1\na | s |\nb | s | c1'));
      const limited = { ...explainSettings, maxPaymentsPerKey: 2 };
      await matchRun(tx, 1, { maxPaymentsPerKey: 2 });
      const explained = async (reference: string) => {
        const { keys, now, stored } = onlyRecord(await explainRecord(tx, reference, limited));
        expect(stored).toMatchObject(now);
        return keys.map(({ outcome, found }) => [outcome, found.length]);
      };
      expect(await explained('1:2')).toEqual([
        ['has no value', 0],
        ['finds too many', 0],
        ['has no value', 0],
        ['has no value', 0],
      ]);
      expect(await explained('1:3')).toEqual([
        ['has no value', 0],
        ['finds too many', 0],
        ['decides', 1],
        ['not needed', 0],
      ]);
      expect(formatExplanation(await explainRecord(tx, '1:2', limited))).toContain(
        ': finds too many payments (matching.maxPaymentsPerKey), so it identifies none\n',
      );
    }));

  it('shows that too many payments of a family fit', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(
        tx,
        paymentsOf(
          'payment | type | amount | of\np1 | CP | 9.00 |\np2 | RF | 5.00 | p1\np3 | RF | 5.00 | p1\np4 | RF | 6.00 | p1',
        ),
      );
      await storeRecords(
        tx,
        1,
        recordsOf(
          'record | kind | unique | amount\na | SETTLED REFUND | p1 | 5.00\nb | SETTLED REFUND | p1 | 6.00',
        ),
      );
      const limited = { ...explainSettings, maxPaymentsPerKey: 1 };
      await matchRun(tx, 1, { maxPaymentsPerKey: 1 });
      const explained = async (reference: string) => {
        const { family, familyFindsTooMany, now, stored } = onlyRecord(
          await explainRecord(tx, reference, limited),
        );
        expect(stored).toMatchObject(now);
        return { family: family.length, familyFindsTooMany, matchedThrough: now.matchedThrough };
      };
      expect(await explained('1:2')).toEqual({ family: 0, familyFindsTooMany: true, matchedThrough: null });
      expect(await explained('1:3')).toEqual({
        family: 3,
        familyFindsTooMany: false,
        matchedThrough: 'REFERENCE',
      });
      expect(formatExplanation(await explainRecord(tx, '1:2', limited))).toContain(
        '\nNone of these has a type that fits; too many payments of their family fit equally well',
      );
    }));

  it('shows why a chargeback is not booked on an authorisation with too many captures', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(
        tx,
        paymentsOf(
          'payment | type | amount | of\np1 | PA | 9.00 |\np2 | CP | 5.00 | p1\np3 | CP | 5.00 | p1',
        ),
      );
      await storeRecords(tx, 1, recordsOf('record | kind | unique | amount\na | CHARGEBACK | p1 | 5.00'));
      await matchRun(tx, 1, { maxPaymentsPerKey: 1 });
      const explanation = await explainRecord(tx, '1:2', { ...explainSettings, maxPaymentsPerKey: 1 });
      const { keys, now, stored } = onlyRecord(explanation);
      expect(stored).toMatchObject(now);
      expect([now.status, keys[0]?.outcome]).toEqual(['NOT_MATCHED', 'finds no fitting payment']);
      const text = formatExplanation(explanation);
      expect(text).toContain(': finds no fitting payment, 1 payment\n');
      expect(text).toContain(
        'so none of those is identified, and a chargeback is booked on no other payment',
      );
    }));

  it('shows how candidates were narrowed, as in matching', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await store(
        tx,
        `payment | short | type | result | amount
         p1      | s     | PA   |        | 100.00
         p2      | s     | DB   | failed | 100.00
         p3      | s     | DB   |        | 1.00
         p4      | s     | CP   |        | 2.00`,
        'record | short\na | s',
      );
      const { narrowing, now, comparisons } = await explain(tx, '1:2');
      expect(
        narrowing.map(({ step, kept, dropped, skipped }) => [
          step,
          shortened(kept.join(' ')),
          shortened(dropped.join(' ')),
          skipped,
        ]),
      ).toEqual([
        ['TYPE', 'p2 p3 p4', 'p1', false],
        ['SUCCESS', 'p3 p4', 'p2', false],
        ['AMOUNT', 'p3 p4', '', true],
        ['ROOM', 'p3 p4', '', false],
      ]);
      expect(now.status).toBe('MULTIPLE_MATCHES');
      expect(await matchesOf(tx, new Map([[fingerprintOf('a'), 'a']]))).toEqual({
        'a/1': 'MULTIPLE_MATCHES SHORT_ID p3,p4',
      });
      expect(comparisons.find((each) => each.code === 'MULTIPLE_MATCHES')).toMatchObject({
        verdict: 'discrepancy',
        actual: '2 payments',
      });
    }));

  it('shows the family through which a record was matched, and which payments have room', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await store(
        tx,
        'payment | type | amount | of\np1 | DB | 100.00 |\np2 | RF | 40.00 | p1\np3 | RF | 40.00 | p1',
        'record | kind | unique | amount\na | SETTLED REFUND | p1 | 40.00\nb | SETTLED REFUND | p2 | 40.00',
      );
      const { family, narrowing, now, stored } = await explain(tx, '1:2');
      expect(family.map(({ id }) => shortened(id))).toEqual(['p2', 'p3']);
      expect(narrowing.at(-1)).toMatchObject({ step: 'ROOM', kept: [id32('p3')], dropped: [id32('p2')] });
      expect(now).toMatchObject({ status: 'MATCHED', matchedThrough: 'REFERENCE', payments: [id32('p3')] });
      expect(stored).toMatchObject(now);
    }));

  it('shows every comparison, the settlements of the payment and the chargeback', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await store(
        tx,
        'payment | last4 | brand\np1 | 1111 | VISA',
        `record | kind       | unique | last4 | amount | tx
         a      |            | p1     | 2222  | 60.00  | 1
         b      |            | p1     |       | 60.00  | 2
         c      |            | p1     |       | 60.00  | 3
         d      | CHARGEBACK | p1     |       | 60.00  | 4
         e      | REVERSAL   | p1     |       | 60.00  | 5`,
      );
      const first = await explain(tx, '1:2');
      expect(first.comparisons.filter((each) => each.verdict !== 'does not apply')).toEqual([
        {
          code: 'NOT_MATCHED',
          severity: 'error',
          verdict: 'in order',
          expected: 'one payment',
          actual: 'one payment',
        },
        {
          code: 'MULTIPLE_MATCHES',
          severity: 'error',
          verdict: 'in order',
          expected: 'one payment',
          actual: 'one payment',
        },
        {
          code: 'CASHFLOW_MISMATCH',
          severity: 'warning',
          verdict: 'in order',
          expected: 'POS',
          actual: 'POS',
        },
        {
          code: 'SETTLEMENT_FAILED',
          severity: 'error',
          verdict: 'in order',
          expected: 'SUCCESS',
          actual: 'SUCCESS',
        },
        { code: 'FX_MISMATCH', severity: 'warning', verdict: 'in order', expected: '60.00', actual: '60.00' },
        { code: 'CURRENCY_MISMATCH', severity: 'error', verdict: 'in order', expected: 'EUR', actual: 'EUR' },
        { code: 'TYPE_MISMATCH', severity: 'error', verdict: 'in order', expected: 'DB or CP', actual: 'DB' },
        {
          code: 'PAYMENT_NOT_SUCCESSFUL',
          severity: 'error',
          verdict: 'in order',
          expected: 'SUCCESS',
          actual: 'SUCCESS',
        },
        {
          code: 'PAYMENT_REVERSED',
          severity: 'error',
          verdict: 'in order',
          expected: 'not reversed',
          actual: 'not reversed',
        },
        {
          code: 'ACCOUNT_MISMATCH',
          severity: 'warning',
          verdict: 'discrepancy',
          expected: '1111',
          actual: '2222',
        },
      ]);
      expect(first.settlements.map(({ line, sum, duplicate }) => [line, sum, duplicate])).toEqual([
        [2, '60.00', false],
        [3, '120.00', false],
        [4, '120.00', true],
      ]);
      const chargeback = await explain(tx, '1:5');
      expect(chargeback.chargeback).toMatchObject({ kind: 'CHARGEBACK', counterpart: { line: 6 } });
      const reversal = await explain(tx, '1:6');
      expect(reversal.chargeback?.chargebackId).toBe(chargeback.chargeback?.chargebackId);
    }));

  it('says when a re-run would decide otherwise, and that a chargeback keeps its payment', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await store(
        tx,
        'payment | short\np1 | s',
        'record | kind | unique | short\na | CHARGEBACK | p2 | s\nb | SETTLED DEBIT | p2 | s',
      );
      await storePayments(tx, paymentsOf('payment\np2'));
      const texts = [];
      for (const line of [2, 3])
        texts.push(formatExplanation(await explainRecord(tx, `1:${line}`, explainSettings)));
      expect(texts[0]).toContain('it keeps its payment, because a chargeback id was given for it');
      expect(texts[1]).toContain('the payments have changed since');
    }));

  it('finds a record by file and line, id, SettlementTxId or discrepancy, and chooses none when there are several', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await store(
        tx,
        'payment | at\np1 |\np2 | 2026-11-10T10:00:00Z',
        `record | unique | tx
         a      | p1     | STL:7
         b      | p9     | STL-2
         c      |        | STL-2
         d      | p9     |`,
      );
      await tx`insert into already_known_rows values (9, 44, 1, 3)`;
      await tx`insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id)
        values (9, 'ab', 'test', 'again:1.csv', 1, 'loaded', now(), 1)`;
      const [file] = await tx<{ sha256: string }[]>`select sha256 from settlement_files where id = 1`;
      const [{ id: discrepancy } = { id: '' }] = await tx<{ id: string }[]>`
        select id from discrepancies where code = 'NOT_MATCHED' and line = 3`;
      const cases: [string, number][] = [
        ['1:2', 2],
        ['settlement-1.csv:3', 3],
        [`${(file?.sha256 ?? '').slice(0, 8)}:4`, 4],
        ['again:1.csv:44', 3],
        [id32('p1'), 2],
        ['STL:7', 2],
        [discrepancy, 3],
        [discrepancy.slice(0, 12), 3],
        [discrepancy.slice(0, 6), 3],
      ];
      for (const [reference, line] of cases) expect((await explain(tx, reference)).address.line).toBe(line);
      const several = await explainRecord(tx, 'STL-2', explainSettings);
      expect(several).toMatchObject({ kind: 'ambiguous', possibilities: [{ line: 3 }, { line: 4 }] });
      expect(formatExplanation(several)).toContain('1:3');
      for (const unknown of ['1:99', 'nobody', '7:2', id32('p7'), discrepancy.slice(0, 5)]) {
        await expect(explainRecord(tx, unknown, explainSettings)).rejects.toMatchObject({
          code: 'RECORD_NOT_FOUND',
        });
      }
      const [{ id: missing } = { id: '' }] = await tx<{ id: string }[]>`
        select id from discrepancies where code = 'MISSING_SETTLEMENT'`;
      for (const reference of [missing, missing.slice(0, 12)]) {
        expect(await explainRecord(tx, reference, explainSettings)).toMatchObject({
          kind: 'payment',
          payment: { id: id32('p2'), amount: '100.00' },
          discrepancies: [{ code: 'MISSING_SETTLEMENT', resolvedRun: null }],
        });
      }
      await tx`update discrepancies set id = left(${missing}, 12) || right(id, 20) where id = ${discrepancy}`;
      await expect(explainRecord(tx, missing.slice(0, 12), explainSettings)).rejects.toThrow(
        `Several discrepancies begin with ${missing.slice(0, 12)}: `,
      );
    }));

  it('says that a line was rejected and why, and not that it is unknown', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storeRecords(tx, 1, recordsOf('record | kind\na | SETTLED DEBIT'));
      const issues = ['Amount must have two digits.', 'Currency is empty.'].map((message) => ({ message }));
      await tx`insert into rejected_rows (file_id, line, raw_text, issues)
        values (1, 7, 'SETTLED', ${JSON.stringify(issues)}::text::jsonb)`;
      const why =
        'Line 7 of settlement-1.csv was rejected, so there is no record of it: Amount must have two digits. Currency is empty. ';
      const refused = (next: string) => ({ code: 'RECORD_NOT_FOUND', message: why + next });
      for (const reference of ['1:7', 'settlement-1.csv:7']) {
        await expect(explainRecord(tx, reference, explainSettings)).rejects.toMatchObject(
          refused(
            'Correct it in corrections.csv of the latest report, and give that sheet back with `recon decide --file`.',
          ),
        );
      }
      await tx`insert into row_corrections (file_id, line, cells, settlement_date, author, decided_on, decided_at,
          sheet_name, sheet_sha256, sheet_line)
        values (1, 7, '[]', '2026-11-19', 'ann', '2026-11-20', now(), 'corrections.csv', 'ab', 2)`;
      await expect(explainRecord(tx, '1:7', explainSettings)).rejects.toMatchObject(
        refused('It was corrected, and becomes a record in the next run or re-run of its day.'),
      );
    }));

  it('explains a fee of the account, and a record that no run has matched yet', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storeRecords(
        tx,
        1,
        recordsOf('record | kind\na | FEE MONTHLY\nb | SETTLED DEBIT\nc | FEE BATCH\nd | FEE AUTH_FEE'),
      );
      const fee = await explainRecord(tx, '1:2', explainSettings);
      expect(onlyRecord(fee)).toMatchObject({ matchable: false, stored: null, comparisons: [] });
      expect(formatExplanation(fee)).toContain(
        'A fee of the account, not of one payment: it is not matched.',
      );
      expect(formatExplanation(await explainRecord(tx, '1:3', explainSettings))).toContain(
        'not matched by a run yet',
      );
      const text = async (reference: string) =>
        formatExplanation(await explainRecord(tx, reference, explainSettings));
      expect(await text('1:4')).toContain('A fee of a payout, not of one payment: it is not matched.');
      expect(await text('1:5')).toContain('A fee that names no payment');
    }));
});

describe('a record that does not count', () => {
  const delivered = 'record | file | unique | amount | tx\na | 1 | p1 | 90.00 | K1\nb | 2 | p1 | 100.00 | K1';
  const explained = async (tx: Tx, corrections: 'ask' | 'replace') => {
    await storePayments(tx, paymentsOf('payment\np1'));
    await storeRecords(tx, 1, recordsOf(delivered));
    await matchRun(tx, 1, { corrections: { test: corrections } });
    const texts: string[] = [];
    for (const reference of ['1:2', '2:3'])
      texts.push(formatExplanation(await explainRecord(tx, reference, explainSettings)));
    return texts;
  };

  it('is explained with the record that replaces it', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const [former = '', later = ''] = await explained(tx, 'replace');
      expect(former).toContain(
        'It has not counted since run 1: settlement-2.csv line 3 replaces it, as `corrections: replace` of the source says.',
      );
      expect(former).not.toContain("Today's payments");
      expect(later).not.toContain('count since');
      expect(later).toContain(
        'It replaces settlement-1.csv line 2, as `corrections: replace` of the source says.',
      );
    }));

  it('is explained with the record that it waits to be compared with', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const [former = '', later = ''] = await explained(tx, 'ask');
      expect(later).toContain(
        'It has taken part in no sum since run 1: settlement-1.csv line 2 delivered this record before',
      );
      expect(former).not.toContain('since run');
    }));

  it.each([
    ['supersede', 'It replaces settlement-1.csv line 2, as decided by anna on 2026-11-22 (why).'],
    ['keep-both', 'It counts beside the former delivery, as decided by anna on 2026-11-22 (why).'],
  ])('is explained with the decision %s, before and after the run that acts on it', (kind, after) =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await explained(tx, 'ask');
      await tx`insert into decisions (item, file_id, line, kind, reason, basis, author, decided_on, decided_at, origin)
        values ('x', 2, 3, ${kind}, 'why', 'b', 'anna', '2026-11-22', now(), 'command')`;
      const text = async () => formatExplanation(await explainRecord(tx, '2:3', explainSettings));
      expect(await text()).toContain(`Decided by anna on 2026-11-22 (why): ${kind}. The next run`);
      expect(await text()).not.toContain('nobody has decided');
      await matchRun(tx, 2, { corrections: {} });
      expect(await text()).toContain(after);
    }),
  );

  it('does not say that it counts beside the former delivery once its file is withdrawn', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await explained(tx, 'ask');
      await tx`insert into decisions (item, file_id, line, kind, reason, basis, author, decided_on, decided_at, origin)
        values ('x', 2, 3, 'keep-both', 'why', 'b', 'anna', '2026-11-22', now(), 'command')`;
      await matchRun(tx, 2, { corrections: {} });
      await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
        values (2, 'withdraw', 'test data', 'bert', '2026-11-22T12:00:00Z')`;
      await matchRun(tx, 3, { corrections: {} });
      const text = formatExplanation(await explainRecord(tx, '2:3', explainSettings));
      expect(text).toContain('It has not counted since run 3: its file was withdrawn by bert');
      expect(text).toMatch(/: would decide if the record counted, 1 payment\n/);
      expect(text).not.toContain(': decides');
      expect(text).not.toContain('It counts beside');
      expect(text).toContain('keep-both. This has no effect as long as this record does not count.');
    }));

  it('names the record that counts where several have had a chargeback id', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf('payment\np1'));
      const records = recordsOf(`record | file | kind | unique | amount | tx
        a | 1 | CHARGEBACK | p1 | 90.00 | C1
        b | 1 | REVERSAL | p1 | 90.00 | R1
        c | 2 | CHARGEBACK | p1 | 80.00 | C1
        d | 2 | REVERSAL | p1 | 80.00 | R1`);
      await storeRecords(tx, 1, records);
      await matchRun(tx, 1, { corrections: { test: 'replace' } });
      const text = async (reference: string) =>
        formatExplanation(await explainRecord(tx, reference, explainSettings));
      expect(await text('2:4')).toContain('reversed by settlement-2.csv line 5');
      expect(await text('2:5')).toContain('reverses settlement-2.csv line 4');
      expect(await text('1:2')).toContain('Result: NOT_APPLICABLE, by run 1');
    }));

  it('leaves its chargeback open, and has no check, once its file is withdrawn', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, paymentsOf('payment\np1'));
      const records = recordsOf(`record | file | kind | unique | amount | cashflow
        a | 1 | CHARGEBACK | p1 | 90.00 |
        b | 2 | REVERSAL | p1 | 90.00 | NEG`);
      await storeRecords(tx, 1, records);
      await matchRun(tx, 1);
      const text = async (reference: string) =>
        formatExplanation(await explainRecord(tx, reference, explainSettings));
      expect(await text('1:2')).toContain('given by run 1: reversed by settlement-2.csv line 3');
      expect(await text('2:3')).toContain('WRONG CASHFLOW_MISMATCH');
      await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
        values (2, 'withdraw', 'test data', 'anna', '2026-11-20T23:00:00Z')`;
      await matchRun(tx, 2);
      expect(await text('1:2')).toContain('given by run 1: open');
      expect(await text('2:3')).not.toContain('WRONG');
    }));

  it('is explained with the person who withdrew its file', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await explained(tx, 'ask');
      await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
        values (1, 'withdraw', 'test data', 'anna', '2026-11-20T23:00:00Z')`;
      await matchRun(tx, 2, { corrections: {} });
      const text = async (timezone: string) =>
        formatExplanation(await explainRecord(tx, '1:2', { ...explainSettings, timezone }));
      const withdrawn = (day: string) =>
        `It has not counted since run 2: its file was withdrawn by anna on ${day} (test data).`;
      expect(await text('UTC')).toContain(withdrawn('2026-11-20'));
      expect(await text('Europe/Berlin')).toContain(withdrawn('2026-11-21'));
    }));
});

describe('formatExplanation', () => {
  it('formats the explanation as readable text', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await store(
        tx,
        `payment | short | result | amount
         p1      | s     | failed | 90.00
         p2      | s     |        | 100.00`,
        'record | short | amount | tx\na | s | 90.00 | STL-1',
      );
      const text = formatExplanation(await explainRecord(tx, 'STL-1', explainSettings));
      expect(shortened(text).replace(/[0-9a-f]{32}/, 'DISCREPANCY')).toMatchInlineSnapshot(`
        "settlement-1.csv line 2 (file 1): SETTLED DEBIT 90.00 EUR of 2026-11-19, SettlementTxId STL-1

        Keys, strongest first
          UNIQUE_ID        -: has no value
          SHORT_ID         s: decides, 2 payments
            p1  DB 90.00 EUR  FAILED (800.100.152)  2026-11-19 10:00:00+00
            p2  DB 100.00 EUR  SUCCESS (000.000.000)  2026-11-19 10:00:00+00
          CONNECTOR_TX_ID  -: not needed
          ATTRIBUTES       -: not needed

        Narrowing
          payments whose type fits the record: 2 payments left
          payments that were a success: 1 payment left, without p1
          payments of equal amount and currency: none, so the step is skipped

        Result: MATCHED by SHORT_ID p2, by run 1

        Compared
          ok    NOT_MATCHED                 one payment
          ok    MULTIPLE_MATCHES            one payment
          ok    CASHFLOW_MISMATCH           POS
          ok    SETTLEMENT_FAILED           SUCCESS
          ok    FX_MISMATCH                 90.00 EUR
          ok    CURRENCY_MISMATCH           EUR
          ok    TYPE_MISMATCH               expected DB or CP, found DB
          ok    PAYMENT_NOT_SUCCESSFUL      SUCCESS
          ok    PAYMENT_REVERSED            not reversed

        Settlements of the payment
          2026-11-19  settlement-1.csv line 2  STL-1  90.00 EUR  sum 90.00 of 100.00 EUR

        Discrepancies
          AMOUNT_MISMATCH (error) open, first seen in run 1, DISCREPANCY
            Payment p2 is for 100.00 EUR, but 90.00 EUR was settled for it: 10.00 EUR too little. Difference -10.00 EUR.
            Claim the missing part, or expect that the surplus is claimed back.
        "
      `);
    }));

  it('says why an FX check with two different amounts is in order', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await store(
        tx,
        'payment | amount\np1 | 90.00',
        'record | unique | amount | settles | fee | tx\na | p1 | 90.00 | 88.00 | 2.00 | STL-1',
      );
      const text = formatExplanation(await explainRecord(tx, 'STL-1', explainSettings));
      expect(text).toContain(
        'ok    FX_MISMATCH                 expected 90.00 EUR, found 88.00 EUR: the fee or the rounding of the rate explains it\n',
      );
    }));

  it('shows both ends of a long list: 60 halves of a payment', () =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const rows = Array.from({ length: 60 }, (_, at) => `r${at} | p1 | 1.00 | STL-${at}`);
      await store(tx, 'payment | amount\np1 | 60.00', `record | unique | amount | tx\n${rows.join('\n')}`);
      const text = formatExplanation(await explainRecord(tx, 'STL-0', explainSettings));
      const lines = text.split('\n');
      const shown = lines.slice(
        lines.indexOf('Settlements of the payment') + 1,
        lines.indexOf('', lines.indexOf('Settlements of the payment')),
      );
      expect(shown).toHaveLength(51);
      expect(shown[25]).toBe('    … 10 more (recon explain --json shows all) …');
      expect(shown.at(-1)).toContain('sum 60.00 of 60.00 EUR');
    }));
});
