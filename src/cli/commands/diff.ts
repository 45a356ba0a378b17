import { inOwnTransaction } from '../../db/transaction.js';
import { exitCodes, ReconError } from '../../errors.js';
import { findNamedFile, type NamedFile } from '../../intake/withdraw-file.js';
import { compareRuns } from '../../listings/compare-runs.js';
import { compareFiles, type RecordDifference } from '../../matching/deliveries/compare-files.js';
import { runId, type RunId } from '../../values/ids.js';
import { usageError } from '../command-arguments.js';
import type { CommandContext } from '../command-context.js';
import type { RunCommand } from '../commands.js';
import { withSentences } from '../list-table.js';
import { printable } from '../printable.js';
import { textTable } from '../text-table.js';

/** `run:3`, or a number alone; eight digits alone are the beginning of a SHA-256. */
const runName = /^(?:run:(?<named>[1-9]\d{0,8})|(?<alone>[1-9]\d{0,6}))$/;

function runNumber(argument: string): string | undefined {
  const { named, alone } = runName.exec(argument)?.groups ?? {};
  return named ?? alone;
}

/** Compares two files or two runs; nothing is left out of either list. */
export const diff: RunCommand = async (context, [first = '', second = '']) => {
  const [before, after] = [runNumber(first), runNumber(second)];
  if (before !== undefined && after !== undefined) {
    return diffRuns(context, runId(Number(before)), runId(Number(after)));
  }
  if (before !== undefined || after !== undefined) {
    throw usageError('recon diff compares two files or two runs, not a file with a run.');
  }
  return diffFiles(context, first, second);
};

async function diffRuns(context: CommandContext, before: RunId, after: RunId): Promise<number> {
  if (before >= after) throw usageError('Name the earlier run first.');
  const { sql } = await context.database();
  const known = await sql<{ id: RunId }[]>`select id from runs where id in (${before}, ${after})`;
  const missing = [before, after].find((id) => !known.some((run) => run.id === id));
  if (missing !== undefined) throw new ReconError('RUN_NOT_FOUND', `There is no run ${missing}.`);
  const differences = await compareRuns(sql, before, after);
  context.print({ kind: 'runs', before, after, differences }, (paint) =>
    differences.length === 0
      ? `No discrepancy was found or resolved after run ${before} up to run ${after}.`
      : withSentences(
          textTable(
            ['change', 'run', 'severity', 'code'],
            differences.map((each) => [each.kind, each.runId, each.severity, each.code]),
            { paint },
          ),
          differences.map(({ message }) => printable(message)),
        ),
  );
  return exitCodes.done;
}

async function diffFiles(context: CommandContext, first: string, second: string): Promise<number> {
  const { sql } = await context.database();
  const { before, after, unchanged, differences } = await inOwnTransaction(sql, async (tx) => {
    const [one, other] = [await loadedFile(tx, first), await loadedFile(tx, second)];
    return { before: one, after: other, ...(await compareFiles(tx, one.fileId, other.fileId)) };
  });
  const named = ({ name, sha256 }: NamedFile) => ({ name, sha256 });
  context.print(
    { kind: 'files', before: named(before), after: named(after), unchanged, differences },
    (paint) => {
      const summary = `The same in both: ${count(unchanged)}; different: ${count(differences.length)}.`;
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
          cellsText(each),
        ]),
        { paint },
      );
      return `${table}\n${summary}`;
    },
  );
  return exitCodes.done;
}

const count = (rows: number) => `${rows} ${rows === 1 ? 'row' : 'rows'}`;

const cellsText = ({ kind, cells }: RecordDifference) =>
  kind === 'changed' && cells.length === 0
    ? 'the same values, written differently'
    : cells
        .map(({ column, before, after }) => printable(`${column} ${before ?? ''} -> ${after ?? ''}`))
        .join(', ');

async function loadedFile(tx: Parameters<typeof findNamedFile>[0], given: string): Promise<NamedFile> {
  const file = await findNamedFile(tx, given);
  const called = `${file.name} (${file.sha256.slice(0, 8)})`;
  if (file.status === 'retired')
    throw new ReconError('RECORDS_RETIRED', `The records of ${called} were retired.`);
  if (file.status !== 'loaded') {
    throw new ReconError('FILE_NOT_LOADED', `${called} is ${file.status}: it has no records to compare.`);
  }
  return file;
}
