import { setImmediate as nextTurn } from 'node:timers/promises';

/** A turn of the event loop that does nothing else takes far less. */
const quietTurnMs = 1;

/**
 * Waits for a turn of the event loop in which hardly anything else was done. A server accepts connections once in each
 * turn. The operating system resets those that arrive later in the turn in which the server stops listening, though
 * their requests may have been sent. After a quiet turn, hardly any connection can have arrived.
 *
 * @param withinMs after this time, a busy moment is as good as any other
 */
export async function atQuietMoment(withinMs: number): Promise<void> {
  const start = performance.now();
  // The rest of the current turn does not count.
  await nextTurn();
  for (let began = performance.now(); began - start < withinMs;) {
    await nextTurn();
    const ended = performance.now();
    if (ended - began < quietTurnMs) return;
    began = ended;
  }
}
