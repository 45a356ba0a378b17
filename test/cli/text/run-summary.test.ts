import { describe, expect, test } from 'vitest';
import { foundBy } from '../../../src/cli/fail-on.js';
import { plain } from '../../../src/cli/text/paint.js';
import { widthOf } from '../../../src/cli/text/text-table.js';
import { runSummary } from '../../../src/cli/text/run-summary.js';
import { noRows, type CompletedRun, type RunOutcome } from '../../../src/outcome.js';
import { runId } from '../../../src/values/ids.js';

const outcome: CompletedRun = {
  runId: runId(17),
  kind: 'run',
  asOf: '2026-11-20',
  status: 'completed',
  exitCode: 4,
  error: null,
  sources: [
    { name: 'acquirer', status: 'read', error: null },
    {
      name: 'bank',
      status: 'failed',
      error: { code: 'SOURCE_UNREACHABLE', message: 'No answer from bank.' },
    },
  ],
  files: [
    {
      source: 'acquirer',
      name: 'a.csv',
      sha256: '0',
      status: 'loaded',
      error: null,
      rows: { total: 12_345, accepted: 12_344, rejected: 1, alreadyKnown: 2 },
    },
    {
      source: 'acquirer',
      name: 'b\u001b[2J.csv',
      sha256: '1',
      status: 'rejected',
      error: { code: 'FILE_HEADER', message: 'Column 3 is wrong.' },
      rows: noRows,
    },
  ],
  matching: { MATCHED: 12_000, MULTIPLE_MATCHES: 1, NOT_MATCHED: 2, NOT_APPLICABLE: 3 },
  chargebacks: { assigned: 2, reversed: 1 },
  discrepancies: {
    total: 4,
    byCode: { MISSING_SETTLEMENT: 1, FX_MISMATCH: 1, NOT_MATCHED: 2 },
    amounts: [
      { code: 'FX_MISMATCH', currency: 'EUR', count: 1, amount: '0.50' },
      { code: 'MISSING_SETTLEMENT', currency: 'EUR', count: 1, amount: '1234567.00' },
      { code: 'NOT_MATCHED', currency: 'EUR', count: 1, amount: '1000.00' },
      { code: 'NOT_MATCHED', currency: 'USD', count: 1, amount: '999.99' },
    ],
  },
  items: {
    open: 7,
    new: 4,
    resolved: 2,
    waiting: 1,
    accepted: 3,
    lapsed: 1,
    newBySeverity: { error: 0, warning: 0, info: 0 },
  },
  totals: {
    byCurrency: [
      {
        currency: 'EUR',
        records: 12_000,
        gross: '1234567.00',
        refunds: '1000.00',
        chargebacks: '200.00',
        reversals: '100.00',
        fees: '30.50',
        net: '1233436.50',
        feesDeducted: '20.00',
        feesCharged: '8.00',
        feeRecords: '2.50',
        failed: { count: 1, pos: '100.00', neg: '0.00' },
        rejected: { count: 2, pos: '5.00', neg: '7.00' },
      },
    ],
    rejectedRows: { count: 3, unreadable: 1 },
  },
  expected: [],
  reports: {
    directory: '/srv/recon-data/reports/run-000017',
    discrepancies: '/srv/recon-data/reports/run-000017/discrepancies.csv',
    rejectedRows: '/srv/recon-data/reports/run-000017/rejected-rows.csv',
    chargebacks: '/srv/recon-data/reports/run-000017/chargebacks.csv',
    totals: '/srv/recon-data/reports/run-000017/totals.csv',
    reconciled: [],
    summary: '/srv/recon-data/reports/run-000017/summary.json',
    manifest: '/srv/recon-data/reports/run-000017/manifest.json',
    corrections: '/srv/recon-data/reports/run-000017/corrections.csv',
    openItems: '/srv/recon-data/reports/run-000017/open-items.csv',
    openItemsXlsx: '/srv/recon-data/reports/run-000017/open-items.xlsx',
    page: '/srv/recon-data/reports/run-000017/page.html',
  },
};

