import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DeadlineExceeded, watchProgress } from '../../src/remote/with-deadline.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const state = async (lost: Promise<never>) => {
  const failure = await Promise.race([lost, Promise.resolve()]).catch((thrown: unknown) => thrown);
  return failure instanceof DeadlineExceeded ? failure.message : failure;
};

describe('a transfer', () => {
  test('F17 ends after the time of the whole, however regularly some bytes come', async () => {
    const watch = watchProgress(1_000, 5_000, undefined);
    for (let elapsedMs = 0; elapsedMs < 4_500; elapsedMs += 900) {
      vi.advanceTimersByTime(900);
      watch.progress();
    }
    expect(await state(watch.lost)).toBeUndefined();
    vi.advanceTimersByTime(500);
    expect(await state(watch.lost)).toBe('not done within 5 s');
    watch.end();
  });

  test('F9 ends after a time without progress', async () => {
    const watch = watchProgress(1_000, 5_000, undefined);
    vi.advanceTimersByTime(999);
    watch.progress();
    vi.advanceTimersByTime(999);
    expect(await state(watch.lost)).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(await state(watch.lost)).toBe('no answer within 1 s');
    watch.end();
  });

  test('leaves neither a timer nor a listener when it is over', () => {
    const signal = new AbortController().signal;
    watchProgress(1_000, 5_000, signal).end();
    expect([vi.getTimerCount(), getEventListeners(signal, 'abort')]).toEqual([0, []]);
  });
});
