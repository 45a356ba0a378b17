import { createHash } from 'node:crypto';
import { appendAuditEvents } from '../../db/audit-log/append-audit-events.js';
import type { Sql, Tx } from '../../db/client.js';
import { inOwnTransaction } from '../../db/transaction.js';
import { ReconError } from '../../errors.js';
import { columnIndex } from '../../settlement-file/columns.js';
import { readableCells } from '../../settlement-file/correction-sheet.js';
import { placeOf, type FilledInTable, type TablePlace } from '../../spreadsheet/filled-in-table.js';
import { invalid, listed } from '../../spreadsheet/sheet-problems.js';
import type { CalendarDate } from '../../values/calendar-date.js';
import type { FileId } from '../../values/ids.js';
import { confirmAdvice, judgeCorrection, type RenotedCell } from './judge-correction.js';
import { checkCorrectionSheet, readCorrectionRows, type CorrectionRow } from './read-correction-rows.js';

/** Who corrects, and when. */
export interface Correcting {
  readonly author: string;
  /** The day that counts as today. */
  readonly asOf: CalendarDate;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Check everything and store nothing. */
  readonly dryRun: boolean;
}

/** A row that was corrected, or would be. */
export interface CorrectedRow {
  readonly file: string;
  readonly line: number;
  readonly sha256: string;
  readonly settlementDate: CalendarDate;
  readonly amount: string;
  readonly currency: string;
}

/** What a sheet of corrections did, or would do. */
export interface CorrectedRows {
  readonly dryRun: boolean;
  readonly author: string;
  readonly decidedOn: CalendarDate;
  readonly corrected: readonly CorrectedRow[];
  /** Rows of the sheet that nobody changed, and rows whose correction was stored before. */
  readonly unchanged: number;
  readonly alreadyCorrected: number;
  /** About rows that have no effect, and may have been meant to have one. */
  readonly remarks: readonly string[];
  /** The settlement dates of the corrected rows; null without any. */
  readonly rerun: { readonly from: CalendarDate; readonly to: CalendarDate } | null;
}

/**
 * Stores the corrections of a `corrections.csv` that was given back (design 4.9): all of them or none. The next run, or
 * a re-run of their days, stores the rows as records. The same sheet again changes nothing.
 *
 * @throws ReconError SHEET_INVALID, DECISION_CONFLICT, errors of the database; each names all rows concerned
 */
export async function correctRows(
  sql: Sql,
  table: FilledInTable,
  correcting: Correcting,
): Promise<CorrectedRows> {
  checkCorrectionSheet(table);
  return inOwnTransaction(sql, async (tx) => {
    // Two people who correct one row at once: the second sees what the first did.
    await tx`lock table row_corrections in share row exclusive mode`;
    const judged = await judgeSheet(tx, table);
    if (judged.problems.length > 0) throw invalid(table.name, judged.problems);
    if (judged.conflicts.length > 0) {
      throw new ReconError(
        'DECISION_CONFLICT',
        `${listed(`Nothing of ${table.name} was stored`, judged.conflicts)}\n${correctionsAreKept}`,
      );
    }
    if (!correcting.dryRun) await store(tx, judged.valid, table, correcting);
    const dates = judged.valid.map(({ cells }) => cells[settlementDate] ?? '').sort();
    return {
      dryRun: correcting.dryRun,
      author: correcting.author,
      decidedOn: correcting.asOf,
      corrected: judged.valid.map(describe),
      unchanged: judged.unchanged,
      alreadyCorrected: judged.alreadyCorrected,
      remarks: judged.remarks,
      rerun: dates.length === 0 ? null : { from: dates[0] ?? '', to: dates.at(-1) ?? '' },
    };
  });
}

const correctionsAreKept =
  'A correction is not changed afterwards. If it is wrong, withdraw the file with `recon files withdraw`, and give recon a right one.';

const settlementDate = columnIndex('SettlementDate');
const amount = columnIndex('Amount');
const currency = columnIndex('Currency');

/** A rejected row that a row of the sheet names. */
interface Original {
  readonly fileId: FileId;
  readonly name: string;
  readonly sha256: string;
  readonly line: number;
  readonly status: string;
  readonly withdrawn: boolean;
  readonly rawText: string;
  readonly corrected: readonly string[] | null;
  readonly correctedBy: string | null;
  readonly correctedOn: string | null;
}

interface ValidRow {
  readonly row: CorrectionRow;
  readonly original: Original;
  readonly cells: readonly string[];
}

interface JudgedRows {
  readonly valid: ValidRow[];
  readonly problems: string[];
  readonly conflicts: string[];
  readonly remarks: string[];
  unchanged: number;
  alreadyCorrected: number;
}

/** Rows that are judged at once: a sheet may have a million, of which nearly all came back as they were given out. */
const judgedRows = 2000;

async function judgeSheet(tx: Tx, table: FilledInTable): Promise<JudgedRows> {
  const judged: JudgedRows = {
    valid: [],
    problems: [],
    conflicts: [],
    remarks: [],
    unchanged: 0,
    alreadyCorrected: 0,
  };
  const seen = new Map<string, TablePlace>();
  for (let from = 0; from < table.rows.length; from += judgedRows) {
    const rows = readCorrectionRows(table, table.rows.slice(from, from + judgedRows));
    const originals = await readOriginals(tx, rows);
    for (const row of rows) judgeNamed(judged, row, originals.get(keyOf(row)), seen);
  }
  return judged;
}

