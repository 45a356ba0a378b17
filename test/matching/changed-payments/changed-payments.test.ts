import { describe, expect, it, test } from 'vitest';
import type { Tx } from '../../../src/db/client.js';
import { databaseForAllTests } from '../../support/database.js';
import { matchRange, matchRun, matchesOf, openFindings } from '../findings.js';
import { namesOf } from '../arbitrary-input.js';
import {
  account,
  id32,
  payment,
  record,
  rolledBack,
  storePayments,
  storeRecords,
  type TestPayment,
  type TestRecord,
} from '../scenario.js';

/**
 * A record that was matched keeps its result until something happens to a payment that it depends on (design 4.6). The
 * next run must notice that, and must find what a re-run of everything finds.
 */
const testDatabase = databaseForAllTests();
const long = { requestedAt: '2026-11-10T10:00:00Z' };
/** The as-of date of the runs. */
const today = { requestedAt: '2026-11-20T10:00:00Z' };

/** Payments of the core have details, as those that an import stored have not. */
const ofCore = (tx: Tx) => tx`
  insert into payment_details (payment_key, environment, connector, parameters, answer, ndc, responded_at)
  select key, 'test', 'simulator', '{}', '{}', id, now() from payments`;

/** As the core does it: the payment gets its result, and nothing else is noted. */
const succeeds = (tx: Tx, id: string) =>
  tx`update payments set result_code = '000.000.000' where id = ${id32(id)}`;

/** As an import does it: the new value, and a row that says what changed. */
async function imports(tx: Tx, id: string, column: string, name: string, value: string): Promise<void> {
  const [before] = await tx<{ value: string | null }[]>`
    select ${tx(column)}::text as value from payments where id = ${id32(id)}`;
  await tx`update payments set ${tx(column)} = ${value} where id = ${id32(id)}`;
  await tx`insert into payment_changes (payment_id, column_name, kind, old_value, new_value, file_name, file_sha256, line)
    values (${id32(id)}, ${name}, 'CONTRADICTION', ${before?.value ?? null}, ${value}, 'payments.csv', '', 2)`;
}

const settled = record('a', { uniqueId: id32('p1') });
const reversal = payment('r1', { type: 'RV', references: id32('p1') });
const pending = { resultCode: '000.200.000' };

interface Happening {
  readonly what: string;
  readonly payments: readonly TestPayment[];
  readonly records?: readonly TestRecord[];
  readonly then: (tx: Tx) => Promise<unknown>;
  readonly maxPaymentsPerKey?: number;
  /** The match of the first record, or a code that is open for it. */
  readonly found: string;
}

