import type { Logger } from 'pino';
import type { Archive } from '../../archive/archive.js';
import type { ReconError } from '../../errors.js';
import type { RefusedLogins } from '../../remote/refused-logins.js';
import type { RemoteFile } from '../../remote/remote-folder.js';
import type { ReceivedSidecar } from './fetch-sidecar.js';
import type { ReceivedBytes } from './receive-file.js';
import type { Progress } from '../../progress.js';

/** A file that is to be downloaded, here or by a worker. */
export interface Download {
  readonly file: RemoteFile;
  readonly maximumSizeBytes: number;
  readonly minimumAgeMs: number;
}

/** Shares the downloads of a source with workers. */
export interface SharedReceiving {
  /** Looks for a worker that downloads from the source. `receive` does so too, because one may come later. */
  look(): Promise<void>;
  /** Whether there was one at the last look. */
  isShared(): boolean;
  /**
   * Returns the bytes that arrived and are in the archive. `here` downloads the file in this process; its failure is
   * thrown.
   */
  receive(download: Download, here: () => Promise<ReceivedBytes>): Promise<ReceivedBytes>;
  /** Gives up the downloads that are waited for. */
  giveUp(): void;
}

/** What is known of a remote file. */
export interface KnownRemoteFile {
  readonly sha256: string;
  /** The error code with which the file, or all that was inside it, was rejected; null for others. */
  readonly rejectedFor: string | null;
  /** Whether everything in it was loaded: nothing of it was rejected. */
  readonly isLoaded: boolean;
}

/** A remote file as it was listed. */
export interface FileSeen {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

/** What fetching needs from outside. */
export interface FetchDependencies {
  readonly archive: Archive;
  readonly clock: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly logger: Logger;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Shared by the whole run, so that no source repeats a refused login. */
  readonly refusedLogins: RefusedLogins;
  /**
   * Which of these remote files are known by size and time, so that they need not be fetched again; by path. All files
   * of a listing are asked for at once: those that stay at the source are listed in every run.
   */
  readonly knownFiles: (files: readonly FileSeen[]) => Promise<ReadonlyMap<string, KnownRemoteFile>>;
  /** Lets workers download files too; without it, this process downloads all. */
  readonly shared?: SharedReceiving | undefined;
  /** Called with the names of listed sidecars whose settlement file is not there, if there are any. */
  readonly totalsWithoutFile?: (names: readonly string[]) => void;
  /** Called when the last file was fetched, while the connection is still open. */
  readonly allFetched?: () => Promise<void>;
}

/**
 * Moves or deletes the remote file as its source is configured. A file that was replaced meanwhile stays.
 *
 * @returns why files were left where they are: a sentence for each
 */
export type Dispose = () => Promise<readonly string[]>;

/** The result of fetching one file of a source. */
export type FetchedFile =
  | {
      readonly status: 'received';
      readonly name: string;
      readonly remotePath: string;
      readonly sha256: string;
      readonly sizeBytes: number;
      readonly modifiedAtMs: number | null;
      /** Unchanged for long enough that size and time alone identify it next time. */
      readonly stable: boolean;
      /** Announces the totals of the file; null when there is none. */
      readonly sidecar: ReceivedSidecar | null;
      readonly receivedAtMs: number;
      readonly dispose: Dispose;
    }
  | ({ readonly status: 'known'; readonly name: string; readonly dispose: Dispose } & KnownRemoteFile)
  | { readonly status: 'deferred' | 'failed'; readonly name: string; readonly error: ReconError };
