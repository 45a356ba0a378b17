import { lstatSync } from 'node:fs';
import type { Logger } from '../../logger.js';
import { messageOf } from '../../errors.js';
import { withClusterLock } from './cluster-lock.js';
import type { ServerAccount } from './run-program.js';
import { emptyLog, longestLog } from './server-log.js';

/** A log grows by some megabytes in a year, or in a night in which something goes wrong. */
const everyMs = 24 * 60 * 60 * 1000;

/** The log of a server, and how it may be changed. */
export interface KeptLog {
  readonly file: string;
  /** Of the data directory: only one process empties the log at a time. */
  readonly lock: string;
  readonly account: ServerAccount | undefined;
}

/**
 * Puts the log of a running server aside as soon as it is too long: when a process begins to use the server, and once a
 * day while it does. The log is otherwise put aside only when the server starts, and a scheduler may run for years.
 *
 * @param pauseMs only tests give another one
 * @returns what ends it
 */
export function keepLogShort(log: KeptLog, logger: Logger | undefined, pauseMs = everyMs): () => void {
  const look = () => {
    putAsideIfLong(log).catch((thrown: unknown) => {
      logger?.warn({ reason: messageOf(thrown) }, `The log ${log.file} could not be put aside.`);
    });
  };
  look();
  const timer = setInterval(look, pauseMs).unref();
  return () => clearInterval(timer);
}

async function putAsideIfLong({ file, lock, account }: KeptLog): Promise<void> {
  if (!isLong(file)) return;
  await withClusterLock(lock, () => {
    // Another process may have done it meanwhile.
    if (isLong(file)) emptyLog(file, account);
    return Promise.resolve();
  });
}

function isLong(file: string): boolean {
  return (lstatSync(file, { throwIfNoEntry: false })?.size ?? 0) > longestLog;
}
