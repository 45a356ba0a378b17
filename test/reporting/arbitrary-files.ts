import fc from 'fast-check';
import { id32, rowText, type Cells, type Line, type StoredFile } from './world.js';

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values);

const arbitraryCells: fc.Arbitrary<Cells> = fc
  .record({
    ReconciliationType: oneOf('SETTLED', 'SETTLED', 'SETTLED', 'CHARGEBACK', 'CHARGEBACK REVERSAL', 'FEE'),
    PaymentType: oneOf('DEBIT', 'REFUND', 'BATCH', 'MONTHLY', 'AUTH_FEE'),
    Cashflow: oneOf('POS', 'POS', 'NEG'),
    MerchantAccountId: oneOf(id32('shop'), id32('other')),
    Amount: oneOf('0.00', '0.01', '100.00', '200.00', '9999999999.99'),
    SettlementAmount: oneOf('0.00', '0.01', '98.00', '99.99', '100.00', '102.00', '196.00', '9999999999.99'),
    SettlementCurrency: oneOf('EUR', 'USD'),
    SettlementFee: oneOf('', '', '0.00', '0.01', '2.00', '9999999999.99'),
    SettlementFxRate: oneOf('1.00', '1.00', '1.02', '0.00', '99999.99', '9999999999.99'),
    SettlementDate: oneOf('2026-11-18', '2026-11-19'),
    SettlementStatus: oneOf('SUCCESS', 'SUCCESS', 'FAILED'),
  })
  .map((cells) => ({ ...cells, SettlementTxId: 'tx' }));

const rejectedText = fc.oneof(
  arbitraryCells.map((cells) => rowText({ ...cells, MerchantId: 'short' })),
  arbitraryCells.map((cells) => rowText({ ...cells, SettlementAmount: '1,00' })),
  arbitraryCells.map((cells) => rowText({ ...cells, SettlementCurrency: 'EURO' })),
  arbitraryCells.map((cells) => rowText({ ...cells, Descriptor: 'a;"b"', PspId: '' })),
  fc.constantFrom('', 'SETTLED;DEBIT;POS;=1+1;-5.00'),
);

/** The rows of a file: accepted and rejected ones, and how many of the first come again. */
export const arbitraryRows = fc.record({
  rows: fc.array(arbitraryCells, { minLength: 1, maxLength: 12 }),
  rejected: fc.array(rejectedText, { maxLength: 4 }),
  repeated: fc.nat({ max: 3 }),
});

const issue = { column: 'Amount', code: 'NOT_AN_AMOUNT', message: 'An amount is needed.', value: '' };

export type ArbitraryRows = typeof arbitraryRows extends fc.Arbitrary<infer T> ? T : never;

/** Two files of one run; the second repeats the first rows of the first one. */
export function filesOf(run: number, { rows, rejected, repeated }: ArbitraryRows): StoredFile[] {
  const lines = rows.map((cells, index): Line => ({
    kind: 'record',
    cells: { ...cells, SettlementTxId: `tx-${run}-${index}` },
  }));
  const known = lines.slice(0, repeated).map((line, index): Line => ({
    kind: 'known',
    cells: line.kind === 'record' ? line.cells : {},
    record: [2 * run, index + 2],
  }));
  const refused = rejected.map((raw): Line => ({ kind: 'rejected', raw, issues: [issue] }));
  const finishedRunId = run;
  return [
    { id: 2 * run, name: `a-${run}.csv`, finishedRunId, lines: [...lines, ...refused] },
    // CRLF, so that its bytes are never those of the first file.
    ...(known.length === 0
      ? []
      : [
          {
            id: 2 * run + 1,
            name: `b-${run}.csv`,
            finishedRunId,
            lineEnding: '\r\n',
            lines: known,
          },
        ]),
  ];
}
