import type { Archive } from '../archive/archive.js';
import type { Database } from '../db/connect.js';
import type { Logger } from '../logger.js';
import type { WorkerCounts } from './worker-counts.js';
import type { WorkerIdentity } from './worker-presence.js';

/** What a worker is given. How a file is loaded comes from the run. */
export interface WorkerSettings {
  readonly worker: WorkerIdentity;
  readonly database: Database;
  /** As the runs see it. */
  readonly archive: Archive;
  /** How long a file may still take after `signal`. */
  readonly graceSeconds: number;
  readonly logger: Logger;
  readonly counts: WorkerCounts;
  /** Aborted when the worker is to stop. */
  readonly signal: AbortSignal;
}
