import { isDenied } from './disk/disk-errors.js';

/** Whether a process of this machine runs, whoever its user is. A container sees only its own processes. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (thrown) {
    // EPERM: the process exists and belongs to another user.
    return isDenied(thrown);
  }
}
