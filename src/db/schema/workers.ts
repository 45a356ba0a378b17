import { bigint, boolean, doublePrecision, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './column-types.js';

/**
 * The files that a run shares with workers: who loads each of them, and for how long it is theirs. All times are those
 * of the database, so the clock of a machine decides nothing. Rows exist only while a run takes files in.
 */
export const fileClaims = pgTable(
  'file_claims',
  {
    runId: integer('run_id').notNull(),
    /** Files are finished in this order. */
    place: integer('place').notNull(),
    fileId: integer('file_id').notNull(),
    /** What the run decides about the file; the configuration of a worker has no part in it. */
    timezone: text('timezone').notNull(),
    maxRejectedShare: doublePrecision('max_rejected_share').notNull(),
    leaseSeconds: integer('lease_seconds').notNull(),
    /** The worker or run that loads it; null if nobody does. */
    owner: identifier('owner'),
    /** Counts the owners. What an earlier one still writes is refused. */
    attempt: integer('attempt').notNull().default(0),
    claimedAt: moment('claimed_at'),
    /** From then on, somebody else may load it. */
    leaseUntil: moment('lease_until'),
    /** Workers that could not load it. */
    declinedBy: text('declined_by').array().notNull().default([]),
    /** When it was loaded or rejected: set in the same transaction. */
    finishedAt: moment('finished_at'),
  },
  (table) => [primaryKey({ columns: [table.runId, table.place] })],
);

/**
 * The remote files that a run lets workers download: what is to be downloaded, who does it, and what arrived. Rows
 * exist only while a run takes files in, and hold no credentials: a worker takes those from its configuration.
 */
export const fileDownloads = pgTable(
  'file_downloads',
  {
    runId: integer('run_id').notNull(),
    /** Files are claimed in this order. */
    place: integer('place').notNull(),
    /** Name and address of the source, and the key of the archive. Only workers with the same download from it. */
    source: identifier('source').notNull(),
    /** At most this many files of the source are claimed at once. */
    atOnce: integer('at_once').notNull(),
    /** As the source lists it. */
    name: identifier('name').notNull(),
    path: identifier('path').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    modifiedAtMs: bigint('modified_at_ms', { mode: 'number' }),
    isRegular: boolean('is_regular'),
    maximumSizeBytes: bigint('maximum_size_bytes', { mode: 'number' }).notNull(),
    minimumAgeMs: bigint('minimum_age_ms', { mode: 'number' }).notNull(),
    leaseSeconds: integer('lease_seconds').notNull(),
    /** The clock of the run, and that of the database at the same moment: the age of the file decides. */
    runClockMs: bigint('run_clock_ms', { mode: 'number' }).notNull(),
    offeredAt: moment('offered_at').notNull(),
    owner: identifier('owner'),
    /** Counts the owners. What an earlier one still writes is refused. */
    attempt: integer('attempt').notNull().default(0),
    leaseUntil: moment('lease_until'),
    /** Workers that could not download it. */
    declinedBy: text('declined_by').array().notNull().default([]),
    finishedAt: moment('finished_at'),
    /** What arrived, and is in the archive. */
    sha256: identifier('sha256'),
    receivedBytes: bigint('received_bytes', { mode: 'number' }),
    receivedModifiedAtMs: bigint('received_modified_at_ms', { mode: 'number' }),
    stable: boolean('stable'),
  },
  (table) => [primaryKey({ columns: [table.runId, table.place] })],
);

/** The workers that are running, or that ended without saying so. */
export const workers = pgTable('workers', {
  id: identifier('id').primaryKey(),
  host: text('host').notNull(),
  processId: integer('process_id').notNull(),
  /** A worker joins only runs of the same version. */
  version: identifier('version').notNull(),
  filesAtOnce: integer('files_at_once').notNull(),
  startedAt: moment('started_at').notNull(),
  /** Not seen for 20 seconds: it is not there. */
  seenAt: moment('seen_at').notNull(),
  /** When it last compared its archive with what the database lists; null before there was a file. */
  archiveCheckedAt: moment('archive_checked_at'),
  /** Why it cannot read the archive of the runs; null if it can. */
  archiveProblem: text('archive_problem'),
  /** The sources that it downloads from. */
  sources: text('sources').array().notNull().default([]),
});
