import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { copyIn } from '../db/copy.js';
import type { Sql, Tx } from '../db/connect.js';
import { sqlStateOf } from '../db/database-errors.js';
import { inOwnTransaction } from '../db/transaction.js';
import { ReconError, messageOf } from '../errors.js';
import { silentProgress, type Progress } from '../progress.js';
import type { LineIssue } from './check-payment-row.js';
import { fillEmptyPayments, settleFilledPayments } from './fill-empty-payments.js';
import { mergePayments } from './merge-payments.js';
import { storedColumns } from './payment-columns.js';
import { emptyTally, readPayments, type PaymentsTally } from './read-payments.js';

/** What an import did. `unchanged` were stored with the same values already (or stood in the file twice). */
export interface PaymentsImported {
  /** Lines with a payment. */
  readonly read: number;
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** Below this size the rebuilding of indexes costs more than it saves. */
const bulkFromBytes = 16 * 1024 * 1024;

/**
 * Stores the payments of a file (design 5): all of them or, when any line is invalid, none. A known id takes the
 * file's values; the same file again changes nothing. Memory does not grow with the file.
 *
 * @throws ReconError PAYMENTS_FILE_INVALID naming the first invalid lines with column and reason, and their
 *   number; FILE_UNREADABLE; or of the database
 */
export async function importPayments(
  sql: Sql,
  file: string,
  options: { readonly progress?: Progress } = {},
): Promise<PaymentsImported> {
  const handle = await openFile(file);
  try {
    const { size } = await handle.stat();
    const progress = options.progress ?? silentProgress;
    const load: Load = (withLines) => {
      const tally = emptyTally();
      const task = progress.begin(path.basename(file), size, 'bytes');
      const source = readPayments(chunksOf(handle, file, task.advance.bind(task)), tally, withLines);
      return { tally, rows: refuseInvalid(source, file, tally, () => task.end()) };
    };
    const filled = size >= bulkFromBytes ? await tryToFill(sql, load) : undefined;
    if (filled === undefined) return await merge(sql, load, file);
    await settleFilledPayments(sql);
    return filled;
  } finally {
    await handle.close();
  }
}

/** Begins reading the file from its start: what is found, and the rows for COPY. */
type Load = (withLines: boolean) => { tally: PaymentsTally; rows: AsyncIterable<string> };

/**
 * An id that stands in the file twice (merging tells whether that is a mistake), a table in use, one that belongs
 * to another role: reasons to go the other way.
 */
const notThisWay = new Set(['23505', '55P03', '42501']);

/** The bulk way into an empty table; undefined when it does not apply, and nothing was stored then. */
async function tryToFill(sql: Sql, load: Load): Promise<PaymentsImported | undefined> {
  let state: string | undefined;
  try {
    return await inOwnTransaction(sql, async (tx) => {
      const { tally, rows } = load(false);
      const done = await fillEmptyPayments(tx, (target) =>
        copyIn(tx, `copy ${target} (${storedColumns}) from stdin`, rows),
      ).catch((thrown: unknown) => {
        state = sqlStateOf(thrown);
        throw thrown;
      });
      return done ? { read: tally.read, inserted: tally.read, updated: 0, unchanged: 0 } : undefined;
    });
  } catch (thrown) {
    if (state !== undefined && notThisWay.has(state)) return undefined;
    throw thrown;
  }
}

async function merge(sql: Sql, load: Load, file: string): Promise<PaymentsImported> {
  return inOwnTransaction(sql, async (tx: Tx) => {
    const { tally, rows } = load(true);
    const merged = await mergePayments(tx, (target) => copyIn(tx, `copy ${target} from stdin`, rows));
    if (merged.contradictions.length > 0)
      throw invalid(file, merged.contradictions, merged.contradictory, tally.read);
    const { inserted, updated } = merged;
    return { read: tally.read, inserted, updated, unchanged: tally.read - inserted - updated };
  });
}

async function* refuseInvalid(
  rows: AsyncIterable<string>,
  file: string,
  tally: PaymentsTally,
  ended: () => void,
): AsyncGenerator<string, void> {
  try {
    yield* rows;
  } finally {
    ended();
  }
  if (tally.invalidLines > 0) throw invalid(file, tally.firstIssues, tally.invalidLines, tally.read);
}

function invalid(file: string, issues: readonly LineIssue[], count: number, read: number): ReconError {
  const told = issues.map(({ line, column, message }) =>
    column === '' ? `line ${line}: ${message}` : `line ${line}, ${column}: ${message}`,
  );
  const lines = count === 1 ? '1 line is' : `${count} lines are`;
  const more = count > issues.length ? ['…'] : [];
  return new ReconError(
    'PAYMENTS_FILE_INVALID',
    [
      `${path.basename(file)}: ${lines} invalid (of ${read} with payments); nothing was stored.`,
      ...told,
      ...more,
    ].join('\n  '),
  );
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    const handle = await open(file, 'r');
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (thrown) {
    throw unreadable(file, messageOf(thrown));
  }
  throw unreadable(file, 'it is not a regular file');
}

const unreadable = (file: string, why: string) =>
  new ReconError('FILE_UNREADABLE', `${file} cannot be read: ${why}. Nothing was stored.`);

const chunkBytes = 256 * 1024;

async function* chunksOf(
  handle: FileHandle,
  file: string,
  advance: (bytes: number) => void,
): AsyncGenerator<Buffer, void> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await handle
      .read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position)
      .catch((thrown: unknown) => {
        throw unreadable(file, messageOf(thrown));
      });
    if (bytesRead === 0) return;
    position += bytesRead;
    advance(bytesRead);
    yield buffer.subarray(0, bytesRead);
  }
}
