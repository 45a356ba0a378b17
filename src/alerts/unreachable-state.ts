import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { replaceFile } from '../disk/durable.js';
import { createTextFile, makeFolder } from '../disk/private-files.js';
import { alertKinds } from './alert.js';
import type { HeldCondition } from './decide-alerts.js';

/**
 * The database holds the state of alerts. When the database cannot be reached, this file remembers that an alert about
 * that was sent, and through which channels, until the database is back.
 */
const stored = z.object({
  condition: z.object({ key: z.string(), kind: z.enum(alertKinds), message: z.string(), since: z.string() }),
  sentBy: z.array(z.string()),
});

/** What the file `alert-state.json` contains. */
export interface UnreachableState {
  readonly condition: HeldCondition;
  readonly sentBy: readonly string[];
}

const fileOf = (dataDirectory: string) => path.join(dataDirectory, 'alert-state.json');

/** Null if there is none, or if it cannot be read: then the alert is sent once more. */
export async function readUnreachable(dataDirectory: string): Promise<UnreachableState | null> {
  try {
    return stored.parse(JSON.parse(await readFile(fileOf(dataDirectory), 'utf8')));
  } catch {
    return null;
  }
}

/** Replaces `alert-state.json` as a whole. */
export async function writeUnreachable(dataDirectory: string, state: UnreachableState): Promise<void> {
  await makeFolder(dataDirectory, { owner: 'account' });
  const written = `${fileOf(dataDirectory)}.${process.pid}.tmp`;
  await rm(written, { force: true });
  await createTextFile(written, JSON.stringify(state));
  await replaceFile(written, fileOf(dataDirectory));
}

/** Removes `alert-state.json`, if it exists. */
export async function removeUnreachable(dataDirectory: string): Promise<void> {
  await rm(fileOf(dataDirectory), { force: true });
}
