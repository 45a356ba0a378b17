import type { Sql, Tx } from '../db/client.js';
import { inOwnTransaction } from '../db/transaction.js';
import { ReconError } from '../errors.js';
import { findNamedFile, type NamedFile } from '../intake/withdraw-file.js';
import type { FindingDifference } from '../listings/changed-findings.js';
import type { ResultDifference } from '../listings/changed-results.js';
import { compareRuns, type AddedFile, type RunComparison } from '../listings/compare-runs.js';
import { collected, onSnapshot } from '../listings/listing.js';
import {
  compareFiles,
  type FileComparison,
  type RecordDifference,
} from '../matching/deliveries/compare-files.js';
import { runId, type RunId } from '../values/ids.js';

/** Which two files were compared; `before` is the one that was named first. */
interface ComparedFiles {
  readonly kind: 'files';
  readonly before: Pick<NamedFile, 'name' | 'sha256'>;
  readonly after: Pick<NamedFile, 'name' | 'sha256'>;
}

/** Which two runs were compared; what `before` itself did is not part of the difference. */
interface ComparedRuns {
  readonly kind: 'runs';
  readonly before: RunId;
  readonly after: RunId;
}

/** What differs between two settlement files. */
export interface FilesDiff extends ComparedFiles {
  /** Records that both files have with the same cells. */
  readonly unchanged: number;
  /** In the order of their lines. */
  readonly differences: readonly RecordDifference[];
}

/** What changed after one run up to another. */
export interface RunsDiff extends ComparedRuns {
  /** The files that were loaded after the first run, up to the second. */
  readonly files: readonly AddedFile[];
  /** Findings that were found, resolved, opened again or changed. */
  readonly differences: readonly FindingDifference[];
  /** Records that were stored before and now have another result. */
  readonly results: readonly ResultDifference[];
}

/** {@link FilesDiff} with lists that are read in batches: two large files can differ in every row. */
export type FilesDiffInBatches = ComparedFiles & FileComparison;
/** {@link RunsDiff} with lists that are read in batches. */
export type RunsDiffInBatches = ComparedRuns & RunComparison;

/** `run:3`, or a number alone; eight digits alone are the beginning of a SHA-256. */
const runName = /^(?:run:(?<named>[1-9]\d{0,8})|(?<alone>[1-9]\d{0,6}))$/;

function runNumber(argument: string): string | undefined {
  const { named, alone } = runName.exec(argument)?.groups ?? {};
  return named ?? alone;
}

/** Compares two files or two runs, in memory. */
export function diffOf(sql: Sql, first: string, second: string): Promise<FilesDiff | RunsDiff> {
  return readDiff<FilesDiff | RunsDiff>(sql, first, second, async (diff) => {
    if (diff.kind === 'files') return { ...diff, differences: await collected(diff.differences) };
    const differences = await collected(diff.differences);
    return { ...diff, differences, results: await collected(diff.results) };
  });
}

/**
 * Compares two files or two runs (design 4.8).
 *
 * @param first the earlier run (`run:3` or `3`), or a file by its name, its SHA-256 or the first eight digits of that
 * @param read what is done with the comparison, which cannot be read after it
 */
export async function readDiff<T>(
  sql: Sql,
  first: string,
  second: string,
  read: (diff: FilesDiffInBatches | RunsDiffInBatches) => Promise<T>,
): Promise<T> {
  const [before, after] = [runNumber(first), runNumber(second)];
  if (before !== undefined && after !== undefined) {
    const [from, to] = [runId(Number(before)), runId(Number(after))];
    if (from >= to) throw new ReconError('USAGE_INVALID', 'Name two runs, the earlier one first.');
    return onSnapshot(sql, async (tx) => {
      await refuseUnknownRun(tx, [from, to]);
      return read({ kind: 'runs', before: from, after: to, ...(await compareRuns(tx, from, to)) });
    });
  }
  if (before !== undefined || after !== undefined) {
    throw new ReconError(
      'USAGE_INVALID',
      'recon diff compares two files or two runs, not a file with a run.',
    );
  }
  return inOwnTransaction(sql, async (tx) => {
    const [one, other] = [await loadedFile(tx, first), await loadedFile(tx, second)];
    if (one.fileId === other.fileId) {
      throw new ReconError('USAGE_INVALID', `Name two different files; ${calledOf(one)} is named twice.`);
    }
    const named = ({ name, sha256 }: NamedFile) => ({ name, sha256 });
    return compareFiles(tx, one.fileId, other.fileId, (comparison) =>
      read({ kind: 'files', before: named(one), after: named(other), ...comparison }),
    );
  });
}

async function refuseUnknownRun(tx: Tx, [before, after]: readonly [RunId, RunId]): Promise<void> {
  const known = await tx<{ id: RunId }[]>`select id from runs where id in (${before}, ${after})`;
  const missing = [before, after].find((id) => !known.some((run) => run.id === id));
  if (missing !== undefined) throw new ReconError('RUN_NOT_FOUND', `There is no run ${missing}.`);
}

async function loadedFile(tx: Tx, given: string): Promise<NamedFile> {
  const file = await findNamedFile(tx, given);
  const called = calledOf(file);
  if (file.status === 'retired')
    throw new ReconError('RECORDS_RETIRED', `The records of ${called} were retired.`);
  if (file.status !== 'loaded') {
    throw new ReconError('FILE_NOT_LOADED', `${called} is ${file.status}: it has no records to compare.`);
  }
  return file;
}

const calledOf = ({ name, sha256 }: NamedFile) => `${name} (${sha256.slice(0, 8)})`;
