/** What a worker has done since it started, for its metrics. */
export class WorkerCounts {
  loaded = 0;
  rejected = 0;
  /** Files that it downloaded for a run. */
  fetched = 0;
  /** Files that it could not load. */
  handedBack = 0;
  /** Files that somebody else got, because this worker had stopped reporting, or the run ended. */
  lost = 0;
  rows = 0;
  /** Files that it loads now. */
  inProgress = 0;
  /** The active run has another version. */
  refusesRun = false;
}
