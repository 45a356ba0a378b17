import fc from 'fast-check';
import type { Tx } from '../../src/db/client.js';
import { formatAmount } from '../../src/values/money.js';
import { judge, keyOf, type MatchingInput, type Rules } from './model.js';
import {
  account,
  fingerprintOf,
  id32,
  payment,
  record,
  type TestPayment,
  type TestRecord,
} from './scenario.js';

/**
 * Small inputs with few payments, references, amounts and days, so that ambiguity, splits, duplicates,
 * reversals and near misses are common.
 */

/** Days of payments whose settlement is due on 2026-11-20 with the settings of the tests. */
export const due = { from: '2026-09-21', to: '2026-11-15' };

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const ids = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6'] as const;
const amounts = [0n, 2500n, 5000n, 9999n, 10000n] as const;
const shortId = oneOf(null, null, 's1', 's2');
const connector = oneOf(null, null, null, 'c1', 'c2');
const connectorTxIds = fc.tuple(connector, connector, connector);

const arbitraryPayment = (id: string): fc.Arbitrary<TestPayment> =>
  fc
    .record({
      shortId,
      type: oneOf('DB', 'DB', 'DB', 'PA', 'CP', 'CD', 'RF', 'RF', 'RV', 'CB'),
      brand: oneOf(null, 'VISA', 'MASTER'),
      amount: oneOf(...amounts),
      currency: oneOf('EUR', 'EUR', 'USD'),
      resultCode: oneOf('000.000.000', '000.000.000', '000.200.000', '800.100.152'),
      entityId: oneOf(null, account, id32('elsewhere')),
      connectorTxIds,
      last4: oneOf(null, '1111', '2222'),
      requestedAt: oneOf(
        '2026-11-19T10:00:00Z',
        '2026-11-18T09:59:59Z',
        '2026-11-15T23:59:59Z',
        '2026-09-20T10:00:00Z',
        // On the as-of date of all runs and after it.
        '2026-11-20T10:00:00Z',
        '2026-11-22T10:00:00Z',
      ),
      references: oneOf(null, ...ids.map(id32)),
    })
    .map((fields) => payment(id, fields));

const arbitraryRecord = (name: string): fc.Arbitrary<TestRecord> =>
  fc
    .record({
      file: fc.integer({ min: 1, max: 4 }),
      kind: oneOf(
        ['SETTLED', 'DEBIT'],
        ['SETTLED', 'DEBIT'],
        ['SETTLED', 'DEBIT'],
        ['SETTLED', 'REFUND'],
        ['SETTLED', 'CREDIT'],
        ['CHARGEBACK', 'DEBIT'],
        ['CHARGEBACK', 'DEBIT'],
        ['CHARGEBACK REVERSAL', 'DEBIT'],
        ['FEE', 'MONTHLY'],
        ['FEE', 'CAPTURE_FEE'],
      ),
      cashflow: oneOf('POS', 'NEG'),
      settlementTxId: oneOf(null, 'STL-1', 'STL-2'),
      uniqueId: oneOf(null, ...ids.map(id32)),
      shortId,
      connectorTxIds,
      amount: oneOf(...amounts),
      currency: oneOf('EUR', 'EUR', 'USD'),
      brand: oneOf(null, 'VISA', 'VISADEBIT'),
      txRequestTime: oneOf(null, '2026-11-19T09:59:59Z'),
      settlementAmount: oneOf(...amounts, 5001n, 10002n),
      settlementCurrency: oneOf('EUR', 'USD'),
      fee: oneOf(null, 0n, 1n, 2500n),
      fxRate: oneOf(100n, 100n, 99n, 50n),
      settlementDate: oneOf('2026-11-18', '2026-11-19', '2026-11-20'),
      settlementStatus: oneOf('SUCCESS', 'SUCCESS', 'SUCCESS', 'FAILED'),
      last4: oneOf(null, '1111'),
      reasonCode: oneOf(null, '000.100.220'),
      claimedStatus: oneOf(null, null, 'MATCHED', 'NOT_MATCHED'),
      claimedTransactions: oneOf(null, null, id32('p1'), `${id32('p2')},${id32('p1')}`),
    })
    .map(({ kind: [reconciliationType, paymentType], ...fields }) =>
      record(name, {
        ...fields,
        reconciliationType: reconciliationType ?? '',
        paymentType: paymentType ?? '',
      }),
    );

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;

