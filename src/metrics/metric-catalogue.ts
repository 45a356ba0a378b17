/**
 * Every metric of recon. `docs/metrics.md`, the dashboard and the tests are compared with this list.
 *
 * The number of series is bounded: the values of every label are a closed list (codes, statuses, stages, routes, ISO
 * currencies) or come from the configuration (sources). No label has an id, a file name or an entity.
 */
export interface MetricDefinition {
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /**
   * Who has it: `everywhere`, `figures` (textfile, `recon schedule`, `recon serve`), `process` (the three that stay
   * up), `schedule`, `serve` or `worker`.
   */
  readonly of: 'everywhere' | 'figures' | 'process' | 'schedule' | 'serve' | 'worker';
}

const gauge = (
  of: MetricDefinition['of'],
  help: string,
  labels: readonly string[] = [],
): MetricDefinition => ({ type: 'gauge', help, labels, of });

/** Every metric by its name: which processes have it, and its help text and labels. */
export const metricCatalogue = {
  recon_build_info: gauge('everywhere', 'Always 1; the label is the version of recon.', ['version']),
  recon_database_up: gauge('everywhere', '1 if the database could be read, else 0.'),
  recon_figures_timestamp_seconds: gauge(
    'figures',
    'When the figures about runs and sources were read from the database; they are at most 15 seconds old.',
  ),
  recon_items_timestamp_seconds: gauge(
    'figures',
    'When items and expected deliveries were read. They are read again after a run or a decision, at most once a minute.',
  ),
  recon_run_active: gauge('figures', '1 while a run or re-run is active, else 0.'),
  recon_last_run_start_timestamp_seconds: gauge(
    'figures',
    'When the last run or re-run that ended had begun.',
  ),
  recon_last_run_end_timestamp_seconds: gauge('figures', 'When the last run or re-run ended.'),
  recon_last_run_exit_code: gauge('figures', 'Exit code of the last run or re-run that ended.'),
  recon_last_run_stage_seconds: gauge(
    'figures',
    'Duration of each stage of the last run or re-run; intake contains receive and load, and load adds up files that are loaded at once.',
    ['stage'],
  ),
  recon_last_run_rows: gauge(
    'figures',
    'Rows of the files of the last run or re-run; accepted contains already_known.',
    ['result'],
  ),
  recon_last_run_files: gauge('figures', 'Files of the last run or re-run.', ['status']),
  recon_last_completed_run_end_timestamp_seconds: gauge(
    'figures',
    'When the last run that was completed ended; re-runs do not count.',
  ),
  recon_source_last_file_timestamp_seconds: gauge(
    'figures',
    'When the last file of a source that was loaded was received; 0 if there is none.',
    ['source'],
  ),
  recon_expected_deliveries: gauge(
    'figures',
    'Expected deliveries that were due in the last 14 days, by status.',
    ['source', 'status'],
  ),
  recon_items: gauge('figures', 'Items that are open or waiting.', ['code', 'currency', 'status']),
  recon_items_at_risk: gauge(
    'figures',
    'Money at risk in items that are open or waiting, in units of the currency.',
    ['code', 'currency', 'direction'],
  ),
  recon_next_run_timestamp_seconds: gauge('schedule', 'When the next run is planned.'),
  recon_run_overdue_seconds: gauge(
    'schedule',
    'For how long a planned run has been due without having begun; 0 if none is.',
  ),
  recon_http_requests_total: {
    type: 'counter',
    help: 'Requests by method, route (as in the OpenAPI document) and status.',
    labels: ['method', 'route', 'status'],
    of: 'serve',
  },
  recon_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Duration of requests by route.',
    labels: ['route'],
    of: 'serve',
  },
  recon_webhook_deliveries: gauge(
    'serve',
    'Notifications of webhooks that wait, and those that were given up.',
    ['status'],
  ),
  recon_webhook_oldest_waiting_seconds: gauge(
    'serve',
    'Age of the oldest notification that waits; 0 if none does.',
  ),
  recon_webhooks: gauge(
    'serve',
    'Webhooks whose last attempt failed, and those that their receiver disabled.',
    ['state'],
  ),
  recon_files_waiting: gauge(
    'worker',
    'Files that the active run shares and that nobody downloads or loads yet; for autoscaling.',
  ),
  recon_workers: gauge('worker', 'Workers that are there, by whether they have the version of this one.', [
    'version',
  ]),
  recon_worker_files_total: {
    type: 'counter',
    help: 'Files of this worker: fetched, loaded, rejected, handed back because it could not fetch or load them, or lost to another.',
    labels: ['result'],
    of: 'worker',
  },
  recon_worker_rows_total: {
    type: 'counter',
    help: 'Rows in the files that this worker loaded or rejected.',
    labels: [],
    of: 'worker',
  },
  recon_worker_files_in_hand: gauge('worker', 'Files that this worker loads now.'),
  recon_worker_refuses_run: gauge(
    'worker',
    '1 while the active run has a different version from this worker, which then loads nothing.',
  ),
  process_start_time_seconds: gauge('process', 'When the process started.'),
  process_resident_memory_bytes: gauge('process', 'Resident memory of the process.'),
  process_open_fds: gauge('process', 'Open file descriptors of the process, on Linux.'),
  process_cpu_seconds_total: {
    type: 'counter',
    help: 'Processor time of the process, user and system.',
    labels: [],
    of: 'process',
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** See {@link metricCatalogue}. */
export type MetricName = keyof typeof metricCatalogue;

/** The keys of the literal; Object.keys loses their type. */
export const metricNames = Object.keys(metricCatalogue) as MetricName[];
