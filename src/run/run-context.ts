import type { Logger } from 'pino';
import type { Archive } from '../archive/archive.js';
import type { Database } from '../db/connect.js';
import type { DueSettings } from '../db/run-scope.js';
import type { Allowances } from '../matching/allowances.js';
import type { CsvFormat } from '../reporting/tables/csv-cells.js';
import type { SourceSettings } from '../remote/source-settings.js';
import type { DeliveryTarget } from '../remote/target-settings.js';
import type { Progress } from '../progress.js';

/** Everything a run gets from outside: connections, settings, clock and randomness. */
export interface RunContext extends DueSettings {
  /** Who started it, for the audit log. */
  readonly author: string;
  /** The settings without secrets, for the audit log; null if nobody wants their changes recorded. */
  readonly settings: Readonly<Record<string, unknown>> | null;
  readonly database: Database;
  /** Absolute: archive, incoming files and reports live below it. */
  readonly dataDirectory: string;
  readonly archive: Archive;
  readonly sources: readonly SourceSettings[];
  /** The records of a file of this size or more get a separate table. */
  readonly largeFileBytes: number;
  /** How many files are loaded at once. */
  readonly filesAtOnce: number;
  /** How long a file belongs to a worker that no longer responds. */
  readonly leaseSeconds: number;
  /** The ATTRIBUTES key of matching (design 4.4). */
  readonly attributes: { readonly enabled: boolean; readonly windowHours: number };
  /** If more payments than this have the same value of a weaker key, the value identifies none of them. */
  readonly maxPaymentsPerKey: number;
  /** Differences that are accepted (design 4.6). */
  readonly allowances: Allowances;
  /** The permission bits of report files. */
  readonly reportFileMode: number;
  /** How the CSV reports for people are written. */
  readonly reportFormat: CsvFormat;
  /** The places that every report is delivered to. */
  readonly deliverTo: readonly DeliveryTarget[];
  readonly logger: Logger;
  readonly progress: Progress;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** The same if the program gave it, instead of the clocks of this machine and of the database server. */
  readonly givenClock: (() => number) | undefined;
  /** In [0, 1); spreads retries. */
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Aborted on SIGINT, SIGTERM and SIGHUP: the run stops at its next safe point. */
  readonly signal: AbortSignal;
  /** Called when another thread runs: V8 has then reset how the young generation of every thread grows. */
  readonly threadStarted: () => void;
}

/** The settings of a context that decide when a settlement is due, without the rest of it. */
export function dueSettings({ timezone, settlementDueDays, lookbackDays }: DueSettings): DueSettings {
  return { timezone, settlementDueDays, lookbackDays };
}
