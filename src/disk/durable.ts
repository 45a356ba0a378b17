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

/** Renames a complete, synced file to its final name, and replaces a file that already has this name. */
export async function replaceFile(written: string, target: string): Promise<void> {
  await rename(written, target);
  await syncDirectory(path.dirname(target));
}
