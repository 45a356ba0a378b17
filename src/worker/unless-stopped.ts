/**
 * Waits for work, but not longer than this after the signal: a database that does not answer would keep a program from
 * stopping.
 *
 * @returns undefined if it was not done
 */
export async function unlessStopped<T>(
  ms: number,
  signal: AbortSignal,
  work: Promise<T>,
): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  let stop: () => void = () => undefined;
  const stopped = new Promise<undefined>((resolve) => {
    stop = () => (timer = setTimeout(() => resolve(undefined), ms));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
    clearTimeout(timer);
  }
}
