import { randomBytes } from 'node:crypto';
import { hostMark } from '../../host-mark.js';
import { isAlive } from '../../is-alive.js';

/**
 * Names of the folders that exist only while a report folder is published: `.<folder>.<owner>.tmp` is
 * being written, `.<folder>.<owner>.old` is being replaced. The owner says which process they belong to, so
 * that a later process can distinguish what a dead process left from what a running one is writing.
 */
export interface StagingName {
  /** The final name. */
  readonly folder: string;
  readonly kind: 'tmp' | 'old';
  readonly host: string;
  readonly processId: number;
}

const shape = /^\.([A-Za-z0-9][\w.-]*)\.([0-9a-f]{8})-(\d+)-[0-9a-f]{12}\.(tmp|old)$/;

/** The names that this process uses; a dead process in another container may have had the same process id. */
const ownNames = new Set<string>();

/** Reserves a pair of unique names; release it with {@link releaseStagingNames}. */
export function reserveStagingNames(folder: string): { readonly tmp: string; readonly old: string } {
  const owner = `${hostMark}-${process.pid}-${randomBytes(6).toString('hex')}`;
  const names = { tmp: `.${folder}.${owner}.tmp`, old: `.${folder}.${owner}.old` };
  if (parseStagingName(names.tmp) === undefined)
    throw new Error(`${folder} is not a name for a report folder`);
  ownNames.add(names.tmp).add(names.old);
  return names;
}

/** To be called once neither of the two folders exists. */
export function releaseStagingNames(names: { readonly tmp: string; readonly old: string }): void {
  ownNames.delete(names.tmp);
  ownNames.delete(names.old);
}

/** Reads a name; undefined when it is not one of ours. */
export function parseStagingName(name: string): StagingName | undefined {
  const [, folder, host, processId, kind] = shape.exec(name) ?? [];
  if (folder === undefined || host === undefined) return undefined;
  return { folder, host, processId: Number(processId), kind: kind === 'old' ? 'old' : 'tmp' };
}

/** Folders of another machine count as abandoned only after this time. */
const foreignLifetimeMs = 24 * 60 * 60 * 1000;

/** Whether another machine that shares the folder of reports created it. */
export function isOfOtherMachine(staging: StagingName): boolean {
  return staging.host !== hostMark;
}

/**
 * Whether the process that created the folder has ended. On this host the process table shows it; for another host that
 * shares the folder only the age shows it, by the clock of the file system.
 */
export function isAbandoned(name: string, staging: StagingName, ageMs: number): boolean {
  if (isOfOtherMachine(staging)) return ageMs > foreignLifetimeMs;
  return staging.processId === process.pid ? !ownNames.has(name) : !isAlive(staging.processId);
}
