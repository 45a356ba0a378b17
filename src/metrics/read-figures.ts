import type { Sql } from '../db/client.js';
import { expectedDeliveries } from '../expected/expected-deliveries.js';
import { itemFigures, type ItemFigures } from '../items/item-figures.js';
import type { ExpectedDelivery } from '../outcome.js';
import type { SourceSettings } from '../remote/source-settings.js';
import { dateInZone } from '../values/calendar-date.js';

/** What the figures depend on, besides the database. */
export interface FigureSettings {
  readonly sources: readonly SourceSettings[];
  readonly timezone: string;
}

/** The last run or re-run that ended. Moments are seconds since the epoch. */
export interface RunFigures {
  readonly startedAt: number;
  readonly endedAt: number;
  /** Null for a run that died. */
  readonly exitCode: number | null;
  /** Milliseconds. */
  readonly stages: Readonly<Record<string, number>>;
  readonly files: Readonly<Record<string, number>>;
  readonly rows: { readonly accepted: number; readonly rejected: number; readonly alreadyKnown: number };
}

/** Cheap to read: a few rows by their index. */
export interface StateFigures {
  readonly isRunActive: boolean;
  readonly lastRun: RunFigures | null;
  readonly lastCompletedAt: number | null;
  /** Seconds since the epoch by source; null for a source that delivered nothing yet. */
  readonly lastFileAt: ReadonlyMap<string, number | null>;
  /** Changes whenever a run or a decision may have changed the items. */
  readonly version: string;
}

/** Read only when they may have changed. */
export interface WorkFigures {
  readonly items: readonly ItemFigures[];
  readonly expected: readonly ExpectedDelivery[];
}

interface StateRow {
  active: boolean;
  completed_at: number | null;
  last_run: number | null;
  last_decision: string;
  started_at: number | null;
  ended_at: number | null;
  exit_code: number | null;
  stages: Record<string, number> | null;
  files: Record<string, number> | null;
  accepted: number;
  rejected: number;
  already_known: number;
}

/** The state of runs and sources: one statement for the runs, and one for the files. */
export async function readState(sql: Sql, settings: FigureSettings): Promise<StateFigures> {
  const [row] = await sql<StateRow[]>`
    with last as (
      select id, started_at, finished_at, exit_code, stages, outcome from runs
      where finished_at is not null and kind in ('run', 'rerun') order by id desc limit 1
    ), files as (
      select f ->> 'status' as status, count(*)::int as files,
        sum((f #>> '{rows,accepted}')::bigint)::float8 as accepted,
        sum((f #>> '{rows,rejected}')::bigint)::float8 as rejected,
        sum((f #>> '{rows,alreadyKnown}')::bigint)::float8 as already_known
      from last, jsonb_array_elements(last.outcome -> 'files') f group by 1
    )
    select exists (select from runs where status = 'running') as active,
      (select extract(epoch from finished_at)::float8 from runs
        where status = 'completed' and kind = 'run' order by id desc limit 1) as completed_at,
      (select id from last) as last_run,
      (select coalesce(max(number), 0)::text from decisions) as last_decision,
      (select extract(epoch from started_at)::float8 from last) as started_at,
      (select extract(epoch from finished_at)::float8 from last) as ended_at,
      (select exit_code from last) as exit_code, (select stages from last) as stages,
      (select jsonb_object_agg(status, files) from files) as files,
      (select coalesce(sum(accepted), 0) from files) as accepted,
      (select coalesce(sum(rejected), 0) from files) as rejected,
      (select coalesce(sum(already_known), 0) from files) as already_known`;
  if (row === undefined) throw new Error('a select without from returned no row');
  return {
    isRunActive: row.active,
    lastRun: runOf(row),
    lastCompletedAt: row.completed_at,
    lastFileAt: await lastFilesAt(sql, settings.sources),
    version: `${row.last_run ?? 0} ${row.last_decision}`,
  };
}

function runOf(row: StateRow): RunFigures | null {
  if (row.started_at === null || row.ended_at === null) return null;
  const { started_at, ended_at, exit_code, stages, files, accepted, rejected, already_known } = row;
  return {
    startedAt: started_at,
    endedAt: ended_at,
    exitCode: exit_code,
    stages: stages ?? {},
    files: files ?? {},
    rows: { accepted, rejected, alreadyKnown: already_known },
  };
}

/** Only the configured sources: a name in the database may be that of a source of years ago. */
async function lastFilesAt(
  sql: Sql,
  sources: readonly SourceSettings[],
): Promise<ReadonlyMap<string, number | null>> {
  const rows = await sql<{ source: string; at: number }[]>`
    select source, extract(epoch from max(received_at))::float8 as at from settlement_files
    where status in ('loaded', 'retired') group by source`;
  const received = new Map(rows.map(({ source, at }) => [source, at]));
  return new Map(sources.map(({ name }) => [name, received.get(name) ?? null]));
}

/** The items and the expected deliveries. Reads every open item and the files of the last months. */
export async function readWork(
  sql: Sql,
  { sources, timezone }: FigureSettings,
  nowMs: number,
): Promise<WorkFigures> {
  const asOf = dateInZone(nowMs, timezone);
  return {
    items: await itemFigures(sql, { asOf, timezone }, 0),
    expected: await expectedDeliveries(sql, sources, { asOf, timezone, nowMs, range: null }),
  };
}
