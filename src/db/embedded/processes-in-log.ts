import { endOfLog, momentOf, recentMs } from './end-of-log.js';

/** What a server writes before it ends all its sessions, because one of its processes may have left damaged memory. */
const killedLine =
  /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) UTC \[\d+\] LOG: {2}[a-z ]+ \(PID \d+\) was terminated by signal 9\b/gm;

/** What a server writes when it gets no process for a new session. The client sees only a lost connection. */
const refusedLine =
  /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) UTC \[\d+\] LOG: {2}could not fork new process for connection\b/gm;

/** Whether a server just ended its connections because one of its processes was killed. */
export function hasKilledProcess(cluster: string, nowMs: number): boolean {
  return hasKilledProcessIn(endOfLog(cluster), nowMs - recentMs);
}

/** Whether one was killed since this moment. */
export function hasKilledProcessIn(log: string, sinceMs: number): boolean {
  return hasLine(log, killedLine, sinceMs);
}

/** Whether a server just had no process for a new session. */
export function wasRefusedProcess(cluster: string, nowMs: number): boolean {
  return hasLine(endOfLog(cluster), refusedLine, nowMs - recentMs);
}

function hasLine(log: string, line: RegExp, sinceMs: number): boolean {
  return [...log.matchAll(line)].some(([, day = '', time = '']) => momentOf(day, time) >= sinceMs);
}
