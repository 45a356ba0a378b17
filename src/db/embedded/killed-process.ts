import { endOfLog, momentOf, recentMs } from './end-of-log.js';

/** What a server writes before it ends all its sessions, because one of its processes may have left damaged memory. */
const killedLine =
  /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) UTC \[\d+\] LOG: {2}[a-z ]+ \(PID \d+\) was terminated by signal 9\b/gm;

/** Whether a server just ended its connections because one of its processes was killed. */
export function hasKilledProcess(cluster: string, nowMs: number): boolean {
  return hasKilledProcessIn(endOfLog(cluster), nowMs - recentMs);
}

/** Whether one was killed since this moment. */
export function hasKilledProcessIn(log: string, sinceMs: number): boolean {
  return [...log.matchAll(killedLine)].some(([, day = '', time = '']) => momentOf(day, time) >= sinceMs);
}
