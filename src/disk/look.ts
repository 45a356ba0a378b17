import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { isMissing } from './disk-errors.js';

/**
 * Looks that take "it does not exist" for an answer. Every other failure is thrown: a folder that may not be read
 * is not an empty one, and a file that may not be seen is not missing.
 */

/** The names in a folder; empty when the folder does not exist. */
export async function namesIn(directory: string): Promise<string[]> {
  return (await unlessMissing(readdir(directory))) ?? [];
}

/** What a path leads to, links followed; undefined when nothing is there. */
export async function statIfThere(file: string): Promise<Stats | undefined> {
  return unlessMissing(stat(file));
}

async function unlessMissing<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}
