import { exitCodes } from '../../errors.js';
import type { ChangedCell } from '../../findings/changed-cell.js';
import { diffOf, type FilesDiff, type RunsDiff } from '../../library/diff.js';
import type { FindingDifference } from '../../listings/compare-runs.js';
import type { RecordDifference } from '../../matching/deliveries/compare-files.js';
import { isGiven, usageError } from '../command-arguments.js';
import type { Paint } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { diffCsv } from '../diff-csv.js';
import { withSentences } from '../list-table.js';
import { printable } from '../printable.js';
import { textTable } from '../text-table.js';
import { writeOutput } from '../write-output.js';

/** Compares two files or two runs; nothing is left out of either list. */
export const diff: RunCommand = async (context, [first = '', second = ''], options) => {
  const asCsv = isGiven(options, 'csv');
  if (asCsv && context.options.json) throw usageError('--csv and --json exclude each other.');
  const { sql } = await context.database();
  const found = await diffOf(sql, first, second);
  if (asCsv) {
    const text = diffCsv(found, context.config().reports);
    await writeOutput(context.stdout, (out) => Promise.resolve(void out.write(text)));
  } else {
    context.print(found, (paint) =>
      found.kind === 'runs' ? runsText(found, paint) : filesText(found, paint),
    );
  }
  return exitCodes.done;
};

function runsText({ before, after, files, differences, results }: RunsDiff, paint: Paint): string {
  const parts = [
    ...files.map(
      ({ runId, name, records }) =>
        `Run ${runId} loaded ${printable(name)}: ${count(records, 'new record')}.`,
    ),
    ...(differences.length === 0 ? [] : [findingsText(differences, paint)]),
    ...(results.length === 0
      ? []
      : [
          textTable(
            ['run', 'record', 'SettlementTxId', 'result'],
            results.map((each) => [
              each.runId,
              printable(`${each.file}:${each.line}`),
              each.settlementTxId,
              cellsText(each.cells),
            ]),
            { paint },
          ),
        ]),
  ];
  if (differences.length === 0)
    parts.push(`No discrepancy was found, changed or resolved after run ${before} up to run ${after}.`);
  return parts.join('\n');
}

function findingsText(differences: readonly FindingDifference[], paint: Paint): string {
  const table = textTable(
    ['change', 'run', 'severity', 'code', 'cells'],
    differences.map((each) => [each.kind, each.runId, each.severity, each.code, cellsText(each.cells)]),
    { paint },
  );
  return withSentences(
    table,
    differences.map(({ file, line, message }) =>
      printable(`${file === null ? '' : `${file}:${line ?? ''}: `}${message}`),
    ),
  );
}

function filesText({ unchanged, differences }: FilesDiff, paint: Paint): string {
  const summary = `The same in both: ${count(unchanged, 'row')}; different: ${count(differences.length, 'row')}.`;
  if (differences.length === 0) return summary;
  const table = textTable(
    ['change', 'line before', 'line after', 'SettlementTxId', 'amount', 'cur.', 'cells'],
    differences.map((each) => [
      each.kind,
      each.lineBefore,
      each.lineAfter,
      each.settlementTxId,
      each.amount,
      each.currency,
      changeText(each),
    ]),
    { paint },
  );
  return `${table}\n${summary}`;
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;

const changeText = ({ kind, cells }: RecordDifference) =>
  kind === 'changed' && cells.length === 0 ? 'the same values, written differently' : cellsText(cells);

const cellsText = (cells: readonly ChangedCell[]) =>
  cells
    .map(({ column, before, after }) => printable(`${column} ${before ?? ''} -> ${after ?? ''}`))
    .join(', ');