test('one fee is named in the singular', () => {
  const matching = { ...outcome.matching, NOT_APPLICABLE: 1 };
  expect(runSummary({ ...outcome, matching }, { cwd: '/srv', paint: plain })).toContain(
    '2 not matched, 1 fee of an account or payout\n',
  );
});

test('one withdrawn record is named in the singular', () => {
  const file = { source: 'acquirer', name: 'a.csv', sha256: '0'.repeat(64), by: 'anna', reason: 'test data' };
  const withdrawals = [
    { ...file, status: 'withdrawn', records: 1 },
    { ...file, status: 'restored', records: 1 },
    { ...file, status: 'withdrawn', records: 1234 },
  ] as const;
  const text = runSummary({ ...outcome, withdrawals }, { cwd: '/', paint: plain });
  expect(text).toContain('was withdrawn by anna: 1 record no longer counts (test data)');
  expect(text).toContain('was restored by anna: 1 record counts again (test data)');
  expect(text).toContain('was withdrawn by anna: 1,234 records no longer count (test data)');
});

test('what did not move is counted with its thousands grouped, as everything else is', () => {
  const counted = { count: 1234, pos: '1234.00', neg: '0.00' };
  const byCurrency = outcome.totals.byCurrency.map((total) => ({
    ...total,
    failed: counted,
    rejected: { ...counted, count: 5678 },
  }));
  const totals = { byCurrency, rejectedRows: { count: 15_000, unreadable: 9322 } };
  const text = runSummary({ ...outcome, totals }, { cwd: '/', paint: plain });
  expect(text).toContain(
    'not counted in EUR: 1,234 FAILED (1,234.00 POS), 5,678 rejected (1,234.00 POS)\n' +
      '  not counted: 9,322 rejected rows without a readable amount\n',
  );
});

test('a notice may have what a server said, without its control characters', () => {
  const notices = ['Not delivered: the server answered \u001b[2J'];
  expect(runSummary({ ...outcome, notices }, { cwd: '/srv', paint: plain })).toContain(
    'answered \\u001b[2J\n',
  );
});

test('the summary of a run', () => {
  expect(runSummary(outcome, { cwd: '/srv', paint: plain })).toMatchInlineSnapshot(`
    "Run 17 completed (as of 2026-11-20)

    Files
      source    file            status      rows  accepted  rejected  known
      ────────  ──────────────  ────────  ──────  ────────  ────────  ─────
      acquirer  a.csv           loaded    12,345    12,344         1      2
      acquirer  b\\u001b[2J.csv  rejected       0         0         0      0
      b\\u001b[2J.csv: Column 3 is wrong. (FILE_HEADER)
      source bank could not be read: No answer from bank. (SOURCE_UNREACHABLE)
      FILE_HEADER: Do what the message says, or compare the first line, from the named column on, with the 36 names in docs/input-files.md; semicolons separate the names. Correct the file or ask the sender for a correct one, and give it to recon again, under any name.
      SOURCE_UNREACHABLE: Check host, port and network; the next run tries again.

    Records
      12,000 matched, 1 ambiguous, 2 not matched, 3 fees of accounts or payouts
      Chargebacks: 2 with an id, 1 reversed

    Totals
                  gross  - refunds  - chargebacks  + reversals  - fees         = net
      ───  ────────────  ─────────  ─────────────  ───────────  ──────  ────────────
      EUR  1,234,567.00   1,000.00         200.00       100.00   30.50  1,233,436.50
      not counted in EUR: 1 FAILED (100.00 POS), 2 rejected (5.00 POS, 7.00 NEG)
      not counted: 1 rejected row without a readable amount

    Discrepancies
      severity  code                count  amount
      ────────  ──────────────────  ─────  ────────────────────────
      error     NOT_MATCHED             2  1,000.00 EUR, 999.99 USD
      warning   FX_MISMATCH             1  0.50 EUR
      error     MISSING_SETTLEMENT      1  1,234,567.00 EUR

    Open items
      7 open, 1 of them with a decision that lapsed; 1 waiting, 3 accepted
      4 new in this run, 2 resolved by it

    Reports
      recon-data/reports/run-000017/
      to read: recon-data/reports/run-000017/page.html
      for finance: recon-data/reports/run-000017/open-items.xlsx
      of this run: recon-data/reports/run-000017/discrepancies.csv
      totals: recon-data/reports/run-000017/totals.csv
      rejected rows: recon-data/reports/run-000017/rejected-rows.csv
      to correct them: recon-data/reports/run-000017/corrections.csv

    Next
      recon items                      open items, the most money first
      recon explain FILE:LINE          why a record matched as it did
      recon files --status rejected    which files were not taken, and why
      recon doctor                     what is wrong; the next run tries again"
  `);
});

