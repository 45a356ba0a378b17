import type { FetchedFile } from '../../intake/fetch/fetched-file.js';
import { archiveOfTotals } from '../../intake/fetch/fetch-sidecar.js';
import { filesInside } from '../../intake/packed/packed-files.js';
import { isToLoad, type RegisteredFile } from '../../intake/register-file.js';
import { showName, storedName } from '../../remote/file-names.js';
import { ReconError } from '../../errors.js';
import { noRows, type FileOutcome } from '../../outcome.js';
import type { FileBeingStored } from './files-being-stored.js';
import { disposeIfLoaded, finishRemoteFile } from './finish-remote-file.js';
import { noteOfOtherTotals } from './note-other-totals.js';
import { registerArrival, type ArrivedFiles, type NotStored } from './register-arrival.js';
import { stopIfInterrupted } from '../run-interruption.js';
import type { SourceOfRun } from './source-of-run.js';
import { startFile, type StartedFile } from './start-file.js';
import { duplicate, reportUnpackable } from './store-file.js';

/** Begins to store the settlement files of one fetched file. A file that is not stored has its outcome at once. */
export async function takeInFile(from: SourceOfRun, fetched: FetchedFile): Promise<FileBeingStored> {
  switch (fetched.status) {
    case 'known':
      return takeInKnown(from, fetched);
    case 'received': {
      const arrived = await registerArrival(from, fetched);
      if ('error' in arrived) return leaveOut(from, arrived);
      const { stored, isLoaded } = await startArrived(from, arrived);
      return {
        stored,
        finish: (outcomes) => finishRemoteFile(from, { ...fetched, isLoaded }, outcomes),
      };
    }
    default:
      return leaveOut(from, fetched);
  }
}

type Known = Extract<FetchedFile, { status: 'known' }>;

async function takeInKnown(from: SourceOfRun, fetched: Known): Promise<FileBeingStored> {
  const known = { name: storedName(fetched.name), sha256: fetched.sha256 };
  const outcomes = (await isReported(from, fetched.sha256))
    ? []
    : [duplicate(from.source.name, known, fetched.rejectedFor)];
  return { stored: Promise.resolve(outcomes), finish: () => disposeIfLoaded(from, fetched) };
}

/** Whether the run already reports the file, or one that was inside it. */
async function isReported({ run, alreadyReported }: SourceOfRun, sha256: string): Promise<boolean> {
  if (alreadyReported.size === 0) return false;
  const inside = await run.transact((tx) => filesInside(tx, sha256));
  return [sha256, ...inside].some((each) => alreadyReported.has(each));
}

function leaveOut(from: SourceOfRun, file: NotStored): FileBeingStored {
  return {
    stored: from.run.loads.inTurn(() => [notStored(from, file)]),
    finish: () => Promise.resolve([]),
  };
}

/** Begins to store each of the files that arrived together. `isLoaded`: none of them was rejected by an earlier run. */
async function startArrived(
  from: SourceOfRun,
  { files, packedIn, rejected }: ArrivedFiles,
): Promise<Pick<FileBeingStored, 'stored'> & { readonly isLoaded: boolean }> {
  const { run, source, alreadyReported } = from;
  const reported: ReportedFile[] = [];
  const begun = new Map<string, Promise<FileOutcome>>();
  for (const { file, name, sidecar } of files) {
    stopIfInterrupted(run.signal);
    const twin = begun.get(file.sha256);
    if (twin !== undefined) reported.push({ name, outcome: twin, isTwin: true });
    else if (isToLoad(file)) {
      await run.loads.room();
      const { stored } = await startToStore(from, file, rejected);
      begun.set(file.sha256, stored);
      reported.push({ name, outcome: stored, isTwin: false });
    } else {
      const rejectedFor = file.status === 'rejected' ? file.errorCode : null;
      const known = duplicate(source.name, { name, sha256: file.sha256 }, rejectedFor);
      const note = isWithoutEffect(file)
        ? withdrawnAlready(file)
        : await noteOfOtherTotals(from, file, sidecar);
      // What this run loaded from the archive is reported once, unless the totals that came now are others.
      if (alreadyReported.has(file.sha256) && note.note === undefined) continue;
      reported.push({ name, outcome: Promise.resolve({ ...known, ...note }), isTwin: false });
    }
  }
  const packed = packedIn === null ? {} : { packedIn };
  const outcomes = reported.map(async (each) => ({
    ...(await outcomeOf(each)),
    source: source.name,
    name: each.name,
    ...packed,
  }));
  return {
    stored: Promise.all(outcomes),
    isLoaded: files.every(({ file }) => isToLoad(file) || file.errorCode === null),
  };
}

/** Whether the bytes were loaded before and then withdrawn: whoever delivers them again may expect that they count. */
const isWithoutEffect = ({ status, isWithdrawn }: RegisteredFile) => status === 'loaded' && isWithdrawn;

const withdrawnAlready = ({ sha256 }: RegisteredFile) => ({
  note: `These bytes were loaded before, and their file was withdrawn: its records do not count. If they are to count again, restore it: \`recon files restore ${sha256.slice(0, 8)} --reason TEXT\`.`,
});

/** One of the files that arrived together. */
interface ReportedFile {
  readonly name: string;
  readonly outcome: Promise<FileOutcome>;
  /** The outcome is that of another name in the same packed file, which has the same bytes: they are stored once. */
  readonly isTwin: boolean;
}

async function outcomeOf({ name, outcome, isTwin }: ReportedFile): Promise<FileOutcome> {
  const stored = await outcome;
  const { source, sha256, status, error } = stored;
  if (!isTwin || sha256 === null) return stored;
  return duplicate(source, { name, sha256 }, status === 'rejected' && error !== null ? error.code : null);
}

/** Begins to store or reject a file, for which there is room. */
async function startToStore(
  from: SourceOfRun,
  file: RegisteredFile,
  rejected: ReconError | null,
): Promise<StartedFile> {
  const { context, run, source } = from;
  if (rejected === null) {
    const problem = await withoutTotals(from, file);
    if (problem === null) return startFile(context, run, file, { settings: source, archive: run.archive });
    const { sha256 } = file;
    return {
      stored: run.loads.inTurn(() => ({
        ...notStored(from, { status: 'failed', name: file.name, error: problem }),
        sha256,
      })),
    };
  }
  const stored = run.loads.start(file.sha256, async (turn) => {
    await turn.come();
    return reportUnpackable(context, file, rejected);
  });
  return { stored };
}

/** Why a rejected file that came again cannot be compared with its totals; null if it can. */
async function withoutTotals(
  { context, run }: SourceOfRun,
  { name, sidecar, isRemoved }: RegisteredFile,
): Promise<ReconError | null> {
  if (!isRemoved || sidecar === null) return null;
  if ((await archiveOfTotals([run.archive, context.archive], sidecar)) !== undefined) return null;
  return new ReconError(
    'FILE_TOTALS_MISSING',
    `${showName(name)} was not loaded, because ${showName(sidecar.name)} with its totals was removed from the archive, by the settings of retention. It must come again beside the file.`,
  );
}

function notStored({ context, source }: SourceOfRun, { status, name, error }: NotStored): FileOutcome {
  const { code, message } = error;
  // A failed file is an error, which --quiet prints too; a deferred one is taken by a later run.
  const level = status === 'failed' ? 'error' : 'warn';
  context.logger[level]({ source: source.name, file: name, code }, message);
  return { source: source.name, name, sha256: null, status, error: { code, message }, rows: noRows };
}
