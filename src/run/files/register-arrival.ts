import type { FetchedFile } from '../../intake/fetch/fetched-file.js';
import type { ReceivedSidecar } from '../../intake/fetch/fetch-sidecar.js';
import { mayStillGetTotals, openReceived, type Arrival } from '../../intake/open-received.js';
import { rememberPacked } from '../../intake/packed/packed-files.js';
import { isToLoad, registerFile, type RegisteredFile } from '../../intake/register-file.js';
import { storedName } from '../../remote/file-names.js';
import { isFetchFailure, type ReconError } from '../../errors.js';
import { failPoint } from '../../fail-point.js';
import { stopIfInterrupted } from '../run-interruption.js';
import type { SourceOfRun } from './source-of-run.js';
import { markUnpackable } from './store-file.js';

type Received = Extract<FetchedFile, { status: 'received' }>;

/** A settlement file that arrived, with the row that it has now or had already. */
interface ArrivedFile {
  readonly file: RegisteredFile;
  /** The name and the announced totals with which it came this time. */
  readonly name: string;
  readonly sidecar: ReceivedSidecar | null;
}

/** The settlement files that arrived in one fetched file. */
export interface ArrivedFiles {
  readonly files: readonly ArrivedFile[];
  /** The name of the packed file that they were in; null for a plain file. */
  readonly packedIn: string | null;
  /** Why the bytes cannot be unpacked; then `files` has only the packed file itself. */
  readonly rejected: ReconError | null;
}

/** A fetched file of which nothing can be stored now, and why. */
export type NotStored = Extract<FetchedFile, { status: 'deferred' | 'failed' }>;

/** Opens the received bytes, and finds or creates the rows of the settlement files in them. */
export async function registerArrival(
  from: SourceOfRun,
  fetched: Received,
): Promise<ArrivedFiles | NotStored> {
  const arrival = await open(from, fetched);
  if ('error' in arrival) return arrival;
  const files = await register(from, fetched, arrival);
  return { files, packedIn: arrival.packed?.name ?? null, rejected: arrival.rejected };
}

/** The settlement files in the received bytes. */
async function open({ context, run, source }: SourceOfRun, fetched: Received): Promise<Arrival | NotStored> {
  try {
    const arrival = await openReceived(fetched, source, {
      archive: run.archive,
      stopIfInterrupted: () => stopIfInterrupted(run.signal),
    });
    return withStoredNames(arrival);
  } catch (thrown) {
    if (!isFetchFailure(thrown)) throw thrown;
    const waits = mayStillGetTotals(thrown, fetched, source, context.clock());
    return { status: waits ? 'deferred' : 'failed', name: fetched.name, error: thrown };
  }
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

/** With the names that are stored and reported: without card numbers. */
function withStoredNames({ files, packed, rejected }: Arrival): Arrival {
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
