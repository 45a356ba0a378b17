import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';

/**
 * Durable, and tuned for one batch on a small machine: bulk loads and set-based joins of some million rows. They are
 * passed on the server's command line, so that a new version's settings also apply to an old cluster.
 */
const settings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  cluster_name: 'recon',
  max_connections: '60',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // There is no replication, and bulk loads into new tables then write less.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  min_wal_size: '256MB',
  checkpoint_timeout: '15min',
  shared_buffers: `${sharedBuffersMegabytes(totalmem())}MB`,
  // The results of a million records stay in memory until they are stored.
  temp_buffers: '128MB',
  work_mem: '64MB',
  maintenance_work_mem: '256MB',
  effective_cache_size: '2GB',
  random_page_cost: '1.1',
  jit: 'off',
  max_parallel_workers_per_gather: '2',
  // Other processes that read for a statement cost a tenth more CPU time, on the cores that the statement needs.
  io_method: 'sync',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  logging_collector: 'off',
  log_line_prefix: '%m [%p] ',
  // Statements and details contain values, and values can be card numbers, so the log must not contain them.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length_on_error: '0',
};

/**
 * A sixteenth of the machine's memory, from 128 MB to 1 GB: enough for the indexes into which a run inserts at random.
 */
function sharedBuffersMegabytes(memoryBytes: number): number {
  return Math.round(Math.min(1024, Math.max(128, memoryBytes / 2 ** 20 / 16)));
}

/** Parallel queries exchange rows through /dev/shm, which has 64 MB by default in a container. */
const enoughSharedMemory = 256 * 1024 * 1024;

/**
 * The command line arguments `-c name=value`; the caller's settings take precedence.
 *
 * @param cluster its path as the server sees it; files in it define who may connect, whatever its settings are
 */
export function settingArguments(cluster: string, overrides: Readonly<Record<string, string>>): string[] {
  const access = { hba_file: `${cluster}/pg_hba.conf`, ident_file: `${cluster}/pg_ident.conf` };
  const fitted = hasSharedMemory() ? settings : { ...settings, max_parallel_workers_per_gather: '0' };
  return Object.entries({ ...fitted, ...access, ...overrides }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
}

function hasSharedMemory(): boolean {
  if (process.platform !== 'linux') return true;
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= enoughSharedMemory;
  } catch {
    return false;
  }
}
