import { readdirSync } from 'node:fs';
import { isMissing } from '../disk/disk-errors.js';
import type { Sample } from './sample.js';

/**
 * What a supervisor wants to know about a process, read at each scrape. The library's own collection of such metrics
 * installs observers of the garbage collector and the event loop, which cannot be removed again.
 */
export function processSamples(): Sample[] {
  const { user, system } = process.cpuUsage();
  const descriptors = openDescriptors();
  const startedAt = Math.round(Date.now() / 1000 - process.uptime());
  return [
    { name: 'process_start_time_seconds', labels: {}, value: startedAt },
    { name: 'process_resident_memory_bytes', labels: {}, value: process.memoryUsage.rss() },
    { name: 'process_cpu_seconds_total', labels: {}, value: (user + system) / 1_000_000 },
    ...(descriptors === null ? [] : [{ name: 'process_open_fds' as const, labels: {}, value: descriptors }]),
  ];
}

/** Null where there is no /proc. */
function openDescriptors(): number | null {
  try {
    // Reading the folder opens one.
    return readdirSync('/proc/self/fd').length - 1;
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw thrown;
  }
}
