import { createHash, type Hash } from 'node:crypto';
import path from 'node:path';
import { appendAuditEvents } from '../db/audit-log/append-audit-events.js';
import { copyIn } from '../db/copy.js';
import type { Sql, Tx } from '../db/client.js';
import { sqlStateOf } from '../db/database-errors.js';
import { requireConnection } from '../db/require-connection.js';
import { enterShardsIfAny } from '../db/shards/enter-shards.js';
import { inOwnTransaction } from '../db/transaction.js';
import { silentProgress, type Progress } from '../progress.js';
import { fillEmptyPayments, settleFilledPayments } from './fill-empty-payments.js';
import { mergePayments, staging } from './merge-payments.js';
import { contradiction, invalid } from './import-errors.js';
import { applyChanges, findBookedChargebacks, noChanges, type PaymentChanges } from './payment-changes.js';
import { storedPaymentColumns } from './payment-columns.js';
import { chunksOf, openFile } from './payments-file-bytes.js';
import { emptyTally, readPayments, type PaymentsTally } from './read-payments.js';

/**
 * What an import did, or would do (`dryRun`). `unchanged` payments were already stored with the same values, or were in
 * the file twice.
 */
export interface PaymentsImported {
  /** Lines with a payment. */
  readonly read: number;
  /** Lines that contain only separators, which were skipped. */
  readonly emptyRows: number;
  /** Payments that were not stored before. */
  readonly inserted: number;
  /** Payments with a changed value. */
  readonly updated: number;
  /** Payments that were stored with the same values, or that the file contains twice. */
  readonly unchanged: number;
  /** True: the numbers say what an import would do. */
  readonly dryRun: boolean;
  /** Whether contradictions prevent the import. Only in a dry run; otherwise they are an error. */
  readonly refused: boolean;
  /** The values that differ from the stored ones. */
  readonly changes: PaymentChanges;
}

/** How a file of payments is imported. */
export interface ImportOptions {
  /** Receives how many bytes were read. Without it, no progress is reported. */
  readonly progress?: Progress;
  /** Who imports, for the audit log; default: `recon`. */
  readonly author?: string;
  /** Stores values that contradict those of stored payments; each old value is kept in `payment_changes`. */
  readonly allowChanges?: boolean;
  /** Does everything in a transaction that is rolled back. */
  readonly dryRun?: boolean;
}

/** How many lines with the id of a chargeback a message names. */
const linesNamed = 20;

/** Below this size, rebuilding the indexes costs more than it saves. */
export const bulkFromBytes = 16 * 1024 * 1024;

/**
 * Stores the payments of a file (design 5): all of them or, when any line is invalid or contradicts a stored payment,
 * none. For a known payment, the result code may change from pending, and empty values may be filled in; the same file
 * again changes nothing. Memory does not grow with the file.
 *
 * @throws ReconError PAYMENTS_FILE_INVALID naming the first invalid lines with column and reason, and their number;
 *   PAYMENTS_CONTRADICTION naming the first values that differ; FILE_UNREADABLE; or errors of the database
 */
export async function importPayments(
  sql: Sql,
  file: string,
  options: ImportOptions = {},
): Promise<PaymentsImported> {
  requireConnection('importPayments', 'sql', sql);
  const handle = await openFile(file);
  try {
    const { size } = await handle.stat();
    const progress = options.progress ?? silentProgress;
    const load: Load = ({ withLines }) => {
      const tally = emptyTally();
      const task = progress.begin(path.basename(file), size, 'bytes');
      const chunks = chunksOf(handle, file, task.advance.bind(task));
      const hash = createHash('sha256');
      // Only merging changes payments, and it records the file.
      const source = readPayments(withLines ? hashing(chunks, hash) : chunks, tally, { withLines });
      return {
        tally,
        rows: refuseInvalid(source, file, tally, () => task.end()),
        sha256: () => hash.digest('hex'),
      };
    };
    const mayFill = size >= bulkFromBytes && options.dryRun !== true;
    const filled = mayFill ? await tryToFill(sql, load, file, options) : undefined;
    if (filled === undefined) return await merge(sql, load, file, options);
    await settleFilledPayments(sql);
    return filled;
  } finally {
    await handle.close();
  }
}