/** Judges a row of the sheet, if it names a rejected row, and is the first that does. */
function judgeNamed(
  judged: JudgedRows,
  row: CorrectionRow,
  original: Original | undefined,
  seen: Map<string, TablePlace>,
): void {
  const place = `${placeOf(row)} (${row.file}:${row.originalLine})`;
  if (original === undefined) {
    judged.problems.push(
      `${place}: no such row was rejected, or it was removed by the settings of retention.`,
    );
    return;
  }
  const key = `${original.fileId}:${original.line}`;
  const twice = seen.get(key);
  seen.set(key, { line: row.line, sheet: row.sheet });
  if (twice === undefined) judgeRow(judged, place, row, original);
  else judged.problems.push(`${place}: ${placeOf(twice)} has this row too.`);
}

function judgeRow(judged: JudgedRows, place: string, row: CorrectionRow, original: Original): void {
  const { corrected } = original;
  const judgement = judgeCorrection({ ...row, original: readableCells(original.rawText), corrected });
  switch (judgement.kind) {
    case 'unchanged':
      judged.unchanged += 1;
      if (judgement.renoted.length > 0) judged.remarks.push(`${place}: ${remarkAbout(judgement.renoted)}`);
      return;
    case 'stored':
      judged.alreadyCorrected += 1;
      return;
    case 'conflict':
      judged.conflicts.push(
        `${place}: ${original.correctedBy ?? ''} corrected this row on ${original.correctedOn ?? ''} with other cells.`,
      );
      return;
    case 'invalid':
      judged.problems.push(...judgement.problems.map((problem) => `${place}: ${problem}`));
      return;
    case 'valid': {
      const refusal = refusalOf(original);
      if (refusal !== null) judged.problems.push(`${place}: ${refusal}`);
      else judged.valid.push({ row, original, cells: judgement.cells });
    }
  }
}

function remarkAbout(renoted: readonly RenotedCell[]): string {
  const names = renoted.map(({ name }) => name).join(', ');
  const advice = renoted.some(({ isRight }) => isRight)
    ? confirmAdvice
    : 'If you corrected it, format the cell as text and write it again.';
  return `${names} came back in another notation only, so the row counts as unchanged. ${advice}`;
}

/** Why no row of the file can be corrected; null when it can. */
function refusalOf({ name, status, withdrawn }: Original): string | null {
  if (status === 'retired') return `the records of ${name} were retired.`;
  return withdrawn ? `${name} is withdrawn; restore it first.` : null;
}

const keyOf = (row: { readonly sha256: string; readonly originalLine: number }) =>
  `${row.sha256}:${row.originalLine}`;

async function readOriginals(tx: Tx, rows: readonly CorrectionRow[]): Promise<ReadonlyMap<string, Original>> {
  const found = await tx<Original[]>`
    select f.id as "fileId", f.name, f.sha256, q.line, f.status, q.raw_text as "rawText", c.cells as corrected,
      c.author as "correctedBy", c.decided_on::text as "correctedOn",
      coalesce((select w.kind = 'withdraw' from file_withdrawals w where w.file_id = f.id
        order by w.number desc limit 1), false) as withdrawn
    from unnest(${rows.map(({ sha256 }) => sha256)}::text[],
      ${rows.map(({ originalLine }) => originalLine.toString())}::integer[]) as given (sha256, line)
    join settlement_files f on f.sha256 = given.sha256 collate "C"
    join rejected_rows q on q.file_id = f.id and q.line = given.line
    left join row_corrections c on c.file_id = q.file_id and c.line = q.line`;
  return new Map(found.map((original) => [`${original.sha256}:${original.line}`, original]));
}

/** Rows of one statement: ten values each, and the protocol allows 65,535. */
const batchRows = 2000;

async function store(
  tx: Tx,
  valid: readonly ValidRow[],
  table: FilledInTable,
  { author, asOf, now }: Correcting,
): Promise<void> {
  const decidedAt = new Date(now).toISOString();
  const rows = valid.map(({ row, original, cells }) => ({
    file_id: original.fileId,
    line: original.line,
    cells: tx.json(cells),
    settlement_date: cells[settlementDate] ?? '',
    author,
    decided_on: asOf,
    decided_at: decidedAt,
    sheet_name: table.name,
    sheet_sha256: table.sha256,
    sheet_line: row.line,
  }));
  for (let from = 0; from < rows.length; from += batchRows) {
    await tx`insert into row_corrections ${tx(rows.slice(from, from + batchRows))}`;
  }
  await appendAuditEvents(
    tx,
    author,
    valid.map(({ row, original, cells }) => ({
      action: 'row.corrected',
      subject: `${original.name}:${original.line}`,
      details: {
        file: original.sha256,
        line: original.line,
        // The cells may name a person, so the log has only their hash.
        cells: createHash('sha256').update(JSON.stringify(cells)).digest('hex'),
        decidedOn: asOf,
        sheet: table.name,
        sheetSha256: table.sha256,
        sheetLine: row.line,
      },
    })),
  );
}

function describe({ original, cells }: ValidRow): CorrectedRow {
  return {
    file: original.name,
    line: original.line,
    sha256: original.sha256,
    settlementDate: cells[settlementDate] ?? '',
    amount: cells[amount] ?? '',
    currency: cells[currency] ?? '',
  };
}
