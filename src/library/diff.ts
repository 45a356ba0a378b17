import type { Sql, Tx } from '../db/client.js';
import { inOwnTransaction } from '../db/transaction.js';
import { ReconError } from '../errors.js';
import { findNamedFile, type NamedFile } from '../intake/withdraw-file.js';
import { compareRuns, type RunComparison } from '../listings/compare-runs.js';
import { compareFiles, type FileComparison } from '../matching/deliveries/compare-files.js';
import { runId, type RunId } from '../values/ids.js';

/** What differs between two settlement files. */
export interface FilesDiff extends FileComparison {
  readonly kind: 'files';
  readonly before: Pick<NamedFile, 'name' | 'sha256'>;
  readonly after: Pick<NamedFile, 'name' | 'sha256'>;
}

/** What changed after one run up to another. */
export interface RunsDiff extends RunComparison {
  readonly kind: 'runs';
  readonly before: RunId;
  readonly after: RunId;
}

/** `run:3`, or a number alone; eight digits alone are the beginning of a SHA-256. */
const runName = /^(?:run:(?<named>[1-9]\d{0,8})|(?<alone>[1-9]\d{0,6}))$/;

function runNumber(argument: string): string | undefined {
  const { named, alone } = runName.exec(argument)?.groups ?? {};
  return named ?? alone;
}

/**
 * Compares two files or two runs (design 4.8).
 *
 * @param first the earlier run (`run:3` or `3`), or a file by its name, its SHA-256 or the first eight digits of that
 */
export async function diffOf(sql: Sql, first: string, second: string): Promise<FilesDiff | RunsDiff> {
  const [before, after] = [runNumber(first), runNumber(second)];
  if (before !== undefined && after !== undefined) {
    return diffRuns(sql, runId(Number(before)), runId(Number(after)));
  }
  if (before !== undefined || after !== undefined) {
    throw new ReconError(
      'USAGE_INVALID',
      'recon diff compares two files or two runs, not a file with a run.',
    );
  }
  return inOwnTransaction(sql, async (tx) => {
    const [one, other] = [await loadedFile(tx, first), await loadedFile(tx, second)];
    const named = ({ name, sha256 }: NamedFile) => ({ name, sha256 });
    const comparison = await compareFiles(tx, one.fileId, other.fileId);
    return { kind: 'files', before: named(one), after: named(other), ...comparison };
  });
}

async function diffRuns(sql: Sql, before: RunId, after: RunId): Promise<RunsDiff> {
  if (before >= after) throw new ReconError('USAGE_INVALID', 'Name the earlier run first.');
  const known = await sql<{ id: RunId }[]>`select id from runs where id in (${before}, ${after})`;
  const missing = [before, after].find((id) => !known.some((run) => run.id === id));
  if (missing !== undefined) throw new ReconError('RUN_NOT_FOUND', `There is no run ${missing}.`);
  return { kind: 'runs', before, after, ...(await compareRuns(sql, before, after)) };
}

async function loadedFile(tx: Tx, given: string): Promise<NamedFile> {
  const file = await findNamedFile(tx, given);
  const called = `${file.name} (${file.sha256.slice(0, 8)})`;
  if (file.status === 'retired')
    throw new ReconError('RECORDS_RETIRED', `The records of ${called} were retired.`);
  if (file.status !== 'loaded') {
    throw new ReconError('FILE_NOT_LOADED', `${called} is ${file.status}: it has no records to compare.`);
  }
  return file;
}
