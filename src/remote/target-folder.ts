/**
 * A folder that reports are delivered to, over any protocol. Paths are relative to it, with `/`. Every method throws
 * ReconError: REPORT_UNDELIVERED when the place refuses, SOURCE_* for the connection. Every wait over a network has a
 * deadline and ends with the signal that the folder was opened with.
 */
export interface TargetFolder {
  /** For messages: `delivery target finance (/mnt/finance)`. */
  readonly where: string;
  /** Whether anything has this path. */
  exists(at: string): Promise<boolean>;
  /** The size of a file; undefined if there is no file of this path. */
  size(at: string): Promise<number | undefined>;
  /** The bytes of a file of at most this size; undefined if there is none. */
  read(at: string, maximumBytes: number): Promise<Buffer | undefined>;
  /** Creates a folder that must not exist. */
  makeFolder(at: string): Promise<void>;
  /**
   * Creates a file that must not exist. When it resolves, the bytes are at the target, on its disk where it can confirm
   * that.
   */
  write(at: string, pieces: AsyncIterable<Buffer>): Promise<void>;
  /** Nothing may have the new path. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, or a folder with everything in it; nothing if there is none. */
  remove(at: string): Promise<void>;
  /** Never throws. */
  close(): Promise<void>;
}
