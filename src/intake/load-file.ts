import type { Tx } from '../db/client.js';
import type { Transact } from '../db/fence.js';
import { ReconError } from '../errors.js';
import { isIdentityViolation } from '../db/parts/index-identity.js';
import { addPart, partOf, type RecordPart } from '../db/parts/record-parts.js';
import { failPoint } from '../fail-point.js';
import type { FileRows, OutcomeError } from '../outcome.js';
import type { ProgressTask } from '../progress.js';
import { compareTotals, type AnnouncedTotals } from './announced-totals.js';
import { checkControlTotals } from './check-control-totals.js';
import { copyRecords, type FileToCopy } from './copy-records.js';
import {
  beginsWithKnownRecords,
  createStaging,
  isKnownElsewhere,
  noteKnownRecords,
  storeNewRecords,
} from './find-known-records.js';
import { markLoaded, markRejected, type FileIdentity } from './finish-file.js';
import { inTimeZone } from './in-time-zone.js';
import { RowTally } from './tally-rows.js';
import { awaitTurn, besideOtherFiles, isInTheWay, keepWaiting, type Turn } from './commit-turn.js';
import type { RunId } from '../values/ids.js';

/** A registered file, with what its columns and bytes need to be copied. */
export type FileToLoad = FileToCopy & FileIdentity;

/** How a file is read, and when it is rejected as a whole. */
export interface LoadOptions {
  /** The run that reports on the file. */
  readonly runId: RunId;
  /** Zone in which a TxRequestTime without offset is read. */
  readonly timezone: string;
  /** 0..1: a file is rejected as a whole when a larger share of its rows is rejected. */
  readonly maxRejectedShare: number;
  /** The totals that the sender announced; null when there are none. */
  readonly announced: AnnouncedTotals | null;
  /** Checked between blocks of rows. */
  readonly signal: AbortSignal;
  /** Advanced by the bytes read. */
  readonly progress: ProgressTask;
  /** The place of the file among those that the run loads at once. */
  readonly turn: Turn;
}

/** What became of a file that was read to its end. */
export interface LoadedFile {
  readonly status: 'loaded' | 'rejected';
  readonly rows: FileRows;
  /** Why it was rejected. */
  readonly error: OutcomeError | null;
}

/**
 * Loads one archived file: all of it in one transaction (records, known rows, quarantine, counts, state) or
 * nothing (design 4.1, 4.3). A file that is rejected leaves only its state and the reason.
 *
 * Several files may be loaded at once. Each copies its rows at any time, and decides and commits in its turn, when
 * every earlier file is finished. So a record that two files bring belongs to the earlier one, as if they had been
 * loaded one after the other.
 * @throws ReconError DISK_FAILED, RUN_INTERRUPTED, CONTROL_TOTALS_DISAGREE; the driver's errors of the database. The
 * file then stays as it was, and the next run loads it.
 */
export async function loadFile(
  transact: Transact,
  file: FileToLoad,
  options: LoadOptions,
): Promise<LoadedFile> {
  const tally = new RowTally();
  try {
    // A file that waits for its turn must see what the earlier ones have committed meanwhile.
    return await transact(
      (tx) =>
        inTimeZone(tx, options.timezone, async () => {
          const part = await partOf(tx, file.id);
          const alreadyKnown = await storeRecords(tx, { file, part, options, tally });
          refuseTooManyRejected(tally, options.maxRejectedShare);
          if (options.announced !== null) compareTotals(options.announced, tally.found);
          const rows = tally.rows(alreadyKnown);
          await markLoaded(tx, options.runId, file, { rows, dates: tally.dates });
          failPoint('load.commit.before');
          return { status: 'loaded', rows, error: null };
        }),
      'what is committed',
    );
  } catch (thrown) {
    if (!(thrown instanceof ReconError) || thrown.of !== 'content') throw thrown;
    await options.turn.come();
    // The rows that were read before it was rejected. None of them is stored, so none is accepted.
    const rows = { ...tally.rows(0), accepted: 0 };
    const read = { rows, dates: tally.dates, reason: thrown };
    await transact((tx) => markRejected(tx, options.runId, file, read));
    return { status: 'rejected', rows, error: { code: thrown.code, message: thrown.message } };
  }
}