describe('the next run notices', () => {
  test.each<Happening>([
    {
      what: 'a reversal in full that is stored after the settlement was matched',
      payments: [payment('p1', long)],
      then: (tx) => storePayments(tx, [reversal]),
      found: 'PAYMENT_REVERSED',
    },
    {
      what: 'the second of two reversals that reverse the payment together',
      payments: [payment('p1', long), { ...reversal, amount: 6000n }],
      then: (tx) => storePayments(tx, [{ ...payment('r2'), ...reversal, id: id32('r2'), amount: 4000n }]),
      found: 'PAYMENT_REVERSED',
    },
    {
      what: 'a reversal that was pending when the settlement was matched',
      payments: [payment('p1', long), { ...reversal, ...pending }],
      then: (tx) => succeeds(tx, 'r1'),
      found: 'PAYMENT_REVERSED',
    },
    {
      what: 'a reversal whose reference is filled in by an import',
      payments: [payment('p1', long), payment('r1', { type: 'RV' })],
      then: (tx) => imports(tx, 'r1', 'referenced_payment_id', 'ReferencedPaymentId', id32('p1')),
      found: 'PAYMENT_REVERSED',
    },
    {
      what: 'a reversal that refers to another payment, says an import',
      payments: [payment('p1', long), payment('p2', long), reversal],
      then: (tx) => imports(tx, 'r1', 'referenced_payment_id', 'ReferencedPaymentId', id32('p2')),
      found: 'MATCHED UNIQUE_ID p1',
    },
    {
      what: 'a payment that failed after all, says an import',
      payments: [payment('p1', long)],
      then: (tx) => imports(tx, 'p1', 'result_code', 'ResultCode', '800.100.152'),
      found: 'PAYMENT_NOT_SUCCESSFUL',
    },
    {
      what: 'another amount of a payment, says an import',
      payments: [payment('p1', long)],
      then: (tx) => imports(tx, 'p1', 'amount_minor', 'Amount', '12000'),
      found: 'AMOUNT_MISMATCH',
    },
    {
      what: 'a brand that an import fills in',
      payments: [payment('p1', long)],
      records: [{ ...settled, brand: 'VISA' }],
      then: (tx) => imports(tx, 'p1', 'payment_brand', 'PaymentBrand', 'MASTER'),
      found: 'BRAND_MISMATCH',
    },
    {
      what: 'the success of a pending payment that shares its short id with the one that was matched',
      payments: [
        payment('p1', { ...long, shortId: 's1', resultCode: '800.100.152' }),
        payment('p2', { ...long, shortId: 's1', resultCode: '800.100.152', amount: 1n }),
        payment('p3', { ...long, shortId: 's1', ...pending, amount: 2n }),
      ],
      records: [record('a', { shortId: 's1' })],
      then: (tx) => succeeds(tx, 'p3'),
      found: 'MATCHED SHORT_ID p3',
    },
    {
      what: 'the success of a pending payment that shares a connector id with the one that was matched',
      payments: [
        payment('p1', { ...long, connectorTxIds: [null, 'c1', null] }),
        payment('p2', { ...long, connectorTxIds: [null, 'c1', null], ...pending }),
      ],
      records: [record('a', { connectorTxIds: [null, 'c1', null] })],
      then: (tx) => succeeds(tx, 'p2'),
      found: 'MULTIPLE_MATCHES CONNECTOR_TX_ID p1,p2',
    },
    {
      what: 'a payment of the same short id that is stored late',
      payments: [payment('p1', { ...long, shortId: 's1', resultCode: '800.100.152' })],
      records: [record('a', { shortId: 's1' })],
      then: (tx) => storePayments(tx, [payment('p2', { ...long, shortId: 's1' })]),
      found: 'MATCHED SHORT_ID p2',
    },
    {
      what: 'a payment of the same short id that is stored late, after a run of an earlier as-of date',
      payments: [payment('p1', { ...long, shortId: 's1', resultCode: '800.100.152' })],
      records: [record('a', { shortId: 's1' })],
      then: async (tx) => {
        await tx`insert into runs (id, kind, status, fence_token, as_of, started_at, finished_at, heartbeat_at, host,
            process_id)
          values (1, 'run', 'completed', 1, '2026-11-20', now(), now(), now(), 'host', 1)`;
        await tx`update settlement_checks set as_of = '2026-11-05'`;
        await storePayments(tx, [payment('p2', { ...long, shortId: 's1' })]);
      },
      found: 'MATCHED SHORT_ID p2',
    },
    {
      what: 'the payment that UniqueID names, stored after a weaker key had found another one',
      payments: [payment('p1', { ...long, shortId: 's1' })],
      records: [record('a', { uniqueId: id32('p2'), shortId: 's1', settlementTxId: 'STL-1' })],
      then: (tx) => storePayments(tx, [payment('p2', long)]),
      found: 'MATCHED UNIQUE_ID p2',
    },
    {
      what: 'the payment that UniqueID names, stored after ShortId had found another one of a record without SettlementTxId',
      payments: [payment('p1', { ...long, shortId: 's1' })],
      records: [record('a', { uniqueId: id32('p2'), shortId: 's1', settlementTxId: null })],
      then: (tx) => storePayments(tx, [payment('p2', long)]),
      found: 'MATCHED UNIQUE_ID p2',
    },
    {
      what: 'the payment that ShortId names, stored after ConnectorTxId had found another one',
      payments: [payment('p1', { ...long, connectorTxIds: ['c1', null, null] })],
      records: [record('a', { shortId: 's1', connectorTxIds: ['c1', null, null] })],
      then: (tx) => storePayments(tx, [payment('p2', { ...long, shortId: 's1' })]),
      found: 'MATCHED SHORT_ID p2',
    },
    {
      what: 'another payment of the account, amount, card and day that found one',
      payments: [payment('p1', { ...long, entityId: account, last4: '1111' })],
      records: [record('a', { last4: '1111', txRequestTime: long.requestedAt })],
      then: (tx) => storePayments(tx, [payment('p2', { ...long, entityId: account, last4: '1111' })]),
      found: 'MULTIPLE_MATCHES ATTRIBUTES p1,p2',
    },
    {
      what: 'a payment of another ConnectorTxId than the one that found a payment',
      payments: [payment('p1', { ...long, connectorTxIds: ['c1', null, null] })],
      records: [record('a', { connectorTxIds: ['c1', 'c2', null] })],
      then: (tx) => storePayments(tx, [payment('p2', { ...long, connectorTxIds: [null, 'c2', null] })]),
      found: 'MULTIPLE_MATCHES CONNECTOR_TX_ID p1,p2',
    },
    {
      what: 'the ShortId of the record, which an import gives to a payment after ConnectorTxId had found another one',
      payments: [payment('p1', { ...long, connectorTxIds: ['c1', null, null] }), payment('p2', long)],
      records: [record('a', { shortId: 's1', connectorTxIds: ['c1', null, null] })],
      then: (tx) => imports(tx, 'p2', 'short_id', 'ShortId', 's1'),
      found: 'MATCHED SHORT_ID p2',
    },
    {
      what: 'a ShortId that identifies a payment since an import gave the other one another ShortId',
      payments: [
        payment('p1', { ...long, shortId: 's1' }),
        payment('p2', { ...long, shortId: 's1' }),
        payment('p3', { ...long, connectorTxIds: ['c1', null, null] }),
      ],
      records: [record('a', { shortId: 's1', connectorTxIds: ['c1', null, null] })],
      then: (tx) => imports(tx, 'p2', 'short_id', 'ShortId', 's9'),
      maxPaymentsPerKey: 1,
      found: 'MATCHED SHORT_ID p1',
    },
    {
      what: 'a second capture of the preauthorisation that the record names',
      payments: [
        payment('p1', { ...long, type: 'PA' }),
        payment('p2', { ...long, type: 'CP', references: id32('p1') }),
      ],
      then: (tx) =>
        storePayments(tx, [
          payment('p3', { requestedAt: '2026-11-21T10:00:00Z', type: 'CP', references: id32('p1') }),
        ]),
      found: 'MULTIPLE_MATCHES UNIQUE_ID REFERENCE p2,p3',
    },
    {
      what: 'another payment with the ShortId of the matched one, made after the as-of date',
      payments: [payment('p1', { ...long, shortId: 's1' })],
      records: [record('a', { shortId: 's1' })],
      then: (tx) => storePayments(tx, [payment('p2', { ...today, shortId: 's1' })]),
      found: 'MULTIPLE_MATCHES SHORT_ID p1,p2',
    },
    {
      what: 'a second attempt with the ConnectorTxId of a payment that failed, made on the as-of date',
      payments: [payment('p1', { ...long, connectorTxIds: [null, 'c2', null], resultCode: '800.100.152' })],
      records: [record('a', { connectorTxIds: [null, 'c2', null] })],
      then: (tx) => storePayments(tx, [payment('p2', { ...today, connectorTxIds: [null, 'c2', null] })]),
      found: 'MATCHED CONNECTOR_TX_ID p2',
    },
    {
      what: 'the payment that UniqueID names, made after the as-of date',
      payments: [payment('p1', { ...long, shortId: 's1' })],
      records: [record('a', { shortId: 's1', uniqueId: id32('p2') })],
      then: (tx) => storePayments(tx, [payment('p2', { requestedAt: '2026-11-21T10:00:00Z' })]),
      found: 'MATCHED UNIQUE_ID p2',
    },
    {
      what: 'the success of a capture that was pending in the family of the payment that the record names',
      payments: [
        payment('p1', { ...long, type: 'PA' }),
        payment('p2', { ...long, type: 'CP', references: id32('p1'), amount: 5000n }),
        payment('p3', { ...long, type: 'CP', references: id32('p1'), ...pending }),
      ],
      then: (tx) => succeeds(tx, 'p3'),
      found: 'MATCHED UNIQUE_ID REFERENCE p3',
    },
    {
      what: 'a debit stored after its refund, which has the ConnectorTxId of the refund of another debit',
      payments: [
        payment('p1', long),
        payment('p2', { ...long, type: 'RF', references: id32('p1'), connectorTxIds: ['c1', null, null] }),
        payment('p3', { ...long, type: 'RF', references: id32('p4'), connectorTxIds: ['c1', null, null] }),
      ],
      records: [record('a', { connectorTxIds: ['c1', null, null] })],
      then: (tx) => storePayments(tx, [payment('p4', long)]),
      found: 'MULTIPLE_MATCHES CONNECTOR_TX_ID REFERENCE p1,p4',
    },
    {
      what: 'a capture, made on the as-of date, of a preauthorisation that has the ShortId of another one',
      payments: [
        payment('p1', { ...long, type: 'PA', shortId: 's1' }),
        payment('p2', { ...long, type: 'PA', shortId: 's1' }),
        payment('p3', { ...long, type: 'CP', references: id32('p1') }),
      ],
      records: [record('a', { shortId: 's1' })],
      then: (tx) => storePayments(tx, [payment('p4', { ...today, type: 'CP', references: id32('p2') })]),
      found: 'MULTIPLE_MATCHES SHORT_ID REFERENCE p3,p4',
    },
    {
      what: 'the room of a payment whose amount changes',
      payments: [payment('p1', { ...long, shortId: 's1' }), payment('p2', { ...long, shortId: 's1' })],
      records: [record('a', { shortId: 's1', line: 3 }), record('b', { uniqueId: id32('p1') })],
      then: (tx) => imports(tx, 'p1', 'amount_minor', 'Amount', '12000'),
      found: 'MATCHED SHORT_ID p2',
    },
  ])('$what', ({ payments, records = [settled], then, maxPaymentsPerKey = 1000, found }) =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      const names = namesOf(records);
      await storePayments(tx, payments);
      await ofCore(tx);
      await storeRecords(tx, 1, records);
      const state = async () => ({
        matches: await matchesOf(tx, names),
        findings: await openFindings(tx, names),
      });
      await matchRun(tx, 1, { maxPaymentsPerKey });
      await matchRun(tx, 2, { maxPaymentsPerKey });
      const before = await state();
      await then(tx);
      await matchRun(tx, 3, { maxPaymentsPerKey });
      const after = await state();
      expect(after).not.toEqual(before);
      const [first] = records;
      const ofFirst = after.findings.filter(({ subject }) => subject === `${first?.name ?? ''}/1`);
      expect([after.matches['a/1'], ...ofFirst.map(({ code }) => code)]).toContain(found);
      await matchRange(tx, 9, undefined, { maxPaymentsPerKey });
      expect(await state()).toEqual(after);
    }),
  );
});

