import type { StoredBytes } from '../archive/stored-bytes.js';
import { copyIn } from '../db/copy.js';
import type { Tx } from '../db/client.js';
import { failPoint } from '../fail-point.js';
import { stopIfAborted } from '../interruption.js';
import type { ProgressTask } from '../progress.js';
import { readRows, type RowBlock } from '../settlement-file/read-rows.js';
import { archivedBytes } from './archived-bytes.js';
import { RecordEncoder } from './encode-records.js';
import { TwinNumbers } from './number-twins.js';
import { PossibleTwins } from './possible-twins.js';
import { RowPlaces } from './row-places.js';
import { Quarantine } from './store-rejected-rows.js';
import { copyStatement, type CopyTable } from './stored-columns.js';
import type { RowTally } from './tally-rows.js';
import type { FileId } from '../values/ids.js';

/** An archived file whose records are to be stored. */
export interface FileToCopy {
  readonly id: FileId;
  readonly bytes: StoredBytes;
  readonly sizeBytes: number;
}

/** Where the rows of a file are copied to, and what is watched meanwhile. */
export interface Copying {
  readonly table: CopyTable;
  /** Is reset and updated while reading, so that the caller knows how much of a failed file was read. */
  readonly tally: RowTally;
  /** Ends the copy between two blocks of rows. */
  readonly signal: AbortSignal;
  /** Advances by the bytes that were read. */
  readonly progress: ProgressTask;
}

/**
 * Reads a file once and stores its rows as it goes: those that pass into a table, the others into quarantine. Memory
 * does not grow with the file: when the quarantine is full, the COPY ends, the quarantine is stored, and another COPY
 * begins. Where its rows begin is stored with them.
 *
 * Twins are numbered in a shared table, whose index on identity would otherwise refuse them. In the others, each record
 * gets occurrence 1: they are numbered once the table is filled.
 *
 * @returns the fingerprints of records that may have a twin in the file; null if that is not known. Only looked for in
 * a table of the file, which has no index yet
 * @throws ReconError from the reader for a file that is to be rejected; DISK_FAILED when the archived bytes
 * cannot be read or were changed
 */
export async function copyRecords(
  tx: Tx,
  file: FileToCopy,
  copying: Copying,
): Promise<readonly string[] | null> {
  const { table, tally } = copying;
  tally.reset();
  failPoint('copy.before');
  const twins = table.kind === 'own' ? new PossibleTwins(file.sizeBytes) : null;
  const pass = new CopyPass(file, copying, new RecordEncoder(file.id, occurrencesIn(table, twins)));
  try {
    while (!pass.isDone) {
      await copyIn(tx, copyStatement(table), pass.batches());
      await pass.quarantine.store(tx);
    }
    await pass.places.store(tx, file.id);
    failPoint('copy.after');
    return twins?.fingerprints ?? null;
  } catch (thrown) {
    // The source's error says more than the server's answer to the interrupted COPY.
    throw pass.fault ?? thrown;
  } finally {
    await pass.close();
  }
}

function occurrencesIn({ kind }: CopyTable, twins: PossibleTwins | null): (fingerprint: string) => number {
  const numbers = kind === 'shared' ? new TwinNumbers() : null;
  return (fingerprint) => {
    twins?.add(fingerprint);
    return numbers?.next(fingerprint) ?? 1;
  };
}

/** One pass through a file. Several COPYs may take their input from it, one after the other. */
class CopyPass {
  readonly quarantine: Quarantine;
  readonly places: RowPlaces;
  readonly #encoder: RecordEncoder;
  readonly #blocks: AsyncGenerator<RowBlock, void, undefined>;
  isDone = false;
  /** Why reading failed, if it did. */
  fault: unknown;
  readonly #copying: Copying;

  constructor(file: FileToCopy, copying: Copying, encoder: RecordEncoder) {
    this.quarantine = new Quarantine(file.id);
    this.places = new RowPlaces(file.sizeBytes);
    this.#encoder = encoder;
    this.#blocks = readRows(archivedBytes(file, copying.progress));
    this.#copying = copying;
  }

  /** COPY input until the file ends or the quarantine is full. */
  async *batches(): AsyncGenerator<Buffer, void, undefined> {
    try {
      while (!this.quarantine.isFull) {
        stopIfAborted(
          this.#copying.signal,
          'The run was interrupted; the file it was reading is not stored.',
        );
        const next = await this.#blocks.next();
        if (next.done === true) {
          this.isDone = true;
          break;
        }
        yield* this.#encode(next.value);
      }
    } catch (thrown) {
      this.fault = thrown;
      throw thrown;
    }
    if (!this.#encoder.isEmpty) yield this.#encoder.take();
    failPoint('copy.block');
  }

  *#encode(block: RowBlock): Generator<Buffer, void, undefined> {
    for (const row of block.rows) {
      failPoint('copy.row');
      // A blank row has no bytes.
      if (row.end > row.start) this.places.see(row.line, block.offset + row.start);
      const result = this.#encoder.add(row);
      if ('amountMinor' in result) {
        this.#copying.tally.addAccepted(result);
      } else {
        this.#copying.tally.addRejected(row.line, result.cells, result.issues);
        this.quarantine.add(row.line, result.text, result.issues);
      }
      if (this.#encoder.isFull) yield this.#encoder.take();
    }
  }

  /** Closes the file, even when the COPY ended early. */
  async close(): Promise<void> {
    await this.#blocks.return();
  }
}
