import type { Archive } from '../../archive/archive.js';
import { onDisk } from '../../disk/disk-errors.js';
import { ReconError } from '../../errors.js';
import { showName } from '../../remote/file-names.js';
import type { RemoteFile } from '../../remote/remote-folder.js';
import { sidecarName } from '../../remote/sidecar-names.js';
import type { SidecarSettings } from '../../remote/source-settings.js';
import { largestSidecarBytes, parseTotals, type AnnouncedTotals } from '../announced-totals.js';
import { isNameOfZip, probableNameInside } from '../packed/layer.js';
import type { ReceivedBytes } from './receive-file.js';

/** A sidecar whose bytes are in the archive. */
export interface ReceivedSidecar {
  readonly name: string;
  readonly sha256: string;
}

/** A sidecar in the listing of its source. */
export interface FoundSidecar extends ReceivedSidecar {
  readonly file: RemoteFile;
  readonly received: ReceivedBytes;
}

/** What fetching a sidecar needs. */
export interface SidecarDependencies {
  readonly archive: Archive;
  /** The regular files of the listing, by name. */
  readonly listed: ReadonlyMap<string, RemoteFile>;
  /** Receives a listed file that is old enough, and archives its bytes. */
  readonly receive: (file: RemoteFile) => Promise<ReceivedBytes>;
}

/**
 * Fetches the sidecar of a settlement file, before the file itself.
 *
 * @returns null when there is none and none is required
 * @throws ReconError FILE_TOTALS_MISSING, FILE_TOTALS_INVALID; see `receiveFile`
 */
export async function fetchSidecar(
  settings: SidecarSettings,
  settlementFile: RemoteFile,
  dependencies: SidecarDependencies,
): Promise<FoundSidecar | null> {
  const names = sidecarNames(settings, settlementFile.name);
  const [name = ''] = names;
  const file = names.flatMap((each) => dependencies.listed.get(each) ?? [])[0];
  if (file === undefined) {
    // A ZIP archive may contain the totals, which shows when it is opened.
    if (!settings.required || isNameOfZip(settlementFile.name)) return null;
    throw new ReconError(
      'FILE_TOTALS_MISSING',
      `${showName(settlementFile.name)} was not fetched, because ${showName(name)} with its totals is not there.`,
    );
  }
  if (file.sizeBytes !== null && file.sizeBytes > largestSidecarBytes) throw tooLarge(file.name);
  const received = await dependencies.receive(file);
  if (received.sizeBytes > largestSidecarBytes) throw tooLarge(file.name);
  const sidecar = { name: file.name, sha256: received.sha256, file, received };
  // A sidecar that cannot be read is reported here, before its settlement file is transferred.
  await readSidecar(dependencies.archive, sidecar);
  return sidecar;
}

/** The names that the sidecar of a file may have: for `a.csv.gz`, that name and `a.csv` both have one. */
export function sidecarNames({ sidecar }: Pick<SidecarSettings, 'sidecar'>, fileName: string): string[] {
  return [...new Set([fileName, probableNameInside(fileName)])].map((name) => sidecarName(sidecar, name));
}

/**
 * Whether a file without its sidecar still waits. When a server reports no times, it waits without limit.
 */
export function mayStillWait(
  settings: SidecarSettings | null,
  file: Pick<RemoteFile, 'modifiedAtMs'>,
  nowMs: number,
): boolean {
  if (settings === null || file.modifiedAtMs === null) return true;
  return nowMs - file.modifiedAtMs < settings.waitHours * 3_600_000;
}

/**
 * The archive that has the totals of a file. In a dry run, those that came earlier are not in its temporary archive.
 * Retention removes those of a rejected file with its bytes, and the file itself may come again without them.
 *
 * @returns the first of these archives, if the file has no totals; undefined if none of the archives has them
 */
export async function archiveOfTotals(
  archives: readonly [Archive, ...Archive[]],
  sidecar: ReceivedSidecar | null,
): Promise<Archive | undefined> {
  if (sidecar === null) return archives[0];
  for (const archive of archives) if (await archive.has(sidecar.sha256)) return archive;
  return undefined;
}

/** The totals in an archived sidecar. */
export async function readSidecar(archive: Archive, sidecar: ReceivedSidecar): Promise<AnnouncedTotals> {
  const text = await onDisk(`read ${archive.pathOf(sidecar.sha256)}`, () =>
    archive.bytes(sidecar.sha256).part(0, largestSidecarBytes + 1),
  );
  // One that was inside a packed file has not been measured yet.
  if (text.length > largestSidecarBytes) throw tooLarge(sidecar.name);
  return parseTotals(sidecar.name, text);
}

function tooLarge(name: string): ReconError {
  return new ReconError(
    'FILE_TOTALS_INVALID',
    `${showName(name)} has more than ${largestSidecarBytes / 1024} KiB, so it contains no announced totals. The settlement file was not loaded.`,
  );
}
