import { expect, test } from 'vitest';
import { allDone } from '../src/all-done.js';

test('all results in their order', async () => {
  expect(await allDone([Promise.resolve(1), Promise.resolve('two')])).toEqual([1, 'two']);
});

test('it ends once all have ended, with the failure that came first', async () => {
  let fail: (reason: Error) => void = () => undefined;
  let ended = false;
  const one = new Promise<never>((_, reject) => (fail = reject));
  const both = allDone([one, Promise.reject(new Error('first'))]).finally(() => (ended = true));
  both.catch(() => undefined);
  await new Promise(setImmediate);
  expect(ended).toBe(false);
  fail(new Error('second'));
  await expect(both).rejects.toThrow('first');
});
