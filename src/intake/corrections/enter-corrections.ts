import type { Archive } from '../../archive/archive.js';
import { copyIn } from '../../db/copy.js';
import type { Tx } from '../../db/client.js';
import { isDivided } from '../../db/shards/is-divided.js';
import { lookedUpRecords } from '../../db/shards/rows-by-key.js';
import { disagreement } from '../../differing-sums.js';
import { columnIndex } from '../../settlement-file/columns.js';
import { hasMaskedText, withReceivedTexts } from '../../settlement-file/received-texts.js';
import { writeCells } from '../../settlement-file/write-row.js';
import type { CalendarDate } from '../../values/calendar-date.js';
import type { FileId } from '../../values/ids.js';
import { RecordEncoder } from '../encode-records.js';
import { createStaging, noteKnownRecords, storeNewRecords } from '../find-known-records.js';
import { inTimeZone } from '../in-time-zone.js';
import { copyStatement } from '../stored-columns.js';
import { receivedRows } from './received-rows.js';

interface Entering {
  /** The days of a re-run; null in a run, which enters all corrections. */
  readonly range: { readonly from: CalendarDate; readonly to: CalendarDate } | null;
  /** Zone in which a source's TxRequestTime without offset is read. */
  readonly zoneOf: (source: string) => string;
  /** It has the rows as they were received. */
  readonly archive: Archive;
}

/** A corrected row that is not a record yet. */
interface WaitingRow {
  readonly fileId: FileId;
  readonly line: number;
  readonly source: string;
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly cells: readonly string[];
}

/**
 * Stores corrected rows as records of their files (design 4.9), at the line of the original, in one transaction. A row
 * whose record is known already, because the sender delivered it meanwhile, becomes a known row as it would in a file.
 * The counts and dates of the file include the new records from then on.
 *
 * Whether a row waits follows from what is stored, so a run that died is continued by the next one. Rows of a withdrawn
 * file wait until it is restored.
 *
 * @returns how many rows were entered
 */
export async function enterCorrections(tx: Tx, { range, zoneOf, archive }: Entering): Promise<number> {
  const [any] = await tx`select from row_corrections limit 1`;
  if (any === undefined) return 0;
  const waiting = await waitingRows(tx, range);
  const byFile = new Map<FileId, WaitingRow[]>();
  for (const row of waiting) {
    const rows = byFile.get(row.fileId) ?? [];
    byFile.set(row.fileId, rows);
    rows.push(row);
  }
  for (const [fileId, rows] of byFile) {
    const received = await asReceived(archive, rows);
    await inTimeZone(tx, zoneOf(rows[0]?.source ?? ''), () => enterRows(tx, fileId, received));
  }
  return waiting.length;
}

/**
 * The rows of one file with the texts that they had when they were received: a row that the sender delivers correctly
 * has them too, and is then the same record.
 */
async function asReceived(archive: Archive, rows: readonly WaitingRow[]): Promise<readonly WaitingRow[]> {
  const masked = rows.filter(({ cells }) => hasMaskedText(cells));
  const [file] = masked;
  if (file === undefined) return rows;
  const received = await receivedRows(archive, file, new Set(masked.map(({ line }) => line)));
  return rows.map((row) => ({ ...row, cells: withReceivedTexts(row.cells, received.get(row.line) ?? []) }));
}

/** One look-up per corrected row; a join could read all records. */
async function waitingRows(tx: Tx, range: Entering['range']): Promise<readonly WaitingRow[]> {
  const inRange = range === null ? tx`` : tx`and c.settlement_date between ${range.from} and ${range.to}`;
  const stored = lookedUpRecords(tx, {
    isOnShards: await isDivided(tx),
    columns: tx`true as stored`,
    of: tx`c`,
    places: tx`select c.file_id, c.line from row_corrections c where true ${inRange}`,
  });
  return tx<WaitingRow[]>`
    select c.file_id as "fileId", c.line, f.source, f.name, f.sha256, f.size_bytes::float8 as "sizeBytes", c.cells
    from row_corrections c
    join settlement_files f on f.id = c.file_id and f.status = 'loaded'
    left join ${stored}
    left join already_known_rows k on k.file_id = c.file_id and k.line = c.line
    left join lateral (select w.kind from file_withdrawals w where w.file_id = c.file_id
      order by w.number desc limit 1) w on true
    where r.stored is null and k.file_id is null and w.kind is distinct from 'withdraw' ${inRange}
    order by c.file_id, c.line`;
}

const settlementDate = columnIndex('SettlementDate');

async function enterRows(tx: Tx, fileId: FileId, rows: readonly WaitingRow[]): Promise<void> {
  const days = rows.map(({ cells }) => cells[settlementDate] ?? '').sort();
  const dates = { first: days[0] ?? '', last: days.at(-1) ?? '' };
  await createStaging(tx);
  await copyIn(tx, copyStatement({ name: 'staged_records', kind: 'staging' }), encoded(fileId, rows));
  const known = await noteKnownRecords(tx, fileId, dates, { isAddition: true });
  const stored = await storeNewRecords(tx, fileId, 'settlement_records');
  if (stored + known !== rows.length) {
    throw disagreement(
      `${rows.length} corrected rows were to be stored, and ${stored + known} were`,
      'None of the corrected rows was stored.',
    );
  }
  await tx`
    update settlement_files set rows_accepted = rows_accepted + ${rows.length},
      rows_rejected = rows_rejected - ${rows.length}, rows_already_known = rows_already_known + ${known},
      first_settlement_date = least(first_settlement_date, ${dates.first}),
      last_settlement_date = greatest(last_settlement_date, ${dates.last})
    where id = ${fileId}`;
}

// copyIn needs an AsyncIterable.
// eslint-disable-next-line @typescript-eslint/require-await
async function* encoded(fileId: FileId, rows: readonly WaitingRow[]): AsyncGenerator<Buffer> {
  const encoder = new RecordEncoder(fileId);
  for (const { line, cells } of rows) {
    const bytes = Buffer.from(writeCells(cells), 'utf8');
    const added = encoder.add({ line, bytes, start: 0, end: bytes.length, quotedCells: cells });
    if (!('amountMinor' in added)) throw new Error('a corrected row was valid when it was stored');
    if (encoder.isFull) yield encoder.take();
  }
  if (!encoder.isEmpty) yield encoder.take();
}