/** What two deliveries of one record may differ in. */
const changedCells = fc.record(
  {
    amount: oneOf(...amounts),
    currency: oneOf('EUR', 'USD'),
    settlementDate: oneOf('2026-11-18', '2026-11-20'),
    settlementStatus: oneOf('SUCCESS', 'FAILED'),
    cashflow: oneOf('POS', 'NEG'),
    last4: oneOf(null, '2222'),
    reasonCode: oneOf(null, '000.100.220'),
    fee: oneOf(null, 1n),
    txRequestTime: oneOf(null, '2026-11-19T09:59:59Z'),
  },
  { requiredKeys: [] },
);

/** The settings of a source. */
const arbitraryRules: fc.Arbitrary<Rules> = fc.record({
  corrections: oneOf('ask', 'replace', 'add'),
  tolerance: fc.constant(new Map()),
  brandAliases: fc.constant(new Map()),
  maxPaymentsPerKey: fc.constant(1000),
});

/** The settings of all sources. */
export const arbitraryShared: fc.Arbitrary<Omit<Rules, 'corrections'>> = fc.record({
  tolerance: oneOf(new Map(), new Map([['EUR', 1n]]), new Map([['USD', 5000n]])),
  brandAliases: oneOf(new Map(), new Map([['VISADEBIT', 'VISA']])),
  maxPaymentsPerKey: oneOf(1000, 1000, 1, 2, 3),
});

/** Records of two ordinary payments, so that several of them settle or charge back the same one. */
const ofFewPayments = {
  payments: fc.constant(['p1', 'p2'].map((id) => payment(id, { requestedAt: '2026-11-10T10:00:00Z' }))),
  records: fc
    .tuple(
      ...names.map((name) =>
        fc
          .record({
            kind: oneOf('SETTLED', 'SETTLED', 'CHARGEBACK', 'CHARGEBACK', 'CHARGEBACK REVERSAL'),
            file: fc.integer({ min: 1, max: 4 }),
            settlementTxId: oneOf('STL-1', 'STL-2', 'STL-3'),
            uniqueId: oneOf(id32('p1'), id32('p1'), id32('p2')),
            amount: oneOf(5000n, 9999n, 10000n),
            settlementDate: oneOf('2026-11-18', '2026-11-19', '2026-11-20'),
            settlementStatus: oneOf('SUCCESS', 'SUCCESS', 'SUCCESS', 'FAILED'),
          })
          .map(({ kind, ...fields }) => record(name, { ...fields, reconciliationType: kind })),
      ),
    )
    .chain((all) => fc.subarray(all)),
};

const anything = {
  payments: fc.tuple(...ids.map(arbitraryPayment)).chain((all) => fc.subarray(all)),
  records: fc.tuple(...names.map(arbitraryRecord)).chain((all) => fc.subarray(all)),
};

const everyWorld = {
  again: fc.array(fc.tuple(fc.nat({ max: 2 }), changedCells), { maxLength: 3 }),
  twins: fc.nat({ max: 2 }),
  rules: arbitraryRules,
};

/**
 * Up to six payments and eight records, up to three of which are delivered again with other cells, followed by twins of
 * up to two of the records.
 */
export const arbitraryInput: fc.Arbitrary<MatchingInput> = fc
  .oneof(...[anything, ofFewPayments].map((world) => fc.record({ ...world, ...everyWorld })))
  .map(({ payments, records, again, twins, rules }) => {
    const originals = records.map((each, index) =>
      again.some(([of]) => of === index) ? { ...each, settlementTxId: each.settlementTxId ?? 'STL-1' } : each,
    );
    const corrections = again.flatMap(([of, cells], index) => {
      const original = originals[of];
      return original === undefined ? [] : [{ ...original, ...cells, name: `${original.name}${index}` }];
    });
    const repeated = originals.slice(0, twins).map((twin) => ({ ...twin, occurrence: 2 }));
    return {
      payments,
      rules,
      records: [...originals, ...corrections, ...repeated].map((each, index) => ({
        ...each,
        line: index + 2,
      })),
    };
  });