test.each([
  ['a dry run', { reports: null }, 'Run 17 was a dry run: nothing was kept'],
  ['a re-run', { kind: 'rerun' as const }, 'Re-run 17 completed'],
  ['a range that was only reported on', { runId: runId(0) }, 'Reports of stored records'],
])('the heading for %s', (_name, changes, heading) => {
  expect(runSummary({ ...outcome, ...changes }, { cwd: '/srv', paint: plain }).split('\n')[0]).toBe(
    `${heading} (as of 2026-11-20)`,
  );
});

test('a run without files', () => {
  const quiet: RunOutcome = {
    ...outcome,
    sources: [],
    files: [],
    discrepancies: { total: 0, byCode: {}, amounts: [] },
  };
  const text = runSummary(quiet, { cwd: '/elsewhere', paint: plain });
  expect(text).toContain('Files\n  none\n');
  expect(text).toContain('Discrepancies\n  none\n');
  expect(text).toContain('/srv/recon-data/reports/run-000017/discrepancies.csv');
  expect(text).not.toContain('Next');
});

describe('what to do about a file that could not be read', () => {
  const failed = (
    source: string,
    sources: RunOutcome['sources'],
    status: 'failed' | 'deferred' = 'failed',
  ): string =>
    runSummary(
      {
        ...outcome,
        sources,
        files: [
          {
            source,
            name: 'a.csv',
            sha256: null,
            status,
            error: { code: 'FILE_UNREADABLE', message: '/in/a.csv does not exist.' },
            rows: noRows,
          },
        ],
      },
      { cwd: '/srv', paint: plain },
    );

  test('of a source: the next run tries again', () => {
    const text = failed('acquirer', [{ name: 'acquirer', status: 'read', error: null }]);
    expect(text).toContain('recon doctor                     what is wrong; the next run tries again');
    expect(text).not.toContain('--file');
  });

  test('of --file: no other run does', () => {
    const text = failed('local', []);
    expect(text).toContain(
      'recon run --file PATH            again, once that is corrected; no other run reads the file',
    );
    expect(text).not.toContain('tries again');
    // A file that is still being written is not taken by a later run, either.
    expect(failed('local', [], 'deferred')).toContain('recon run --file PATH ');
  });
});

test('two sources that send files of one name are named with the reason of each', () => {
  const refused = (source: string, name: string, message: string): RunOutcome['files'][number] => ({
    source,
    name,
    sha256: null,
    status: 'rejected',
    error: { code: 'FILE_EMPTY', message },
    rows: noRows,
  });
  const files = [
    refused('north', 'a.csv', 'One.'),
    refused('south', 'a.csv', 'Two.'),
    refused('south', 'b.csv', 'Three.'),
    refused('south', 'c.csv', 'c.csv is the fourth.'),
  ];
  const text = runSummary({ ...outcome, files }, { cwd: '/srv', paint: plain });
  expect(
    text
      .split('\n')
      .filter((line) => line.endsWith('(FILE_EMPTY)'))
      .map((line) => line.trim()),
  ).toEqual([
    'a.csv of north: One. (FILE_EMPTY)',
    'a.csv of south: Two. (FILE_EMPTY)',
    'b.csv: Three. (FILE_EMPTY)',
    'c.csv is the fourth. (FILE_EMPTY)',
  ]);
});

