import type { Logger } from 'pino';
import type { ReconError } from '../errors.js';
import type { RefusedLogins } from '../remote/refused-logins.js';
import type { Progress } from '../progress.js';

/** The world, as far as fetching needs it. */
export interface FetchDependencies {
  /** Incoming files and the archive lie below it. */
  readonly dataDirectory: string;
  readonly clock: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly logger: Logger;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Of the whole run, so that no source repeats a login that was refused. */
  readonly refusedLogins: RefusedLogins;
  /** SHA-256 of a remote file that is known by size and time, so that it need not be fetched again. */
  readonly knownFile: (file: {
    readonly path: string;
    readonly sizeBytes: number;
    readonly modifiedAtMs: number | null;
  }) => Promise<string | undefined>;
}

/** What became of one file of a source. */
export type FetchedFile =
  | {
      readonly status: 'received';
      readonly name: string;
      readonly remotePath: string;
      readonly sha256: string;
      readonly sizeBytes: number;
      readonly modifiedAtMs: number | null;
      /** Quiet long enough that size and time alone identify it next time. */
      readonly stable: boolean;
      readonly receivedAtMs: number;
      /** Moves or deletes the remote file as its source asks; one that was replaced meanwhile stays. */
      settle(): Promise<void>;
    }
  | { readonly status: 'known'; readonly name: string; readonly sha256: string; settle(): Promise<void> }
  | { readonly status: 'deferred' | 'failed'; readonly name: string; readonly error: ReconError };