/** A file that is being loaded, and the part of the table for its records. */
interface Loading {
  readonly file: FileToLoad;
  readonly part: RecordPart;
  readonly options: LoadOptions;
  /** Counts what is read. */
  readonly tally: RowTally;
}

/**
 * Most files hold only new records: they are copied straight into their part of the table. If the first rows already
 * show known records, or the copying finds some, the records are staged and compared instead.
 *
 * @returns how many rows were known
 */
async function storeRecords(tx: Tx, loading: Loading): Promise<number> {
  const beginsKnown = await beginsWithKnownRecords(tx, loading.file.bytes);
  if (!beginsKnown && (await tryToCopyAsNew(tx, loading))) return 0;
  return stageRecords(tx, loading);
}

/**
 * Copies the rows of a file into its part of the table, as if no record of it were known.
 *
 * @returns false if the copy was undone: another part holds records of the file, or the index of a shared part found
 *   known records, or an earlier file waits for rows that both bring
 */
async function tryToCopyAsNew(tx: Tx, { file, part, options, tally }: Loading): Promise<boolean> {
  const progress = undoable(options.progress);
  try {
    await tx.savepoint(async (point) => {
      const copy = (name: string) =>
        copyRecords(point, file, {
          table: { name, kind: part.ownFile ? 'own' : 'shared' },
          tally,
          ...options,
          progress,
        });
      await intoPart(point, part, copy, async () => {
        await checkControlTotals(point, { fileId: file.id, part, tally, alreadyKnown: 0 });
        failPoint('load.turn');
        await awaitTurn(point, options.turn);
      });
      if (await isKnownElsewhere(point, file.id, part, tally.dates)) throw new KnownElsewhere();
    });
    return true;
  } catch (thrown) {
    if (!(thrown instanceof KnownElsewhere) && !isIdentityViolation(thrown) && !isInTheWay(thrown))
      throw thrown;
    progress.undo();
    return false;
  }
}

/**
 * Copies the rows of a file into a staging table, and stores those that are new.
 *
 * @returns how many rows were known
 */
async function stageRecords(tx: Tx, { file, part, options, tally }: Loading): Promise<number> {
  failPoint('staging.before');
  await createStaging(tx);
  await copyRecords(tx, file, { table: { name: 'staged_records', kind: 'staging' }, tally, ...options });
  failPoint('staging.copied');
  await keepWaiting(tx, options.turn);
  const known = await noteKnownRecords(tx, file.id, tally.dates, { isAddition: false });
  await intoPart(tx, part, async (name) => {
    await storeNewRecords(tx, file.id, name);
    return null;
  });
  failPoint('staging.after');
  await checkControlTotals(tx, { fileId: file.id, part, tally, alreadyKnown: known });
  return known;
}

/**
 * Fills the part of a file and does what follows: for a large file it creates the table; the table for small files
 * exists.
 */
async function intoPart(
  tx: Tx,
  part: RecordPart,
  fill: (table: string) => Promise<readonly string[] | null>,
  filled: () => Promise<void> = async () => {},
): Promise<void> {
  if (part.ownFile) return addPart(tx, part, fill, filled);
  await besideOtherFiles(tx, part, async () => {
    await fill('settlement_records');
  });
  await filled();
}

/** Rolls back the copying of a file that holds records of other parts. */
class KnownElsewhere extends Error {}

/** Can take back the progress of a file that is read a second time. */
function undoable(progress: ProgressTask): ProgressTask & { undo(): void } {
  let advanced = 0;
  return {
    advance(by) {
      advanced += by;
      progress.advance(by);
    },
    end: () => progress.end(),
    undo: () => progress.advance(-advanced),
  };
}

function refuseTooManyRejected(tally: RowTally, limit: number): void {
  if (tally.total === 0) return;
  if (tally.accepted === 0) {
    const none =
      tally.rejected === 1 ? 'The only row is not valid.' : `None of the ${tally.rejected} rows is valid.`;
    throw new ReconError('FILE_NO_VALID_ROW', `${none}${tally.issueLines}`);
  }
  if (tally.rejected / tally.total <= limit) return;
  throw new ReconError(
    'FILE_TOO_MANY_REJECTED',
    `${tally.rejected} of ${tally.total} rows ${tally.rejected === 1 ? 'is' : 'are'} rejected; maxRejectedShare allows a share of ${limit}.${tally.issueLines}`,
  );
}
