import type { Archive } from '../archive/archive.js';
import type { Database } from '../db/connect.js';
import type { Logger } from '../logger.js';
import type { SourceSettings } from '../remote/source-settings.js';
import type { WorkerCounts } from './worker-counts.js';
import type { WorkerIdentity } from './worker-presence.js';

/** What a worker is given. How a file is loaded comes from the run. */
export interface WorkerSettings {
  readonly worker: WorkerIdentity;
  readonly database: Database;
  /** As the runs see it. */
  readonly archive: Archive;
  /** It downloads from those of them that a run has too. */
  readonly sources: readonly SourceSettings[];
  /** In [0, 1). */
  readonly random: () => number;
  /** How long a file may still take after `signal`. */
  readonly graceSeconds: number;
  readonly logger: Logger;
  readonly counts: WorkerCounts;
  /** Aborted when the worker is to stop. */
  readonly signal: AbortSignal;
}