/** Reads the file from its start: the findings, and the rows for COPY. */
type Load = (rows: { readonly withLines: boolean }) => {
  readonly tally: PaymentsTally;
  readonly rows: AsyncIterable<string>;
  /** The hash of the whole file, once all rows are read. */
  readonly sha256: () => string;
};

/** Passes the bytes on and adds them to a hash. */
async function* hashing(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer, void> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

/**
 * A duplicate id in the file (merging decides whether it is a mistake), a table in use, or a table of another role:
 * reasons to merge instead.
 */
const notThisWay = new Set(['23505', '55P03', '42501']);

/** The bulk load into an empty table; undefined if it is not possible, then nothing was stored. */
async function tryToFill(
  sql: Sql,
  load: Load,
  file: string,
  options: ImportOptions,
): Promise<PaymentsImported | undefined> {
  let state: string | undefined;
  try {
    return await inOwnTransaction(sql, async (tx) => {
      await enterShardsIfAny(tx);
      const { tally, rows } = load({ withLines: false });
      const done = await fillEmptyPayments(tx, (target) =>
        copyIn(tx, `copy ${target} (${storedPaymentColumns}) from stdin`, rows),
      ).catch((thrown: unknown) => {
        state = sqlStateOf(thrown);
        throw thrown;
      });
      if (!done) return undefined;
      const result = imported(tally, tally.read, noChanges);
      // The bytes are not hashed here: that would cost a tenth of the load.
      await recordImport(tx, result, { file, sha256: null }, options);
      return result;
    });
  } catch (thrown) {
    if (state !== undefined && notThisWay.has(state)) return undefined;
    throw thrown;
  }
}

/** Rolls back the transaction of a dry run and carries its result. */
class DryRun extends Error {
  readonly result: PaymentsImported;

  constructor(result: PaymentsImported) {
    super('a dry run is rolled back');
    this.result = result;
  }
}

async function merge(sql: Sql, load: Load, file: string, options: ImportOptions): Promise<PaymentsImported> {
  const { allowChanges = false, dryRun = false } = options;
  try {
    return await inOwnTransaction(sql, async (tx: Tx) => {
      await enterShardsIfAny(tx);
      const { tally, rows, sha256 } = load({ withLines: true });
      const merged = await mergePayments(tx, (target) => copyIn(tx, `copy ${target} from stdin`, rows));
      if (merged.contradictions.length > 0)
        throw invalid(file, merged.contradictions, merged.contradictory, tally.read);
      const { inserted, changes } = merged;
      const refused = changes.values.CONTRADICTION > 0 && !allowChanges;
      const booked = allowChanges ? await findBookedChargebacks(tx, changes) : [];
      if (booked.length > 0) throw invalid(file, booked.slice(0, linesNamed), booked.length, tally.read);
      const result = { ...imported(tally, inserted, changes), dryRun, refused };
      if (dryRun) throw new DryRun(result);
      if (refused) throw contradiction(file, changes);
      const digest = sha256();
      if (changes.payments > 0)
        await applyChanges(tx, staging, { name: path.basename(file), sha256: digest });
      await recordImport(tx, result, { file, sha256: digest }, options);
      return result;
    });
  } catch (thrown) {
    if (thrown instanceof DryRun) return thrown.result;
    throw thrown;
  }
}

/** An import that changed nothing is not recorded. */
async function recordImport(
  tx: Tx,
  { read, inserted, updated, changes: { values } }: PaymentsImported,
  { file, sha256 }: { readonly file: string; readonly sha256: string | null },
  { author = 'recon', allowChanges = false }: ImportOptions,
): Promise<void> {
  if (inserted + updated === 0) return;
  const details = { sha256, read, inserted, updated, allowChanges, values };
  await appendAuditEvents(tx, author, [
    { action: 'payments.imported', subject: path.basename(file), details },
  ]);
}

function imported(
  { read, emptyRows }: PaymentsTally,
  inserted: number,
  changes: PaymentChanges,
): PaymentsImported {
  const updated = changes.payments;
  const unchanged = read - inserted - updated;
  return { read, emptyRows, inserted, updated, unchanged, dryRun: false, refused: false, changes };
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
