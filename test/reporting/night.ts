import { discrepancy, id32, match, payment, settlementFile, type Fact, type StoredFile } from './world.js';

/** A first night with a bit of everything; byte order mark and CRLF, as some senders have it. */
export const first: StoredFile = {
  id: 1,
  name: 'settlement-2026-11-19.csv',
  mark: '\uFEFF',
  lineEnding: '\r\n',
  lines: [
    // line 2
    {
      kind: 'record',
      cells: { UniqueID: id32('p1'), SettlementTxId: 'tx-2', Amount: '90.00', SettlementAmount: '90.00' },
    },
    {
      kind: 'rejected',
      raw: 'SETTLED;DEBIT;POS;=1+1;-5.00',
      issues: [
        { column: 'Amount', code: 'NOT_AN_AMOUNT', message: 'An amount is needed.', value: '-5.00' },
        { column: 'Cashflow', code: 'NOT_ALLOWED_VALUE', message: 'POS or NEG.', value: '=1+1' },
      ],
    },
    // line 4, which goes on in line 5
    {
      kind: 'record',
      cells: { Descriptor: 'a;b\n"c"', TxRequestTime: '', SettlementTxId: 'tx-1', ShortId: '=2+2' },
    },
    // line 6
    { kind: 'record', cells: { ShortId: '0012', SettlementTxId: 'tx-3' } },
    // line 7
    {
      kind: 'record',
      cells: { ReconciliationType: 'FEE', PaymentType: 'MONTHLY', Cashflow: 'NEG', TxRequestTime: '' },
    },
    // line 8
    {
      kind: 'record',
      cells: {
        ReconciliationType: 'CHARGEBACK',
        Cashflow: 'NEG',
        UniqueID: id32('p4'),
        SettlementTxId: 'tx-4',
        ReasonCode: '000.100.220',
        ReasonDesc: 'Card 4111111111111111 not present',
      },
    },
  ],
};

/** The next night: it repeats a row, brings a reversal, and belongs to another day in part. */
export const second: StoredFile = {
  id: 2,
  name: 'settlement-2026-11-20.csv',
  source: 'bank',
  receivedAt: '2026-11-21T00:00:00Z',
  finishedRunId: 2,
  lines: [
    { kind: 'known', cells: first.lines[0]?.kind === 'record' ? first.lines[0].cells : {}, record: [1, 2] },
    {
      kind: 'record',
      cells: {
        ReconciliationType: 'CHARGEBACK REVERSAL',
        UniqueID: id32('p4'),
        SettlementTxId: 'tx-5',
        SettlementDate: '2026-11-20',
      },
    },
  ],
};

const findings: readonly Fact[] = [
  payment(1, { merchant_transaction_id: '+49 30 1', merchant_invoice_id: 'Österreich 7' }),
  payment(2),
  payment(3),
  payment(4, { amount_minor: 5000 }),
  payment(5, { requested_at: '2026-11-01T10:00:00Z', merchant_transaction_id: 'order-5' }),
  match([1, 2], 'MATCHED', { matched_by: 'UNIQUE_ID', payment_key: 1 }),
  match([1, 4], 'NOT_MATCHED'),
  match([1, 6], 'MULTIPLE_MATCHES', { matched_by: 'SHORT_ID' }),
  match([1, 7], 'NOT_APPLICABLE'),
  match([1, 8], 'MATCHED', { matched_by: 'SHORT_ID', payment_key: 4 }),
  match([2, 3], 'MATCHED', { matched_by: 'UNIQUE_ID', payment_key: 4 }),
  ['match_candidates', { file_id: 1, line: 6, payment_key: 3 }],
  ['match_candidates', { file_id: 1, line: 6, payment_key: 2 }],
  ['chargeback_links', chargeback('CHARGEBACK', 1, 8, 'cb1')],
  ['chargeback_links', chargeback('CHARGEBACK REVERSAL', 2, 3, 'cr1')],
  discrepancy('d1', 'AMOUNT_MISMATCH', {
    file_id: 1,
    line: 2,
    payment_key: 1,
    expected: '100.00',
    actual: '90.00',
    difference_minor: -1000,
    message: 'The settlements of the payment sum to 90.00 EUR; it was 100.00 EUR.',
  }),
  discrepancy('d2', 'NOT_MATCHED', {
    file_id: 1,
    line: 4,
    message: 'No payment was found; =1+1; card 4111111111111111.',
  }),
  discrepancy('d3', 'MULTIPLE_MATCHES', { file_id: 1, line: 6 }),
  discrepancy('d4', 'CURRENCY_MISMATCH', {
    file_id: 1,
    line: 6,
    expected: 'EUR',
    actual: 'USD',
    resolved_run: 1,
  }),
  discrepancy('d5', 'MISSING_SETTLEMENT', { payment_key: 5, expected: '100.00', message: 'Never settled.' }),
  discrepancy('d6', 'CHARGEBACK_EXCEEDS_PAYMENT', {
    file_id: 1,
    line: 8,
    payment_key: 4,
    expected: '50.00',
    actual: '100.00',
    difference_minor: 5000,
  }),
  discrepancy('d7', 'FX_MISMATCH', { file_id: 1, line: 2, payment_key: 1, severity: 'warning' }),
];

function chargeback(
  kind: string,
  file_id: number,
  line: number,
  booking: string,
): Readonly<Record<string, unknown>> {
  return {
    file_id,
    line,
    kind,
    chargeback_id: id32('cb1'),
    booking_id: id32(booking),
    payment_key: 4,
    run_id: file_id,
  };
}

/** A file of which nothing could be stored. */
const rejectedFile: Fact = [
  'settlement_files',
  {
    id: 3,
    sha256: 'c'.repeat(64),
    source: 'acquirer',
    name: 'broken.csv',
    size_bytes: 3,
    status: 'rejected',
    received_at: '2026-11-20T05:00:00Z',
    received_run_id: 1,
    finished_run_id: 1,
    error_code: 'FILE_HEADER',
    error_message: 'Header column 1 must be ReconciliationType.',
  },
];

/** The first run; it saw the findings first. */
const firstRun: Fact = [
  'runs',
  {
    id: 1,
    kind: 'run',
    status: 'completed',
    fence_token: 7,
    as_of: '2026-11-18',
    started_at: '2026-11-18T05:00:00Z',
    heartbeat_at: '2026-11-18T05:00:00Z',
    host: 'host',
    process_id: 1,
  },
];

/** Everything that is stored after the two runs, except for the bytes of the files. */
export const facts: readonly Fact[] = [
  ...settlementFile(first).facts,
  ...settlementFile(second).facts,
  rejectedFile,
  firstRun,
  ...findings,
];
