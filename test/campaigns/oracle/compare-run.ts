import path from 'node:path';
import { isLapsed, isPart, isWithin, statusOf, type ExpectedRun, type Item } from './books.js';
import { compareChargebackIds, type ChargebackIds } from './chargeback-ids.js';
import { compareChargebacks } from './compare-chargebacks.js';
import { compareRejected } from './compare-rejected.js';
import { compareTotals } from './compare-totals.js';
import { compareLists, compareValues } from './compare-values.js';
import { expectedDiscrepancy, expectedItem } from './expected-rows.js';
import { keyOf, readReport, type Row } from './read-report.js';
import type { SettlementRecord } from './records.js';
import { suggestLinks } from './suggest-links.js';
import type { FailOn } from './world.js';

/** The parts of `run --json` that are compared. */
export interface RunReport {
  readonly exitCode: number;
  readonly status: string;
  readonly files: readonly {
    readonly name: string;
    readonly status: string;
    readonly rows: Readonly<Record<string, number>>;
  }[];
  readonly matching: Readonly<Record<string, number>>;
  readonly chargebacks: { readonly assigned: number; readonly reversed: number };
  readonly items: Readonly<Record<string, unknown>>;
  readonly discrepancies: { readonly byCode: Readonly<Record<string, number>> };
  readonly reports: { readonly directory: string };
}

interface HowItRan {
  readonly wasRerun: boolean;
  readonly ids: ChargebackIds;
  readonly failOn: FailOn | undefined;
}

const severities = ['error', 'warning', 'info'];

/** Design 5: 1 for a rejected row, 7 for a discrepancy of the severity or a higher one; the highest counts. */
function exitCodeOf(
  discrepancies: readonly Row[],
  expected: ExpectedRun,
  failOn: FailOn | undefined,
): number {
  // A re-run rejects nothing: the rows were rejected by the run that read the file.
  const isRejected = expected.rejected.some(({ file }) => expected.loaded.some((read) => read.file === file));
  const found =
    failOn?.startsWith('new:') === true
      ? expected.new.map(({ finding }) => finding.severity)
      : discrepancies.map((row) => row['Severity'] ?? '');
  const least = severities.indexOf(failOn?.replace('new:', '') ?? '');
  if (found.some((severity) => severities.indexOf(severity) <= least)) return 7;
  return isRejected ? 1 : 0;
}

/** Everything in which a run differs from what was expected of it; empty if nothing. */
export function compareRun(
  report: RunReport,
  expected: ExpectedRun,
  { wasRerun, ids, failOn }: HowItRan,
): string[] {
  const folder = report.reports.directory;
  const discrepancies = readReport(path.join(folder, 'discrepancies.csv'));
  return [
    ...compareValues('the run', {
      exitCode: [report.exitCode, exitCodeOf(discrepancies, expected, failOn)],
    }),
    ...compareTotals(folder, expected, wasRerun),
    ...compareRejected(folder, expected, wasRerun),
    ...(wasRerun ? compareChargebacks(folder, expected) : []),
    ...compareChargebackIds(folder, expected, ids),
    ...compareDocument(report, expected, wasRerun),
    ...compareItems(readReport(path.join(folder, 'open-items.csv')), expected),
    ...compareDiscrepancies(discrepancies, expected, wasRerun),
    ...compareReconciled(folder, expected, wasRerun),
  ];
}

function compareDocument(report: RunReport, expected: ExpectedRun, wasRerun: boolean): string[] {
  const count = (status: string) =>
    expected.items.filter((item) => statusOf(item, expected.asOf) === status).length;
  const severity = (name: string) => expected.new.filter(({ finding }) => finding.severity === name).length;
  const loaded = report.files.filter(({ status }) => status === 'loaded');
  const differences = compareValues('run --json', {
    status: [report.status, 'completed'],
    files: [
      loaded.map(({ name, rows }) => [name, rows['accepted'], rows['alreadyKnown'], rows['rejected']]),
      expected.loaded.map(({ file, rows }) => [
        file.delivered.name,
        rows.length,
        rows.filter((row) => row.alreadyKnown).length,
        file.delivered.rows.length - rows.length,
      ]),
    ],
    items: [
      report.items,
      {
        open: count('OPEN'),
        new: expected.new.length,
        newBySeverity: { info: severity('info'), error: severity('error'), warning: severity('warning') },
        resolved: expected.resolved,
        waiting: count('WAITING'),
        accepted: count('ACCEPTED'),
        lapsed: expected.items.filter((item) => isLapsed(item, expected.asOf)).length,
      },
    ],
  });
  if (!wasRerun) return differences;
  return [...differences, ...compareCounts(report, expected)];
}

