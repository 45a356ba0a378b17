import type { AfterSuccess } from './source-settings.js';

/** A regular file in a source's folder, as its listing tells. */
export interface RemoteFile {
  /** As it is on the server, not necessarily fit for a terminal. */
  readonly name: string;
  readonly path: string;
  /** Null when the server does not tell. */
  readonly sizeBytes: number | null;
  readonly modifiedAtMs: number | null;
  /** Anything else (folder, link, pipe, device) is never opened. */
  readonly isRegular: boolean;
}

export interface Download {
  readonly signal: AbortSignal;
  /** Called with every piece of the file in its order; what it returns is waited for. */
  readonly write: (chunk: Buffer) => Promise<void>;
}

/**
 * A folder from which files are fetched, over whatever protocol. Every method throws ReconError (SOURCE_* for
 * the source, FILE_* for the one file); a listing that fails is never an empty folder.
 */
export interface RemoteFolder {
  list(): Promise<RemoteFile[]>;
  /** The file as it is now; undefined when it is not there any more. */
  stat(file: RemoteFile): Promise<RemoteFile | undefined>;
  /** Passes the bytes on. That it resolves does not mean that the file came whole: the caller counts. */
  download(file: RemoteFile, download: Download): Promise<void>;
  settle(file: RemoteFile, afterSuccess: AfterSuccess): Promise<void>;
  /** Never throws. */
  close(): Promise<void>;
}
