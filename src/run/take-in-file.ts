import type { Dispose, FetchedFile } from '../intake/fetched-file.js';
import {
  mayStillGetTotals,
  openReceived,
  type Arrival,
  type OpeningSettings,
} from '../intake/open-received.js';
import type { LoadSettings } from '../intake/load-archived.js';
import { archiveOfTotals, type ReceivedSidecar } from '../intake/fetch-sidecar.js';
import { filesInside, rememberPacked } from '../intake/packed/packed-files.js';
import { isToLoad, registerFile, rememberRemoteFile, type RegisteredFile } from '../intake/register-file.js';
import { showName, storedName } from '../remote/file-names.js';
import { isFetchFailure, isSourceFailure, ReconError } from '../errors.js';
import { failPoint } from '../fail-point.js';
import { noRows, type FileOutcome } from '../outcome.js';
import type { FileBeingStored } from './files-being-stored.js';
import { stopIfInterrupted } from './run-interruption.js';
import type { LeftFile } from './left-at-source.js';
import { noteOfOtherTotals } from './note-other-totals.js';
import type { ActiveRun } from './open-run.js';
import type { RunContext } from './run-context.js';
import { startFile, type StartedFile } from './start-file.js';
import { duplicate, markUnpackable, reportUnpackable } from './store-file.js';

/** The settings of a source that storing its files depends on. */
export type TakenSource = LoadSettings & OpeningSettings;

/** A source whose files a run takes in. */
export interface SourceOfRun {
  readonly context: RunContext;
  readonly run: ActiveRun;
  readonly source: TakenSource;
  /** The SHA-256 of files that the run reports before it fetches any: a fetched file that is among them is left out. */
  readonly alreadyReported: ReadonlySet<string>;
}

type Received = Extract<FetchedFile, { status: 'received' }>;

/** Begins to store the settlement files of one fetched file. A file that is not stored has its outcome at once. */
export async function takeInFile(from: SourceOfRun, fetched: FetchedFile): Promise<FileBeingStored> {
  if (fetched.status === 'received') return takeInReceived(from, fetched);
  if (fetched.status !== 'known') {
    const { status, error } = fetched;
    return ready(from.run.loads.inTurn(() => [notStored(from, fetched, status, error)]));
  }
  const outcomes = (await isReported(from, fetched.sha256))
    ? []
    : [duplicate(from.source.name, named(fetched), fetched.rejectedFor)];
  return { ...ready(Promise.resolve(outcomes)), finish: () => disposeIfLoaded(from, fetched) };
}

/** Whether the run already reports the file, or one that was inside it. */
async function isReported({ run, alreadyReported }: SourceOfRun, sha256: string): Promise<boolean> {
  if (alreadyReported.size === 0) return false;
  const inside = await run.transact((tx) => filesInside(tx, sha256));
  return [sha256, ...inside].some((each) => alreadyReported.has(each));
}

function ready(stored: Promise<readonly FileOutcome[]>): FileBeingStored {
  return { stored, finish: () => Promise.resolve([]) };
}

async function takeInReceived(from: SourceOfRun, fetched: Received): Promise<FileBeingStored> {
  const { run, source, alreadyReported } = from;
  const arrival = await open(from, fetched);
  if ('problem' in arrival) {
    const { status, problem } = arrival;
    return ready(run.loads.inTurn(() => [notStored(from, fetched, status, problem)]));
  }
  const registered = await register(from, fetched, arrival);
  const packedIn = arrival.packed === null ? {} : { packedIn: arrival.packed.name };
  const reported: ReportedFile[] = [];
  const begun = new Map<string, Promise<FileOutcome>>();
  let isLoaded = true;
  for (const { file, name, sidecar } of registered) {
    stopIfInterrupted(run.signal);
    isLoaded &&= isToLoad(file) || file.errorCode === null;
    const twin = begun.get(file.sha256);
    if (twin !== undefined) reported.push({ name, outcome: twin, isTwin: true });
    else if (isToLoad(file)) {
      await run.loads.room();
      const { stored } = await startToStore(from, file, arrival.rejected);
      begun.set(file.sha256, stored);
      reported.push({ name, outcome: stored, isTwin: false });
    } else if (!alreadyReported.has(file.sha256)) {
      const rejectedFor = file.status === 'rejected' ? file.errorCode : null;
      const known = duplicate(source.name, { name, sha256: file.sha256 }, rejectedFor);
      const note = await noteOfOtherTotals(from, file, sidecar);
      reported.push({ name, outcome: Promise.resolve({ ...known, ...note }), isTwin: false });
    }
  }
  return {
    stored: Promise.all(
      reported.map(async (each) => ({
        ...(await outcomeOf(each)),
        source: source.name,
        name: each.name,
        ...packedIn,
      })),
    ),
    finish: (outcomes) => finishRemoteFile(from, { ...fetched, isLoaded }, outcomes),
  };
}

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

/** With the names that are stored and reported. */
function toStore({ files, packed, rejected }: Arrival): Arrival {
  return {
    files: files.map((file) => ({
      ...named(file),
      sidecar: file.sidecar === null ? null : named(file.sidecar),
    })),
    packed: packed === null ? null : { ...named(packed), files: packed.files.map(named) },
    rejected,
  };
}

