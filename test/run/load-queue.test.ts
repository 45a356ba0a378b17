import { describe, expect, test } from 'vitest';
import { LoadQueue } from '../../src/run/load-queue.js';
import { deferred } from '../support/deferred.js';

/** A file whose copying ends when the test says so. */
function file() {
  const { promise: copied, resolve: copy, reject: fail } = deferred();
  return { copied, copy, fail };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A queue in which the files note when they begin and when they are finished. */
function queueOf(filesAtOnce: number) {
  const queue = new LoadQueue(filesAtOnce);
  const events: string[] = [];
  const start = (name: string, copied: Promise<unknown>, sha256 = name) =>
    queue.start(sha256, async (turn) => {
      events.push(`${name} begins`);
      await copied;
      await turn.come();
      events.push(`${name} ends`);
    });
  return { queue, events, start };
}

describe('files that are loaded at once', () => {
  test('are finished in their order, whichever is copied first', async () => {
    const { queue, events, start } = queueOf(3);
    const [a, b, c] = [file(), file(), file()];
    void start('a', a.copied);
    void start('b', b.copied);
    void start('c', c.copied);
    for (const each of [c, b, a]) {
      each.copy();
      await settled();
    }
    await queue.drain();
    expect(events).toEqual(['a begins', 'b begins', 'c begins', 'a ends', 'b ends', 'c ends']);
  });

  test('are never more than there is room for', async () => {
    const { queue, events, start } = queueOf(1);
    const a = file();
    await queue.room();
    void start('a', a.copied);
    const next = queue.room().then(() => start('b', Promise.resolve()));
    await settled();
    expect(events).toEqual(['a begins']);
    a.copy();
    await next;
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  test('with the same bytes are loaded one after the other', async () => {
    const { queue, events, start } = queueOf(4);
    const a = file();
    void start('a', a.copied, 'bytes');
    void start('again', Promise.resolve(), 'bytes');
    await settled();
    expect(events).toEqual(['a begins']);
    a.copy();
    await queue.finished('bytes');
    await queue.drain();
    expect(events).toEqual(['a begins', 'a ends', 'again begins', 'again ends']);
  });

  test('are finished up to the one that failed, and no other is begun', async () => {
    const { queue, events, start } = queueOf(4);
    const [a, b] = [file(), file()];
    const results = [start('a', a.copied), start('b', b.copied), start('c', Promise.resolve())];
    b.fail(new Error('the disk of b'));
    await settled();
    await expect(queue.room()).rejects.toThrow('the disk of b');
    a.copy();
    expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    await queue.drain();
    expect(events).toEqual(['a begins', 'b begins', 'c begins', 'a ends']);
  });
});
