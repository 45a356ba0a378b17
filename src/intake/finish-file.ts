import type { Tx } from '../db/client.js';
import type { ReconError } from '../errors.js';
import type { FileRows } from '../outcome.js';
import { nameWithHash } from '../remote/file-names.js';
import type { Dates } from './tally-rows.js';
import type { FileId, RunId } from '../values/ids.js';

/** What identifies the file whose state is written. */
export interface FileIdentity {
  readonly id: FileId;
  readonly name: string;
  readonly sha256: string;
}

/** What was read of a file. */
export interface ReadRows {
  readonly rows: FileRows;
  /** Null if no row had a readable date. */
  readonly dates: Dates | null;
}

/** Marks the file as loaded, in the transaction that stores its rows. */
export async function markLoaded(
  tx: Tx,
  runId: RunId,
  file: FileIdentity,
  { rows, dates }: ReadRows,
): Promise<void> {
  const reportName = await findReportName(tx, file);
  await tx`
    update settlement_files set status = 'loaded', finished_run_id = ${runId}, report_name = ${reportName},
      rows_total = ${rows.total}, rows_accepted = ${rows.accepted}, rows_rejected = ${rows.rejected},
      rows_already_known = ${rows.alreadyKnown},
      first_settlement_date = ${dates?.first ?? null}, last_settlement_date = ${dates?.last ?? null},
      error_code = null, error_message = null
    where id = ${file.id}`;
}

/** Marks the file as rejected, with the reason. The dates let a re-run of its days try it again. */
export async function markRejected(
  tx: Tx,
  runId: RunId,
  file: FileIdentity,
  { rows, dates, reason }: ReadRows & { readonly reason: ReconError },
): Promise<void> {
  await tx`
    update settlement_files set status = 'rejected', finished_run_id = ${runId}, report_name = null,
      rows_total = ${rows.total}, rows_accepted = ${rows.accepted}, rows_rejected = ${rows.rejected},
      rows_already_known = ${rows.alreadyKnown},
      first_settlement_date = ${dates?.first ?? null}, last_settlement_date = ${dates?.last ?? null},
      error_code = ${reason.code}, error_message = ${reason.message}
    where id = ${file.id}`;
}

/** The name of the reconciled file: the file's own, or one made unique by its SHA-256 (design 6). */
async function findReportName(tx: Tx, file: FileIdentity): Promise<string> {
  const candidates = reportNames(file);
  const taken = await tx<{ report_name: string }[]>`
    select report_name from settlement_files where id <> ${file.id} and report_name in ${tx(candidates)}`;
  const free = candidates.find((name) => taken.every((row) => row.report_name !== name));
  if (free === undefined) throw new Error('another file has the same name and SHA-256');
  return free;
}

/** Names in order of preference; more digits are used only when another file already has the shorter name. */
function reportNames(file: { readonly name: string; readonly sha256: string }): string[] {
  return [file.name, ...[8, 16, 64].map((digits) => nameWithHash(file.name, file.sha256, digits))];
}
