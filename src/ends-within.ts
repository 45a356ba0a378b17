/**
 * Waits for work, but not longer than this: a database that no longer answers would hold it up without end.
 *
 * @returns whether the work ended in time
 */
export async function endsWithin(work: Promise<unknown>, withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), withinMs);
  });
  try {
    return await Promise.race([work.then(() => true), tooLate]);
  } finally {
    clearTimeout(timer);
    // What fails later, when its connection is closed, was already given up.
    work.catch(() => undefined);
  }
}
