import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Server settings that log `EXPLAIN (ANALYZE, BUFFERS)` of every statement as it was executed. */
export const planLogging: Readonly<Record<string, string>> = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '20',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_parameter_max_length': '0',
};

/**
 * Extracts the plans from the server's log and saves them, the slowest first. They are the plans of the statements that
 * were really executed, so no statement has to be written a second time.
 *
 * @returns the number of plans
 */
export function savePlans(serverLog: string, since: number, file: string): number {
  const entries = readFileSync(serverLog, 'utf8')
    .slice(since)
    .split(/^(?=\d{4}-\d\d-\d\d )/m)
    .filter((entry) => entry.includes('  plan:\n'));
  const duration = (entry: string) => Number(/duration: ([\d.]+) ms/.exec(entry)?.[1] ?? 0);
  entries.sort((a, b) => duration(b) - duration(a));
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, entries.join('\n'));
  return entries.length;
}
