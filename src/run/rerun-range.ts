import type { Archive } from '../archive/archive.js';
import { archiveOfTotals } from '../intake/fetch/fetch-sidecar.js';
import { giveBackRejected, rejectedFilesOfRange, runsOfFiles } from '../intake/unfinished-files.js';
import type { RegisteredFile } from '../intake/register-file.js';
import type { FileOutcome, RunOutcome } from '../outcome.js';
import { dateInZone, type CalendarDate } from '../values/calendar-date.js';
import { matchAndReport } from './match-and-report.js';
import { withRun, type ActiveRun } from './open-run.js';
import { refuseRemoved } from './refuse-removed.js';
import type { RunContext } from './run-context.js';
import { lastOutcomes, takeInArchived, takeInSources, type Intake } from './files/take-in-files.js';
import { withPackedNames } from './files/with-packed-names.js';

/** The range of a re-run (design 4.7). */
export interface RerunRequest {
  /** Settlement dates, both ends included. */
  readonly from: CalendarDate;
  readonly to: CalendarDate;
  /** Fetch new files from the sources first. */
  readonly fetch: boolean;
  readonly asOf: CalendarDate | null;
  readonly dryRun: boolean;
}

/**
 * Runs a range of settlement dates again (design 4.7). Rejected files of the range are tried again from the archive;
 * then the stored records are matched with the payments as they are now, assessed again and reported. Over
 * unchanged data it changes nothing.
 */
export async function rerunRange(context: RunContext, request: RerunRequest): Promise<RunOutcome> {
  const { from, to } = request;
  const asOf = request.asOf ?? dateInZone(context.clock(), context.timezone);
  const asked = {
    kind: 'rerun',
    asOf,
    range: { from, to },
    scheduledFor: null,
    dryRun: request.dryRun,
  } as const;
  return withRun(context, asked, async (run, ownContext) => {
    await refuseRemoved(ownContext, { kind: 'range', from, to, asOf });
    const rejected = await run.transact((tx) => rejectedFilesOfRange(tx, { from, to }, ownContext.timezone));
    const retried = await retryRejected(ownContext, run, await withBytes(ownContext, rejected));
    const intake: Intake = request.fetch
      ? await takeInSources(ownContext, run, ownContext.sources, new Set(rejected.map((file) => file.sha256)))
      : { files: [], sources: [], notices: [] };
    return matchAndReport(ownContext, run, {
      scope: { kind: 'range', from, to, asOf },
      files: lastOutcomes(retried, intake),
      sources: intake.sources,
      notices: intake.notices,
    });
  });
}

/** Leaves out the files whose bytes, or announced totals, retention removed: they stay rejected. */
async function withBytes(
  { archive, logger }: RunContext,
  files: readonly RegisteredFile[],
): Promise<RegisteredFile[]> {
  const found: RegisteredFile[] = [];
  for (const file of files) {
    if (!file.isRemoved || (await hasBytesOf(archive, file))) found.push(file);
    else {
      logger.warn(
        { source: file.source, file: file.name, sha256: file.sha256 },
        `This rejected file cannot be tried again: ${file.sidecar === null ? 'its bytes' : 'its bytes, or its announced totals,'} were removed from the archive, by the settings of retention. Give it to recon again with \`recon run --file\`${file.sidecar === null ? '' : ', with its totals beside it'}.`,
      );
    }
  }
  return found;
}

async function hasBytesOf(archive: Archive, { sha256, sidecar }: RegisteredFile): Promise<boolean> {
  return (await archive.has(sha256)) && (await archiveOfTotals([archive], sidecar)) !== undefined;
}

/** A file that is rejected again stays with the run that rejected it first: nothing has changed. */
async function retryRejected(
  context: RunContext,
  run: ActiveRun,
  files: readonly RegisteredFile[],
): Promise<FileOutcome[]> {
  const rejectedBefore = await run.transact((tx) => runsOfFiles(tx, files));
  const outcomes = await takeInArchived(context, run, files);
  for (const file of rejectedBefore) await run.transact((tx) => giveBackRejected(tx, file));
  return withPackedNames(run, outcomes);
}