/** Inputs in which people have linked and unlinked records. */
export const arbitraryLinkedInput: fc.Arbitrary<MatchingInput> = arbitraryInput.chain(withLinks);

/** The same input with a link or unlink of some of the records that are matched at all. */
export function withLinks(input: MatchingInput): fc.Arbitrary<MatchingInput> {
  const { matches } = judge(input, due);
  const records = input.records.map(keyOf).filter((key) => matches[key] !== 'NOT_APPLICABLE');
  const payments = input.payments.filter(({ type }) => type !== 'CB');
  if (records.length === 0 || payments.length === 0) return fc.constant(input);
  const link = fc.record({
    record: fc.constantFrom(...records),
    kind: oneOf('link' as const, 'unlink' as const),
    payment: fc.constantFrom(...payments.map(({ id }) => id)),
  });
  return fc
    .uniqueArray(link, { maxLength: 4, selector: ({ record: key }) => key })
    .map((links) => ({ ...input, links }));
}

/** Returns the same entries in another order; records are also in other files and on other lines. */
export function rearranged<T extends object>(entries: readonly T[], shuffle: Iterable<number>): T[] {
  const numbers = shuffle[Symbol.iterator]();
  const next = (): number => (numbers.next().value as number | undefined) ?? 0;
  return entries
    .map((entry) => ({ entry, rank: next() % 1_000_003 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ entry }, index) =>
      'line' in entry ? { ...entry, file: 1 + (next() % 4), line: index + 2 } : entry,
    );
}

export function namesOf(records: readonly TestRecord[]): Map<string, string> {
  return new Map(records.map((each) => [fingerprintOf(each.name), each.name]));
}

/** Which reversal takes which chargeback depends on what has arrived, so inputs stored in parts have no chargebacks. */
export function withoutChargebacks<Input extends MatchingInput>(input: Input): Input {
  return {
    ...input,
    records: input.records.filter((each) => !each.reconciliationType.startsWith('CHARGEBACK')),
  };
}

/** `name/occurrence` of every linked reversal → that of its chargeback. */
export async function reversalsOf(
  tx: Tx,
  names: ReadonlyMap<string, string>,
): Promise<Record<string, string>> {
  const rows = await tx<{ taker: string; taker_no: number; taken: string; taken_no: number }[]>`
    select a.fingerprint as taker, a.occurrence as taker_no, b.fingerprint as taken, b.occurrence as taken_no
    from chargeback_links reversal join chargeback_links chargeback
      on chargeback.chargeback_id = reversal.chargeback_id and chargeback.kind = 'CHARGEBACK'
        and chargeback.active
    join settlement_records a on a.file_id = reversal.file_id and a.line = reversal.line
    join settlement_records b on b.file_id = chargeback.file_id and b.line = chargeback.line
    where reversal.kind = 'CHARGEBACK REVERSAL' and reversal.active`;
  const name = (fingerprint: string, occurrence: number) => `${names.get(fingerprint) ?? ''}/${occurrence}`;
  return Object.fromEntries(
    rows.map((row) => [name(row.taker, row.taker_no), name(row.taken, row.taken_no)]),
  );
}

/**
 * `name/occurrence` of every record with a chargeback id → that of the record it is derived from, and the booked
 * amount.
 */
export async function bookedOf(tx: Tx, names: ReadonlyMap<string, string>): Promise<Record<string, string>> {
  const rows = await tx<{ holder: string; holder_no: number; of: string; of_no: number; amount: bigint }[]>`
    select a.fingerprint as holder, a.occurrence as holder_no, b.fingerprint as of, b.occurrence as of_no,
      p.amount_minor as amount
    from chargeback_links l
    join settlement_records a on a.file_id = l.file_id and a.line = l.line
    join settlement_records b on l.chargeback_id =
      left(encode(sha256(convert_to('chargeback:' || b.fingerprint || ':' || b.occurrence, 'UTF8')), 'hex'), 32)
    join payments p on p.id = l.booking_id
    where l.active`;
  const name = (fingerprint: string, occurrence: number) => `${names.get(fingerprint) ?? ''}/${occurrence}`;
  return Object.fromEntries(
    rows.map((row) => [
      name(row.holder, row.holder_no),
      `${name(row.of, row.of_no)} ${formatAmount(row.amount)}`,
    ]),
  );
}

export { keyOf };
