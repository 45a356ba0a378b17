/** An entry of a source's folder, as the server lists it. */
export interface RemoteFile {
  /** As it is on the server; it may be unsafe for a terminal. */
  readonly name: string;
  readonly path: string;
  /** Null when the server does not report it. */
  readonly sizeBytes: number | null;
  readonly modifiedAtMs: number | null;
  /** Anything else (folder, link, pipe, device) is never opened. Null when the server does not report it. */
  readonly isRegular: boolean | null;
}

/**
 * Called with every piece of a file in order; its promise is awaited. The piece is valid only until it resolves.
 */
export type WriteChunk = (chunk: Buffer) => Promise<void>;

/** A configured source, not yet connected. */
export interface RemoteSource {
  /** Tries per connection and per file; 1 where trying again cannot help. */
  readonly attempts: number;
  /** Warnings about insecure settings, in sentences for the log and for `recon doctor`. */
  readonly warnings: readonly string[];
  /** The same for sources with the same login (`accountOf`); null where there is no login. */
  readonly account: string | null;
  /**
   * Connects; the signal ends every wait.
   *
   * @throws ReconError SOURCE_*.
   */
  open(signal: AbortSignal): Promise<RemoteFolder>;
}

/**
 * A folder from which files are fetched, over any protocol. Every method throws ReconError (SOURCE_* for
 * the source, FILE_* for one file); a failed listing is never returned as an empty folder. Every wait over a network
 * has a deadline and ends with the signal that the folder was opened with.
 */
export interface RemoteFolder {
  /**
   * Whether the listing and `stat` take a file's time from the same place. FTP servers answer MLSD and MDTM from
   * different code, some of them in different time zones.
   */
  readonly listsExactTimes: boolean;
  list(): Promise<RemoteFile[]>;
  /** The file as it is now; undefined when it no longer exists. */
  stat(file: RemoteFile): Promise<RemoteFile | undefined>;
  /** Passes the bytes on. When it resolves, the file may still be incomplete: the caller counts the bytes. */
  download(file: RemoteFile, write: WriteChunk): Promise<void>;
  remove(file: RemoteFile): Promise<void>;
  /**
   * Moves a file to a folder of the same server, absolute or relative to this one. Returns false when that name already
   * exists there; it is never overwritten.
   */
  move(file: RemoteFile, folder: string, name: string): Promise<boolean>;
  /**
   * Checks that the folder of {@link move} exists.
   *
   * @throws ReconError SOURCE_LISTING.
   */
  requireFolder(folder: string): Promise<void>;
  /** Never throws. */
  close(): Promise<void>;
}
