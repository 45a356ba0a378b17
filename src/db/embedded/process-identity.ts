import { readdirSync, readFileSync } from 'node:fs';
import { isAlive } from '../../is-alive.js';

/**
 * A text that identifies one running process and no later one: process ids are reused, and after a restart of a
 * container soon, even for the same program. On systems other than Linux, only the process id is used.
 *
 * @returns undefined when no such process lives (a zombie counts as dead)
 */
export function processIdentity(processId: number): string | undefined {
  if (process.platform === 'linux') {
    const fields = linuxStatus(processId);
    if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${processId} ${bootId()} ${fields[19] ?? ''}`;
  }
  return isAlive(processId) ? `${processId}` : undefined;
}

/** The user ids of a process (real, effective, saved, of files); undefined if this cannot be determined. */
export function userIdsOf(processId: number): readonly number[] | undefined {
  try {
    const line = /^Uid:\s*(.*)$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1];
    return line?.split(/\s+/).map(Number);
  } catch {
    return undefined;
  }
}

/**
 * When a process started, in milliseconds since 1970; accurate to a second or two. Undefined if this cannot be
 * determined.
 */
export function startOf(processId: number): number | undefined {
  const fields = linuxStatus(processId);
  try {
    const bootSeconds = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]);
    // The kernel reports it in hundredths of a second (USER_HZ), on every architecture that Node runs on.
    return fields === undefined ? undefined : bootSeconds * 1000 + Number(fields[19]) * 10;
  } catch {
    return undefined;
  }
}

/** The ids of all visible processes; none without /proc. */
export function allProcesses(): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((number) => number > 0);
  } catch {
    return [];
  }
}

/** The fields of `/proc/N/stat` after the name, which may contain spaces and parentheses; the state comes first. */
function linuxStatus(processId: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${processId}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
