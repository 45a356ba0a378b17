import { expect, test } from 'vitest';
import { bothDone } from '../src/both-done.js';

test('both results', async () => {
  expect(await bothDone(Promise.resolve(1), Promise.resolve('two'))).toEqual([1, 'two']);
});

test('it ends once both have ended, with the failure that came first', async () => {
  let fail: (reason: Error) => void = () => undefined;
  let ended = false;
  const one = new Promise<never>((_, reject) => (fail = reject));
  const both = bothDone(one, Promise.reject(new Error('first'))).finally(() => (ended = true));
  both.catch(() => undefined);
  await new Promise(setImmediate);
  expect(ended).toBe(false);
  fail(new Error('second'));
  await expect(both).rejects.toThrow('first');
});
