import { endOfLog, momentOf, recentMs } from './end-of-log.js';

/** What a server writes when it gets no process for a new session. The client sees only a lost connection. */
const refusedLine =
  /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) UTC \[\d+\] LOG: {2}could not fork new process for connection\b/gm;

/** Whether a server just had no process for a new session. */
export function wasRefusedProcess(cluster: string, nowMs: number): boolean {
  return [...endOfLog(cluster).matchAll(refusedLine)].some(
    ([, day = '', time = '']) => momentOf(day, time) >= nowMs - recentMs,
  );
}