test.each([
  ['of one file', 1],
  ['of files of one day each', 2],
])('looks again at records without a payment as far back as the look-back, %s', (_, fileOfOlder) =>
  rolledBack(testDatabase.database.sql, async (tx) => {
    const records = [
      record('a', { shortId: 's1', settlementDate: '2026-09-21' }),
      record('b', { shortId: 's2', settlementDate: '2026-09-20', file: fileOfOlder, line: 3 }),
    ];
    await storeRecords(tx, 1, records);
    await matchRun(tx, 1);
    await storePayments(tx, [
      payment('p1', { ...long, shortId: 's1' }),
      payment('p2', { ...long, shortId: 's2' }),
    ]);
    await matchRun(tx, 2, { asOf: '2026-11-20', lookbackDays: 60 });
    expect(await matchesOf(tx, namesOf(records))).toEqual({
      'a/1': 'MATCHED SHORT_ID p1',
      'b/1': 'NOT_MATCHED',
    });
  }),
);

describe('a run looks again, although nothing happened, at', () => {
  test.each<{
    what: string;
    payments: readonly TestPayment[];
    of: Partial<TestRecord>;
    looked: boolean;
  }>([
    { what: 'a record without a payment', payments: [], of: { uniqueId: id32('p1') }, looked: true },
    {
      what: 'a record of several payments',
      payments: [payment('p1', { ...long, shortId: 's1' }), payment('p2', { ...long, shortId: 's1' })],
      of: { shortId: 's1' },
      looked: true,
    },
    {
      what: 'a record whose type does not fit its payment',
      payments: [payment('p1', { ...long, type: 'PA' })],
      of: { uniqueId: id32('p1') },
      looked: true,
    },
    {
      what: 'a record that was matched by ATTRIBUTES',
      payments: [payment('p1', { ...long, entityId: account, last4: '1111' })],
      of: { last4: '1111', txRequestTime: long.requestedAt },
      looked: true,
    },
    {
      what: 'a reversal without its chargeback',
      payments: [payment('p1', long)],
      of: { uniqueId: id32('p1'), reconciliationType: 'CHARGEBACK REVERSAL' },
      looked: true,
    },
    {
      what: 'a record that was settled while its payment is pending',
      payments: [payment('p1', { ...long, ...pending })],
      of: { uniqueId: id32('p1') },
      looked: true,
    },
    {
      what: 'no record with another finding',
      payments: [payment('p1', { ...long, amount: 20000n })],
      of: { uniqueId: id32('p1') },
      looked: false,
    },
  ])('$what', ({ payments, of, looked }) =>
    rolledBack(testDatabase.database.sql, async (tx) => {
      await storePayments(tx, payments);
      await storeRecords(tx, 1, [record('a', of)]);
      await matchRun(tx, 1);
      // What was stored since the run before is looked at by the second one.
      await matchRun(tx, 2);
      await matchRun(tx, 3);
      expect(await tx`select line from run_rechecks where run_id = 3`).toEqual(looked ? [{ line: 2 }] : []);
    }),
  );
});

