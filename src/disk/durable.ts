import { open, rename } from 'node:fs/promises';
import path from 'node:path';

/** Syncs the names in a folder to the disk. Without this, a new or renamed file can be gone after a power cut. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives a file that is complete and synced its final name, in place of a file that has this name already. */
export async function replaceFile(written: string, target: string): Promise<void> {
  await rename(written, target);
  await syncDirectory(path.dirname(target));
}
