import { bigint, boolean, date, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './column-types.js';

/** One row per run or re-run: what was requested, how it ended, and where its reports are. */
export const runs = pgTable(
  'runs',
  {
    id: integer('id').primaryKey(),
    /** run | rerun */
    kind: identifier('kind').notNull(),
    /** running | completed | failed | interrupted | abandoned (its process died; a later run took over) */
    status: identifier('status').notNull(),
    fenceToken: bigint('fence_token', { mode: 'bigint' }).notNull(),
    asOf: date('as_of', { mode: 'string' }).notNull(),
    fromDate: date('from_date', { mode: 'string' }),
    toDate: date('to_date', { mode: 'string' }),
    /** The planned time of a scheduled run; used to find missed runs. */
    scheduledFor: moment('scheduled_for'),
    startedAt: moment('started_at').notNull(),
    heartbeatAt: moment('heartbeat_at').notNull(),
    finishedAt: moment('finished_at'),
    host: text('host').notNull(),
    processId: integer('process_id').notNull(),
    /** The release of recon that runs it; null for runs before there were workers. */
    version: identifier('version'),
    exitCode: integer('exit_code'),
    /** The `--json` document of the run. */
    outcome: jsonb('outcome'),
    /** Milliseconds by stage (`src/run/timed.ts`), for the metrics. */
    stages: jsonb('stages'),
    reportDirectory: text('report_directory'),
    /** When retention decided to remove its reports. */
    reportsRemovedAt: moment('reports_removed_at'),
    errorCode: identifier('error_code'),
    errorMessage: text('error_message'),
  },
  (table) => [index('runs_status').on(table.status), index('runs_scheduled_for').on(table.scheduledFor)],
);

/**
 * The fence: the token that a writing transaction must carry (`set local recon.fence`). A run that was replaced while
 * it was paused, or a statement that the driver moved to a connection outside the transaction, does not have the token,
 * so the triggers of migration 0001 refuse its writes.
 */
export const runFence = pgTable('run_fence', {
  singleton: boolean('singleton').primaryKey().default(true),
  token: bigint('token', { mode: 'bigint' }).notNull(),
  runId: integer('run_id'),
});

/** Records of earlier runs that a run checked again because they were still open (design 4.6). */
export const runRechecks = pgTable(
  'run_rechecks',
  {
    runId: integer('run_id').notNull(),
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.fileId, table.line] })],
);

/**
 * Where this database was moved to, in the database that was left behind; empty in one that is in use. A run on a
 * database that was moved is refused, because what it stores would be missing in the other one.
 */
export const databaseMoves = pgTable('database_moves', {
  movedAt: moment('moved_at').primaryKey(),
  /** Address without password. */
  movedTo: text('moved_to').notNull(),
});