it('looks again only at records of payments to which something happened', () =>
  rolledBack(testDatabase.database.sql, async (tx) => {
    await storePayments(tx, [payment('p1', long), payment('p2', long), payment('p3', long)]);
    await storeRecords(
      tx,
      1,
      ['1', '2', '3'].map((number) =>
        record(number, { line: Number(number) + 1, uniqueId: id32(`p${number}`) }),
      ),
    );
    await matchRun(tx, 1);
    await storePayments(tx, [reversal, payment('p4', long)]);
    await matchRun(tx, 2);
    await matchRun(tx, 3);
    const looked = await tx`select run_id, line from run_rechecks where run_id = 2`;
    expect(looked).toEqual([{ run_id: 2, line: 2 }]);
  }));

it('notices the result of a pending payment that was older than the look-back until an import gave it a later day', () =>
  rolledBack(testDatabase.database.sql, async (tx) => {
    const old = { ...reversal, ...pending, requestedAt: '2026-09-20T10:00:00Z' };
    await storePayments(tx, [payment('p1', long), old]);
    await ofCore(tx);
    await storeRecords(tx, 1, [settled]);
    await matchRun(tx, 1);
    await matchRun(tx, 2);
    await imports(tx, 'r1', 'requested_at', 'Timestamp', '2026-11-19T10:00:00Z');
    await matchRun(tx, 3);
    await succeeds(tx, 'r1');
    await matchRun(tx, 4);
    expect((await openFindings(tx, namesOf([settled]))).map(({ code }) => code)).toEqual([
      'PAYMENT_REVERSED',
    ]);
  }));
