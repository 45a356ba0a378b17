import type { Stats } from 'node:fs';
import { readFile, readdir, stat } from 'node:fs/promises';
import { isMissing } from './disk-errors.js';

/**
 * Functions that accept "it does not exist" as an answer. They throw every other failure: an unreadable folder is
 * not an empty one, and an inaccessible file is not missing.
 */

/** The names in a folder; empty when the folder does not exist. */
export async function namesIn(directory: string): Promise<string[]> {
  return (await unlessMissing(readdir(directory))) ?? [];
}

/** The file or folder at a path, with links followed; undefined if there is none. */
export async function statIfThere(file: string): Promise<Stats | undefined> {
  return unlessMissing(stat(file));
}

/** The text of a file; undefined if there is none. */
export async function readTextIfThere(file: string): Promise<string | undefined> {
  return unlessMissing(readFile(file, 'utf8'));
}

/** The answer; undefined if what was looked at does not exist. */
export async function unlessMissing<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}