/** A re-run looks at everything of its days that counts. */
function compareCounts(report: RunReport, expected: ExpectedRun): string[] {
  const { matches, findings, chargebacks, days, isReported } = expected;
  const statuses = [...matches]
    .filter(([record]) => isWithin(days, record.cells['SettlementDate']))
    .map(([, { status }]) => (status === '' ? 'NOT_APPLICABLE' : status));
  const byCode: Record<string, number> = {};
  for (const { code } of findings.filter(isReported)) byCode[code] = (byCode[code] ?? 0) + 1;
  const number = (name: string) => statuses.filter((status) => status === name).length;
  return compareValues('rerun --json', {
    matching: [
      report.matching,
      Object.fromEntries(Object.keys(report.matching).map((name) => [name, number(name)])),
    ],
    ...(isPart(days)
      ? {}
      : {
          chargebacks: [
            report.chargebacks,
            { assigned: chargebacks.assigned, reversed: chargebacks.reversed },
          ],
        }),
    byCode: [sorted(report.discrepancies.byCode), sorted(byCode)],
  });
}

const sorted = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).sort());

function compareItems(rows: readonly Row[], expected: ExpectedRun): string[] {
  const open = expected.items.filter((item) => ['OPEN', 'WAITING'].includes(statusOf(item, expected.asOf)));
  const wanted = new Map(open.map((item) => [item.finding.key, expectedItem(item, expected)]));
  const keys = new Map(rows.map((row) => [row['DiscrepancyId'] ?? '', keyOf(row)]));
  const links = rows.map((row) => [keyOf(row), keys.get(row['SuggestedLink'] ?? '')] as const);
  return [
    ...compareRows('open-items.csv', rows, wanted),
    ...compareOrder(rows),
    ...compareLists(
      'SuggestedLink of open-items.csv',
      links.flatMap(([one, other]) => (other === undefined ? [] : [`${one} ${other}`])),
      [...suggestLinks(open)].map(([one, other]) => `${one} ${other}`),
    ),
  ];
}

function compareOrder(rows: readonly Row[]): string[] {
  const rank = (row: Row) => [
    -Math.abs(Number(row['AtRisk'])),
    -Number(row['AgeDays']),
    row['DiscrepancyId'] ?? '',
  ];
  const isBefore = (one: Row, other: Row) => {
    const [left, right] = [rank(one), rank(other)];
    const at = left.findIndex((value, index) => value !== right[index]);
    return at < 0 || (left[at] ?? 0) < (right[at] ?? 0);
  };
  const wrong = rows.findIndex((row, index) => {
    const before = rows[index - 1];
    return before !== undefined && !isBefore(before, row);
  });
  return wrong < 0 ? [] : [`open-items.csv: row ${wrong + 2} is not in its place`];
}

function compareDiscrepancies(rows: readonly Row[], expected: ExpectedRun, wasRerun: boolean): string[] {
  const items = new Map(expected.items.map((item) => [item.finding.key, item]));
  const all = new Map<string, Row>();
  for (const finding of expected.findings.filter(expected.isReported)) {
    const item = items.get(finding.key);
    if (item !== undefined) all.set(finding.key, expectedDiscrepancy(item, expected));
  }
  if (wasRerun) return compareRows('discrepancies.csv', rows, all);
  // A run reports on what it looked at: at least on the records of the files that it loaded.
  const own = new Set(
    expected.loaded.flatMap(({ rows: loaded }) =>
      loaded.filter((row) => !row.alreadyKnown).map(({ record }) => record),
    ),
  );
  const isNeeded = ({ finding }: Item) => finding.record !== undefined && own.has(finding.record);
  const seen = new Set(rows.map(keyOf));
  const wanted = [...all].filter(([key]) => {
    const item = items.get(key);
    return seen.has(key) || (item !== undefined && isNeeded(item));
  });
  return compareRows('discrepancies.csv', rows, new Map(wanted));
}

function compareReconciled(folder: string, expected: ExpectedRun, wasRerun: boolean): string[] {
  if (wasRerun) return [];
  return expected.loaded.flatMap(({ file, rows }) => {
    const { name } = file.delivered;
    const written = readReport(path.join(folder, 'reconciled', name));
    const outcome = ({ record }: { readonly record: SettlementRecord }) => {
      const match = expected.matches.get(record);
      return [match?.status ?? '', match?.payments.map(({ id }) => id).join(',') ?? ''];
    };
    return compareValues(`reconciled/${name}`, {
      outcome: [
        written.map((row) => [row['MatchingStatus'], row['MatchedTransactions']]),
        rows.map((row) => outcome(row)),
      ],
    });
  });
}

/** Compares the columns of `wanted`; others are not looked at. */
function compareRows(report: string, rows: readonly Row[], wanted: ReadonlyMap<string, Row>): string[] {
  const differences: string[] = [];
  const seen = new Set<string>();
  for (const row of rows) {
    const key = keyOf(row);
    const want = wanted.get(key);
    if (seen.has(key)) differences.push(`${report}: ${key} is there twice`);
    seen.add(key);
    if (want === undefined) differences.push(`${report}: ${key} is not expected`);
    else differences.push(...compareCells(`${report}: ${key}`, row, want));
  }
  for (const key of wanted.keys()) if (!seen.has(key)) differences.push(`${report}: ${key} is not there`);
  return differences;
}

function compareCells(where: string, row: Row, want: Row): string[] {
  return Object.entries(want)
    .filter(([column, value]) => row[column] !== value)
    .map(([column, value]) => `${where}: ${column} is "${row[column] ?? ''}" and not "${value}"`);
}
