import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';

/**
 * Durable, and tuned for one batch on a small machine: bulk loads and set-based joins of some million rows. They are
 * passed on the server's command line, so that a new version's settings also apply to an old cluster.
 */
const fixedSettings: Readonly<Record<string, string>> = {
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
 * The memory that this process and its server may use together: in a container, less than the machine has.
 *
 * @param limitBytes that of the control group; without a limit, 0 or more than the machine has
 */
export function usableMegabytes(machineBytes: number, limitBytes: number): number {
  return (limitBytes > 0 ? Math.min(limitBytes, machineBytes) : machineBytes) / 2 ** 20;
}

/**
 * The settings that share out the memory. From 2 GB on, all but the shared buffers have their best values. With less,
 * all are smaller: with the values of its machine of 24 GB, a container of 512 MB had not enough for a run over 250,000
 * rows with 157,000 findings, and the kernel killed the server.
 */
export function memorySettings(megabytes: number): Readonly<Record<string, string>> {
  const part = (divisor: number, most: number) => `${Math.round(Math.min(most, megabytes / divisor))}MB`;
  // From 2 to 16 GB it grows with the memory, for the indexes into which a run inserts at random.
  const shared = Math.min(1024, Math.max(Math.min(128, megabytes / 8), megabytes / 16));
  return {
    shared_buffers: `${Math.round(shared)}MB`,
    // The results of a million records stay in memory until they are stored.
    temp_buffers: part(16, 128),
    work_mem: part(32, 64),
    maintenance_work_mem: part(8, 256),
    effective_cache_size: part(1, 2048),
  };
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
  const memory = memorySettings(usableMegabytes(totalmem(), process.constrainedMemory()));
  const parallel = hasSharedMemory() ? {} : { max_parallel_workers_per_gather: '0' };
  const all = {
    ...fixedSettings,
    ...memory,
    // `planForMillions` takes it instead of what other servers need.
    'recon.work_mem': memory['work_mem'] ?? '',
    ...parallel,
    ...access,
    ...overrides,
  };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
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