describe('a mismatch within the tolerance', () => {
  const discrepancies = (beyond: number): RunOutcome['discrepancies'] => ({
    total: 2 + beyond,
    byCode: { AMOUNT_MISMATCH: 2 + beyond },
    amounts: [
      {
        code: 'AMOUNT_MISMATCH',
        currency: 'EUR',
        count: 1 + beyond,
        amount: beyond === 0 ? '0.01' : '10.01',
      },
      { code: 'AMOUNT_MISMATCH', currency: 'USD', count: 1, amount: '0.02' },
    ],
    withinTolerance: [
      { currency: 'EUR', count: 1, amount: '0.01' },
      { currency: 'USD', count: 1, amount: '0.02' },
    ],
  });
  const lines = (beyond: number) =>
    runSummary({ ...outcome, discrepancies: discrepancies(beyond) }, { cwd: '/srv', paint: plain })
      .split('\n')
      .filter((line) => line.includes('AMOUNT_MISMATCH'))
      .map((line) => line.trim().replaceAll(/ +/g, ' '));

  test('has a line with its severity', () => {
    expect(lines(1)).toEqual([
      'error AMOUNT_MISMATCH 1 10.00 EUR',
      'info AMOUNT_MISMATCH (within the tolerance) 2 0.01 EUR, 0.02 USD',
    ]);
    expect(lines(0)).toEqual(['info AMOUNT_MISMATCH (within the tolerance) 2 0.01 EUR, 0.02 USD']);
  });

  test.each([
    [0, 'warning', false],
    [0, 'info', true],
    [1, 'error', true],
  ] as const)('with %i beyond it and --fail-on %s: %s', (beyond, severity, holds) => {
    expect(foundBy({ ...outcome, discrepancies: discrepancies(beyond) }, { severity, onlyNew: false })).toBe(
      holds,
    );
  });
});

describe('--fail-on', () => {
  const found = (byCode: Record<string, number>): RunOutcome => ({
    ...outcome,
    discrepancies: { total: 1, byCode, amounts: [] },
  });
  test.each([
    [{ NOT_MATCHED: 1 }, 'error', true],
    [{ NOT_MATCHED: 1 }, 'info', true],
    [{ FX_MISMATCH: 1 }, 'error', false],
    [{ FX_MISMATCH: 1 }, 'warning', true],
    [{ CLAIM_DIFFERS: 1 }, 'warning', false],
    [{ CLAIM_DIFFERS: 1 }, 'info', true],
    [{ NOT_MATCHED: 0 }, 'info', false],
    [{}, 'info', false],
  ] as const)('%j with %s: %s', (byCode, severity, holds) => {
    expect(foundBy(found(byCode), { severity, onlyNew: false })).toBe(holds);
  });
});

test('the tables of a summary fit 100 columns with the largest amounts in many currencies', () => {
  const currencies = ['CHF', 'CZK', 'DKK', 'EUR', 'GBP', 'HUF', 'NOK', 'PLN', 'SEK', 'USD'];
  const amount = '999999999999.99';
  const [total] = outcome.totals.byCurrency;
  if (total === undefined) throw new Error('the outcome has totals');
  const wide: RunOutcome = {
    ...outcome,
    files: outcome.files.map((file) => ({ ...file, error: null, name: `${'x'.repeat(200)}.csv` })),
    totals: {
      ...outcome.totals,
      byCurrency: currencies.map((currency) => ({
        ...total,
        currency,
        gross: amount,
        refunds: amount,
        chargebacks: amount,
        reversals: amount,
        fees: amount,
        net: amount,
      })),
    },
    discrepancies: {
      total: 10,
      byCode: { CHARGEBACK_EXCEEDS_PAYMENT: 10 },
      amounts: currencies.map((currency) => ({
        code: 'CHARGEBACK_EXCEEDS_PAYMENT',
        currency,
        count: 1,
        amount,
      })),
    },
  };
  const printed = runSummary(wide, { cwd: '/srv', paint: plain });
  const tables = printed.slice(printed.indexOf('\nRecords'), printed.indexOf('\nReports'));
  expect(tables.split('\n').filter((line) => widthOf(line) > 100)).toEqual([]);
  for (const currency of currencies) expect(tables).toContain(currency);
  const file = printed.split('\n').find((line) => line.includes('…x'));
  expect(widthOf(file ?? '')).toBeLessThanOrEqual(100);
});
