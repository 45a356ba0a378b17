import { readFileSync } from 'node:fs';

/**
 * A text that names one living process and no later one: process numbers are used again, soon after a
 * restart of a container even for the same program. Elsewhere than on Linux the number alone must do.
 *
 * @returns undefined when no such process lives (a zombie does not live)
 */
export function processIdentity(processId: number): string | undefined {
  if (process.platform === 'linux') {
    const fields = linuxStatus(processId);
    if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${processId} ${bootId()} ${fields[19] ?? ''}`;
  }
  try {
    process.kill(processId, 0);
  } catch (thrown) {
    // EPERM: it lives and belongs to somebody else.
    if ((thrown as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  return `${processId}`;
}

/** Whether the process lives and, where that can be told, runs the named program. */
export function isRunning(processId: number, program: string): boolean {
  if (processIdentity(processId) === undefined) return false;
  if (process.platform !== 'linux') return true;
  try {
    return readFileSync(`/proc/${processId}/comm`, 'utf8').trim() === program;
  } catch {
    return false;
  }
}

/** The fields of `/proc/N/stat` after the name, which may itself hold blanks and brackets: state first. */
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
