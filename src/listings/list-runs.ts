import { isoMoment } from '../values/iso-moment.js';
import { listSource, type ListSource } from './listing.js';
import type { RunId } from '../values/ids.js';

/** The words of {@link RunStatus}, as `recon runs --status` takes them. */
export const runStatuses = ['running', 'completed', 'failed', 'interrupted', 'abandoned'] as const;
/** The state of a run; `abandoned`: its process died, and a later run took over. */
export type RunStatus = (typeof runStatuses)[number];

/** Which runs to list; null: whatever their state. */
export interface RunFilter {
  readonly status: RunStatus | null;
}

/** A run as `recon runs --json` lists it. Moments are ISO 8601 in UTC, dates are calendar dates. */
export interface ListedRun {
  /** The number that commands take as `--run`; later runs have higher ones. */
  readonly runId: RunId;
  /** `run` or `rerun`. */
  readonly kind: string;
  /** A {@link RunStatus}. */
  readonly status: string;
  /** The day on which payments counted as due. */
  readonly asOf: string;
  /** The range of settlement dates of a re-run. */
  readonly from: string | null;
  /** The last settlement date of the range, included; null of a `run`. */
  readonly to: string | null;
  /** The moment of the schedule that it was made for; null for a run that somebody started. */
  readonly scheduledFor: string | null;
  /** When it took the run lock. */
  readonly startedAt: string;
  /** Null while it runs, and of a run whose process died. */
  readonly finishedAt: string | null;
  /** Null until it is finished. */
  readonly exitCode: number | null;
  /** Open discrepancies on what the run looked at, when it ended. */
  readonly discrepancies: number | null;
  /** What ended it; null unless it failed. */
  readonly errorCode: string | null;
  /** A sentence for the operator; null with `errorCode`. */
  readonly errorMessage: string | null;
  /** The absolute path of its report folder; null if it has none. */
  readonly reportDirectory: string | null;
  /** When retention removed that folder. */
  readonly reportsRemovedAt: string | null;
}

/** The runs, the latest first. */
export function runList(filter: RunFilter): ListSource<ListedRun> {
  return listSource<ListedRun, ListedRun>(
    (tx) => {
      const wanted = filter.status === null ? tx`` : tx`where status = ${filter.status}`;
      return {
        rows: tx`
          select id as "runId", kind, status, as_of as "asOf", from_date as "from", to_date as "to",
            scheduled_for as "scheduledFor", started_at as "startedAt", finished_at as "finishedAt",
            exit_code as "exitCode", (outcome #>> '{discrepancies,total}')::integer as discrepancies,
            error_code as "errorCode", error_message as "errorMessage", report_directory as "reportDirectory",
            reports_removed_at as "reportsRemovedAt"
          from runs ${wanted} order by id desc`,
        total: tx`select count(*)::integer as total from runs ${wanted}`,
      };
    },
    (run) => ({
      ...run,
      scheduledFor: isoMoment(run.scheduledFor),
      startedAt: isoMoment(run.startedAt),
      finishedAt: isoMoment(run.finishedAt),
      reportsRemovedAt: isoMoment(run.reportsRemovedAt),
    }),
  );
}
