import { ReconError } from './errors.js';

/**
 * Named points at which a test kills the process (SIGKILL, no clean-up) or pauses it (SIGSTOP), to prove that the next
 * run recovers. They do nothing unless armed, which only the command line does, from RECON_FAIL_AT. Each has a
 * description of its place; the tests walk this list.
 */
export const failPoints = {
  'lock.before': 'before the run lock is requested',
  'lock.after': 'the lock is held and the run is open',
  'leftovers.before': 'before the unfinished files of earlier runs are taken over',
  'leftovers.after': 'the unfinished files are taken over',
  'list.before': 'before a source is listed',
  'list.after': 'a source was listed',
  'download.before': 'the incoming file exists and is empty',
  'download.first-byte': 'the first bytes of a file arrived, none is written',
  'download.after': 'all bytes of a file arrived',
  'sync.before': 'before fsync of the incoming file',
  'sync.after': 'the incoming file is synced',
  'archive.before': 'before the incoming file is renamed into the archive',
  'archive.renamed': 'the file is in the archive, its folder is not synced',
  'archive.after': 'the file is in the archive',
  'encrypt.file': 'an archived file is written encrypted, and not in its place yet',
  'register.before': 'before an archived file gets its row',
  'register.after': 'the row of an archived file is committed',
  'load.before': 'before a file is loaded',
  'copy.before': 'before the rows of a file are copied',
  'copy.row': 'a row of a file is about to be copied, each counts',
  'copy.block': 'a block of rows is being sent to the database',
  'copy.after': 'all rows of a file are copied',
  'part.filled': 'the table of a large file is filled and has no index, each counts',
  'load.turn':
    'the rows of a file are stored but not committed, and it waits for the files before it, each counts',
  'part.added': 'that table is part of the records, each counts',
  'staging.before': 'before the rows of a file with known records are staged',
  'staging.copied': 'the rows are staged and not yet compared',
  'staging.after': 'the rows that are new are stored',
  'load.commit.before': 'before the load of a file is committed',
  'load.commit.after': 'the load of a file is committed',
  'worker.claimed': 'a worker has claimed a file and loads nothing of it yet, each counts',
  'worker.loaded': 'a worker has loaded a file and the run does not know yet, each counts',
  'worker.fetching': 'a worker has claimed a download and fetches nothing yet, each counts',
  'worker.fetched': 'a worker has archived a file and the run does not know yet, each counts',
  'dispose.before': 'before a remote file is moved or deleted',
  'dispose.after': 'the remote file is moved or deleted',
  'remember.after': 'the row of the remote file is committed',
  'match.before': 'before the matching begins',
  'match.records.after': 'every record has its status',
  'match.booking.before': 'chargebacks have their ids and are not booked',
  'match.booking.after': 'chargebacks are booked',
  'match.commit.before': 'before the matching is committed',
  'match.commit.after': 'the matching is committed',
  'publish.before': 'before the reports are started',
  'publish.file.before': 'before a report file is started, each counts',
  'publish.file.after': 'a report file is finished, each counts',
  'publish.manifest.before': 'every report is written, no manifest',
  'publish.manifest.after': 'the manifest is written',
  'publish.rename.before': 'before the report folder gets its name',
  'publish.aside.after': 'the former folder of the same name is moved aside',
  'publish.rename.after': 'the report folder has its name',
  'publish.after': 'the report folder is synced',
  'close.before': 'before the run is closed',
  'close.after': 'the run is closed',
  'purge.commit.before': 'the rows of a purge are removed, and nothing is committed',
  'purge.commit.after': 'the rows of a purge are removed, and its files are still there',
  'purge.bytes': 'archived bytes are deleted, each counts',
  'purge.aside': 'a report folder that is removed has another name, and all its files',
  'purge.reports': 'a report folder is removed, each counts',
  'deliver.file.after': 'a file of a report is at the place it is delivered to, each counts',
  'deliver.manifest.after': 'the whole report is there under its temporary name',
  'deliver.aside.after': 'the report that was delivered before is moved aside',
  'deliver.rename.after': 'the delivered report has its name, the database does not know yet',
  'move.table': 'the rows of a table are copied into another database and not committed, each counts',
  'shard.prepared': 'the database of a new shard is prepared, and the home database does not know yet',
  'divide.table': 'the rows of a table are on the shards and not committed, each counts',
  'divide.commit.before': 'the rows on the shards are verified, and nothing is committed',
  'divide.commit.after': 'the division is committed, and the shards do not know yet',
  'move.marked': 'the old database is marked as moved, the new one is not yet in use',
  'move.complete': 'the new database is in use and has no statistics for the planner yet',
} as const satisfies Record<string, string>;

/** A boundary between two steps at which a test ends the process. */
export type FailPoint = keyof typeof failPoints;

interface ArmedPoint {
  readonly name: FailPoint;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  remaining: number;
}

let armed: ArmedPoint | undefined;

/**
 * Arms one point: `name`, `name:n` for the n-th time that it is passed, `name:n:stop` to pause there until SIGCONT.
 * Undefined disarms.
 *
 * @throws ReconError USAGE_INVALID.
 */
export function armFailPoint(specification: string | undefined): void {
  armed = specification === undefined ? undefined : parseSpecification(specification);
}

/** Dies or pauses here when this point is armed and its turn has come. */
export function failPoint(name: FailPoint): void {
  if (armed?.name !== name) return;
  armed.remaining -= 1;
  if (armed.remaining === 0) process.kill(process.pid, armed.signal);
}

function parseSpecification(specification: string): ArmedPoint {
  const [name = '', count = '1', action = 'kill', ...rest] = specification.split(':');
  if (!isFailPoint(name)) {
    throw new ReconError(
      'USAGE_INVALID',
      `RECON_FAIL_AT names no fail point: "${name}". There are: ${Object.keys(failPoints).join(', ')}.`,
    );
  }
  if (!/^[1-9]\d{0,8}$/.test(count)) {
    throw new ReconError('USAGE_INVALID', `RECON_FAIL_AT counts from 1 in whole numbers, not "${count}".`);
  }
  if ((action !== 'kill' && action !== 'stop') || rest.length > 0) {
    throw new ReconError(
      'USAGE_INVALID',
      `RECON_FAIL_AT is name, name:n or name:n:stop, not "${specification}".`,
    );
  }
  return { name, remaining: Number(count), signal: action === 'kill' ? 'SIGKILL' : 'SIGSTOP' };
}

const isFailPoint = (name: string): name is FailPoint => Object.hasOwn(failPoints, name);
