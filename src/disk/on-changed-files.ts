import { stat } from 'node:fs/promises';

/** Certificates are replaced every few weeks, and the new ones must be used before the old ones end. */
const lookEveryMs = 2_000;

/**
 * Calls a function whenever one of the files was changed.
 *
 * @param changed handles its own failures; it is not called again while it works
 * @returns a function that stops looking
 */
export function onChangedFiles(files: readonly string[], changed: () => Promise<void>): () => void {
  let known: string | undefined;
  let isLooking = false;
  const look = async (): Promise<void> => {
    const before = known;
    known = await stateOf(files);
    if (before !== undefined && before !== known) await changed();
  };
  const once = (): void => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => (isLooking = false));
  };
  once();
  const timer = setInterval(once, lookEveryMs);
  return () => clearInterval(timer);
}

/** Changes when a file is written, replaced, or reached over another link. */
async function stateOf(files: readonly string[]): Promise<string> {
  const states = files.map(async (file) => {
    const found = await stat(file).catch(() => undefined);
    return found === undefined ? 'missing' : `${found.ino}:${found.size}:${found.mtimeMs}`;
  });
  return (await Promise.all(states)).join(' ');
}
