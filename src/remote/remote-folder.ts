/** An entry of a source's folder, as its listing tells. */
export interface RemoteFile {
  /** As it is on the server, not necessarily fit for a terminal. */
  readonly name: string;
  readonly path: string;
  /** Null when the server does not tell. */
  readonly sizeBytes: number | null;
  readonly modifiedAtMs: number | null;
  /** Anything else (folder, link, pipe, device) is never opened. Null when the server does not tell. */
  readonly isRegular: boolean | null;
}

/**
 * Called with every piece of a file in its order; what it returns is waited for. The piece is only valid
 * until then.
 */
export type WriteChunk = (chunk: Buffer) => Promise<void>;

/** A configured source, before anybody connected to it. */
export interface RemoteSource {
  /** Tries per connection and per file; 1 where trying again cannot help. */
  readonly attempts: number;
  /** What its settings allow although it is unwise, in sentences for the log and for `recon doctor`. */
  readonly warnings: readonly string[];
  /** The same for sources that log in alike (`accountOf`); null where nobody logs in. */
  readonly account: string | null;
  /**
   * Connects; the signal ends every wait.
   *
   * @throws ReconError SOURCE_*.
   */
  open(signal: AbortSignal): Promise<RemoteFolder>;
}

/**
 * A folder from which files are fetched, over whatever protocol. Every method throws ReconError (SOURCE_* for
 * the source, FILE_* for the one file); a listing that fails is never an empty folder. Every wait has a
 * deadline and ends with the signal that the folder was opened with.
 */
export interface RemoteFolder {
  /**
   * Whether the listing and a look at one file take its time from the same place. FTP servers answer MLSD and
   * MDTM from different code, some of them in different time zones.
   */
  readonly listsExactTimes: boolean;
  list(): Promise<RemoteFile[]>;
  /** The file as it is now; undefined when it is not there any more. */
  stat(file: RemoteFile): Promise<RemoteFile | undefined>;
  /** Passes the bytes on. That it resolves does not mean that the file came whole: the caller counts. */
  download(file: RemoteFile, write: WriteChunk): Promise<void>;
  remove(file: RemoteFile): Promise<void>;
  /**
   * Moves a file to a folder of the same server, an absolute one or one below this. False when something of
   * that name lies there already, which is never overwritten.
   */
  move(file: RemoteFile, folder: string, name: string): Promise<boolean>;
  /** Never throws. */
  close(): Promise<void>;
}
