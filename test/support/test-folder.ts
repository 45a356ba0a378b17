import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest';

/** A folder that exists while tests run: the set-up of the tests makes and removes it. */
export interface TestFolder {
  /** Absolute. Each folder has another one, so that what a test leaves running does not write for the next test. */
  readonly path: string;
}

/** One folder for all tests of a file or `describe`: made before the first one, and removed after the last one. */
export function folderForAllTests(): TestFolder {
  const { folder, make, remove } = folderToMake();
  beforeAll(make);
  afterAll(remove);
  return folder;
}

/** A new folder for each test of a file or `describe`, which is removed after the test. */
export function folderForEachTest(): TestFolder {
  const { folder, make, remove } = folderToMake();
  beforeEach(make);
  afterEach(remove);
  return folder;
}

/** The path of a new folder for the test that calls this, which is removed after the test. */
export function folderForThisTest(): string {
  const folder = makeFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

function folderToMake() {
  let made: string | undefined;
  return {
    folder: {
      get path() {
        if (made === undefined) throw new Error('The folder of the tests exists only while they run.');
        return made;
      },
    },
    make: () => {
      made = makeFolder();
    },
    remove: () => {
      if (made !== undefined) removeFolder(made);
      made = undefined;
    },
  };
}

function makeFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'recon-tests-'));
}

/** Also with files and folders that may not be written. With RECON_KEEP=1 it stays and its path is printed. */
function removeFolder(folder: string): void {
  if (process.env['RECON_KEEP'] === '1') {
    process.stderr.write(`kept ${folder}\n`);
    return;
  }
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (thrown) {
    // Only root may remove what is in a folder without write permission.
    if ((thrown as NodeJS.ErrnoException).code !== 'EACCES') throw thrown;
    allowChanges(folder);
    rmSync(folder, { recursive: true });
  }
}

function allowChanges(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) allowChanges(path.join(folder, entry.name));
  }
}