function named<Named extends { readonly name: string }>(file: Named): Named {
  return { ...file, name: storedName(file.name) };
}

/** A settlement file that arrived, with the row that it has now or had already. */
interface ArrivedFile {
  readonly file: RegisteredFile;
  /** The name and the announced totals with which it came this time. */
  readonly name: string;
  readonly sidecar: ReceivedSidecar | null;
}

/** Finds or creates the rows of the files that arrived. */
async function register(
  { context, run }: SourceOfRun,
  fetched: Received,
  { files, packed, rejected }: Arrival,
): Promise<ArrivedFile[]> {
  // The same bytes under another name are known once they are loaded.
  for (const { sha256 } of files) await run.loads.finished(sha256);
  failPoint('register.before');
  const registered = await run.transact(async (tx) => {
    const found: ArrivedFile[] = [];
    for (const bytes of files) {
      const file = await registerFile(tx, run.id, bytes, context.largeFileBytes);
      // In the same transaction: the next run of one that dies here would read the packed bytes as rows.
      if (rejected !== null && isToLoad(file)) await markUnpackable(tx, run.id, file, rejected);
      found.push({ file, name: bytes.name, sidecar: bytes.sidecar });
    }
    if (packed !== null)
      await rememberPacked(tx, { name: packed.name, sha256: fetched.sha256 }, packed.files);
    return found;
  });
  failPoint('register.after');
  return registered;
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
    return { stored: run.loads.inTurn(() => ({ ...notStored(from, file, 'failed', problem), sha256 })) };
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

/** The reason why nothing of the received bytes can be stored. */
interface NotOpened {
  readonly status: 'deferred' | 'failed';
  readonly problem: ReconError;
}

/** The settlement files in the received bytes. */
async function open({ context, run, source }: SourceOfRun, fetched: Received): Promise<Arrival | NotOpened> {
  try {
    const arrival = await openReceived(fetched, source, {
      archive: run.archive,
      stopIfInterrupted: () => stopIfInterrupted(run.signal),
    });
    return toStore(arrival);
  } catch (thrown) {
    if (!isFetchFailure(thrown)) throw thrown;
    const waits = mayStillGetTotals(thrown, fetched, source, context.clock());
    return { status: waits ? 'deferred' : 'failed', problem: thrown };
  }
}

/**
 * Disposes of a remote file once everything in it is stored, and remembers it, so that the next listing identifies it.
 * Returns the files that were left at the source.
 */
async function finishRemoteFile(
  from: SourceOfRun,
  fetched: Received & { readonly isLoaded: boolean },
  outcomes: readonly FileOutcome[],
): Promise<readonly LeftFile[]> {
  const isLoaded =
    fetched.isLoaded && outcomes.every(({ status }) => status === 'loaded' || status === 'duplicate');
  const left = await disposeIfLoaded(from, { ...fetched, isLoaded });
  if (!fetched.stable || fetched.modifiedAtMs === null) return left;
  const { remotePath, sizeBytes, modifiedAtMs, sha256 } = fetched;
  // A path with a card number is not stored: the file is fetched again, and known by its bytes.
  if (storedName(remotePath) !== remotePath) return left;
  const { run, source } = from;
  await run.transact((tx) =>
    rememberRemoteFile(tx, { source: source.name, path: remotePath, sizeBytes, modifiedAtMs, sha256 }),
  );
  failPoint('remember.after');
  return left;
}

function notStored(
  { context, source }: SourceOfRun,
  { name }: { readonly name: string },
  status: 'deferred' | 'failed',
  { code, message }: ReconError,
): FileOutcome {
  // A failed file is an error, which --quiet prints too; a deferred one is taken by a later run.
  const level = status === 'failed' ? 'error' : 'warn';
  context.logger[level]({ source: source.name, file: name, code }, message);
  return { source: source.name, name, sha256: null, status, error: { code, message }, rows: noRows };
}

/**
 * Moves or deletes the remote file as its source asks, unless something in it was rejected: that stays until somebody
 * corrects it. A refusal is not a failure of the run: the bytes are archived and known, so the next run reports the
 * file as a duplicate. Returns the files that were left at the source.
 */
async function disposeIfLoaded(
  { context, run, source: { name: source } }: SourceOfRun,
  fetched: { readonly name: string; readonly dispose: Dispose; readonly isLoaded: boolean },
): Promise<readonly LeftFile[]> {
  if (run.dryRun || !fetched.isLoaded) return [];
  try {
    failPoint('dispose.before');
    const left = await fetched.dispose();
    failPoint('dispose.after');
    return left.map((why) => ({ source, why }));
  } catch (thrown) {
    if (!isSourceFailure(thrown)) throw thrown;
    context.logger.warn({ source, file: fetched.name, code: thrown.code }, thrown.message);
    const name = showName(fetched.name);
    const why = thrown.message.includes(name) ? thrown.message : `${name}: ${thrown.message}`;
    return [{ source, why }];
  }
}
