import { appendAuditEvents } from '../db/audit-log/append-audit-events.js';
import type { Tx } from '../db/client.js';
import { ReconError } from '../errors.js';
import type { CalendarDate } from '../values/calendar-date.js';
import { isoMoment } from '../values/iso-moment.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';
import type { FileId } from '../values/ids.js';
import type { StoredFileStatus } from './register-file.js';

/** What a person decided about a whole file (design 4.8). */
export interface WithdrawalRequest {
  readonly kind: 'withdraw' | 'restore';
  /** Its name, its SHA-256, or the first eight digits (or more) of that. */
  readonly file: string;
  readonly reason: string;
  readonly author: string;
  /** ISO moment. */
  readonly decidedAt: string;
}

/** The file and its new state. The next run acts on it; that of a file without records holds at once. */
export interface WithdrawnFile {
  readonly fileId: FileId;
  readonly source: string;
  readonly name: string;
  /** Of its bytes, as 64 hexadecimal digits; the first eight are enough to name it. */
  readonly sha256: string;
  /** After a withdrawal was taken back, `loaded`, or `rejected` if the file was rejected as a whole. */
  readonly status: 'withdrawn' | 'loaded' | 'rejected';
  /** It was rejected as a whole, so it has no records. */
  readonly wasRejected: boolean;
  /** The settlement dates to re-run for it, both included; null if it has no records. */
  readonly firstSettlementDate: CalendarDate | null;
  /** See `firstSettlementDate`. */
  readonly lastSettlementDate: CalendarDate | null;
}

/** A stored file as its name or SHA-256 finds it. */
export interface NamedFile extends Omit<WithdrawnFile, 'status' | 'wasRejected'> {
  readonly status: StoredFileStatus;
  /** As the database writes it; see `isoMoment`. */
  readonly receivedAt: string;
  /** When retention removed its bytes, likewise; null if it did not. */
  readonly archiveRemovedAt: string | null;
}

/**
 * Withdraws a file, or takes that back: stores who decided it and why. Nothing else changes before the next run. A file
 * that was rejected as a whole can be withdrawn too: re-runs of its days then no longer try it.
 *
 * @throws ReconError FILE_NOT_KNOWN, FILE_NAME_AMBIGUOUS, FILE_NOT_LOADED, RECORDS_RETIRED, FILE_IS_WITHDRAWN or
 *   FILE_NOT_WITHDRAWN
 */
export async function withdrawFile(tx: Tx, request: WithdrawalRequest): Promise<WithdrawnFile> {
  // Two people who decide about one file at once: the second sees what the first did.
  await tx`lock table file_withdrawals in share row exclusive mode`;
  const { status, receivedAt: _r, archiveRemovedAt: _a, ...file } = await findNamedFile(tx, request.file);
  const called = `${file.name} (${file.sha256.slice(0, 8)})`;
  if (status === 'retired') {
    throw new ReconError('RECORDS_RETIRED', `The records of ${called} were retired.`);
  }
  if (status === 'received') {
    throw new ReconError('FILE_NOT_LOADED', `${called} is not loaded yet. The next run loads it.`);
  }
  const latest = await latestWithdrawal(tx, file.fileId);
  if (request.kind === 'withdraw' && latest?.kind === 'withdraw') {
    throw new ReconError('FILE_IS_WITHDRAWN', `${called} was withdrawn already, ${by(latest)}.`);
  }
  if (request.kind === 'restore' && latest?.kind !== 'withdraw') {
    const why =
      latest === undefined ? 'was never withdrawn' : `was withdrawn, and restored again ${by(latest)}`;
    throw new ReconError('FILE_NOT_WITHDRAWN', `${called} ${why}.`);
  }
  const reason = maskCardNumbers(request.reason);
  await tx`
    insert into file_withdrawals (file_id, kind, reason, author, decided_at)
    values (${file.fileId}, ${request.kind}, ${reason}, ${request.author}, ${request.decidedAt})`;
  await appendAuditEvents(tx, request.author, [
    {
      action: request.kind === 'withdraw' ? 'file.withdrawn' : 'file.restored',
      subject: file.name,
      details: { source: file.source, sha256: file.sha256, reason },
    },
  ]);
  return {
    ...file,
    status: request.kind === 'withdraw' ? 'withdrawn' : status,
    wasRejected: status === 'rejected',
  };
}

interface Withdrawal {
  readonly kind: 'withdraw' | 'restore';
  readonly author: string;
  readonly reason: string;
  readonly decidedAt: string;
}

async function latestWithdrawal(tx: Tx, fileId: FileId): Promise<Withdrawal | undefined> {
  const [row] = await tx<Withdrawal[]>`
    select kind, author, reason, decided_at as "decidedAt" from file_withdrawals
    where file_id = ${fileId} order by number desc limit 1`;
  return row;
}

const by = ({ author, decidedAt, reason }: Withdrawal) =>
  `by ${author} at ${isoMoment(decidedAt)} ("${reason}")`;

/** Shorter digits of a SHA-256 are taken for a name. */
const shaDigits = /^[0-9a-f]{8,64}$/i;

/**
 * The file that a person names: by its name, or by its SHA-256 or the first eight digits or more of it.
 *
 * @throws ReconError FILE_NOT_KNOWN; FILE_NAME_AMBIGUOUS, which lists the files
 */
export async function findNamedFile(tx: Tx, given: string): Promise<NamedFile> {
  const digits = shaDigits.test(given) ? given.toLowerCase() : null;
  const found = await tx<NamedFile[]>`
    select id as "fileId", source, name, sha256, status, received_at as "receivedAt",
      archive_removed_at as "archiveRemovedAt",
      first_settlement_date as "firstSettlementDate", last_settlement_date as "lastSettlementDate"
    from settlement_files
    where name in (${given}, ${maskCardNumbers(given)}) or ${digits === null ? tx`false` : tx`starts_with(sha256, ${digits})`}
    order by id`;
  const [file, ...others] = found;
  if (file === undefined) {
    throw new ReconError(
      'FILE_NOT_KNOWN',
      `No settlement file with the name or SHA-256 "${given}" was received.`,
    );
  }
  if (others.length === 0) return { ...file };
  const lines = found.map(
    ({ name, sha256, source, receivedAt, status }) =>
      `\n  ${sha256.slice(0, 8)}  ${name}, source ${source}, received ${isoMoment(receivedAt)}, ${status}`,
  );
  throw new ReconError('FILE_NAME_AMBIGUOUS', `"${given}" means ${found.length} files:${lines.join('')}`);
}
