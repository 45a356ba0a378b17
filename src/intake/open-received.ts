import type { Archive } from '../archive/archive.js';
import { ReconError } from '../errors.js';
import { showName } from '../remote/file-names.js';
import { isSidecar, sidecarName } from '../remote/sidecar-names.js';
import type { OpenPgpSettings, SidecarSettings, UnpackLimits } from '../remote/source-settings.js';
import { mayStillWait, readSidecar, type ReceivedSidecar } from './fetch/fetch-sidecar.js';
import { unpack, type UnpackedFile } from './packed/unpack.js';
import type { FetchedFile } from './fetch/fetched-file.js';
import type { ArchivedBytes } from './register-file.js';

type Received = Extract<FetchedFile, { status: 'received' }>;

/** The settings of a source that decide how a received file is opened. */
export interface OpeningSettings {
  readonly name: string;
  readonly maximumSizeBytes: number;
  readonly unpack: UnpackLimits;
  readonly openpgp: OpenPgpSettings | null;
  readonly totals: SidecarSettings | null;
}

/** The contents of a received file. */
export interface Arrival {
  /** The file itself, or the settlement files inside it. */
  readonly files: readonly ArchivedBytes[];
  /** The packed file and all that is inside it; null for a plain file. */
  readonly packed: { readonly name: string; readonly files: readonly UnpackedFile[] } | null;
  /** The reason why the bytes cannot be unpacked; then `files` has only the packed file itself. */
  readonly rejected: ReconError | null;
}

/**
 * Opens a received file. A plain one is taken as it is; a packed one brings the settlement files inside it, which may
 * be accompanied by their totals. Damaged or unsafe bytes are kept, and rejected as one file.
 *
 * @throws ReconError FILE_PACKED_TOO_LARGE, FILE_DECRYPTION_FAILED, FILE_SIGNATURE_INVALID, FILE_NOT_ENCRYPTED,
 *   OPENPGP_MISSING, FILE_TOTALS_*; DISK_*
 */
export async function openReceived(
  fetched: Received,
  source: OpeningSettings,
  dependencies: { readonly archive: Archive; readonly stopIfInterrupted: () => void },
): Promise<Arrival> {
  const itself = { ...fetched, source: source.name };
  const bytes = dependencies.archive.bytes(fetched.sha256);
  try {
    const { maximumSizeBytes, openpgp } = source;
    const settings = { ...dependencies, ...source.unpack, maximumSizeBytes, openpgp };
    const inside = await unpack({ ...fetched, bytes }, settings);
    if (inside === undefined) return { files: [itself], packed: null, rejected: null };
    const files = await withTotals(fetched, source.totals, inside, dependencies.archive);
    return {
      files: files.map((file) => ({ ...itself, ...file })),
      packed: { name: fetched.name, files: inside },
      rejected: null,
    };
  } catch (thrown) {
    if (!(thrown instanceof ReconError) || thrown.of !== 'content') throw thrown;
    return { files: [itself], packed: null, rejected: thrown };
  }
}

/** Whether a file that was received without its totals may still get them. */
export function mayStillGetTotals(
  error: ReconError,
  fetched: Received,
  source: OpeningSettings,
  nowMs: number,
) {
  return error.code === 'FILE_TOTALS_MISSING' && mayStillWait(source.totals, fetched, nowMs);
}

type WithTotals = UnpackedFile & { readonly sidecar: ReceivedSidecar | null };

/** The settlement files inside, each with its totals: those inside, or those beside the packed file. */
async function withTotals(
  fetched: Received,
  totals: SidecarSettings | null,
  inside: readonly UnpackedFile[],
  archive: Archive,
): Promise<WithTotals[]> {
  const beside = fetched.sidecar;
  const isTotals = ({ name }: UnpackedFile) => totals !== null && isSidecar(totals.sidecar, name);
  const files = inside.filter((file) => !isTotals(file));
  if (files.length === 0) throw onlyTotals(fetched, inside);
  if (beside !== null && files.length > 1) {
    throw new ReconError(
      'FILE_TOTALS_INVALID',
      `${showName(beside.name)} announces the totals of one file, but ${showName(fetched.name)} contains ${files.length} settlement files. Nothing of it was loaded.`,
    );
  }
  const found: WithTotals[] = [];
  for (const file of files) {
    const own =
      totals === null
        ? undefined
        : inside.find(({ name }) => name === sidecarName(totals.sidecar, file.name));
    const sidecar = own ?? beside;
    if (sidecar === null && totals?.required === true) throw withoutTotals(fetched, file, totals);
    // Totals that cannot be read are reported before anything is stored.
    if (own !== undefined) await readSidecar(archive, own);
    found.push({
      ...file,
      sidecar: sidecar === null ? null : { name: sidecar.name, sha256: sidecar.sha256 },
    });
  }
  return found;
}

function onlyTotals({ name }: Received, inside: readonly UnpackedFile[]): ReconError {
  const [first, ...others] = inside.map((totals) => showName(totals.name));
  const names = `${first ?? ''}${others.length === 0 ? '' : ` and ${others.length} more`}`;
  return new ReconError(
    'FILE_PACKED_ENTRIES',
    `${showName(name)} contains announced totals (${names}), and not the settlement file. Nothing of it was loaded.`,
  );
}

function withoutTotals(fetched: Received, file: UnpackedFile, totals: SidecarSettings): ReconError {
  return new ReconError(
    'FILE_TOTALS_MISSING',
    `${showName(file.name)} in ${showName(fetched.name)} was not loaded, because ${showName(sidecarName(totals.sidecar, file.name))} with its totals is neither inside nor beside it.`,
  );
}
