import { expect, test } from 'vitest';
import { limitConcurrency } from '../../src/review/limit-concurrency.js';
import { errorReply } from '../../src/review/replies.js';

const awaited = () => true;

test('refuses one more than may wait with advice that fits, and answers all others', async () => {
  const inTurn = limitConcurrency(1);
  let open: () => void = () => undefined;
  const first = inTurn(() => new Promise<void>((resolve) => (open = resolve)), awaited);
  const others = Array.from({ length: 200 }, (_, number) => inTurn(() => Promise.resolve(number), awaited));
  const thrown: unknown = await inTurn(() => Promise.resolve(), awaited).catch((error: unknown) => error);
  const { status, body } = errorReply(thrown);
  expect({ status, ...(JSON.parse(body.toString()) as object) }).toEqual({
    status: 503,
    error: {
      code: 'REVIEW_BUSY',
      message: 'Too many requests are waiting for the database.',
      advice: 'Wait a moment and try again.',
    },
  });
  open();
  await first;
  expect(await Promise.all(others)).toHaveLength(200);
});

test('leaves out what nobody waits for any more when its turn comes', async () => {
  const inTurn = limitConcurrency(1);
  let open: () => void = () => undefined;
  const first = inTurn(() => new Promise<void>((resolve) => (open = resolve)), awaited);
  const begun: string[] = [];
  const search = (text: string, isAwaited: () => boolean) =>
    inTurn(() => Promise.resolve(begun.push(text)), isAwaited);
  let isTyping = true;
  const given = ['a', 'ac', 'acq'].map((text) => search(text, () => isTyping));
  const last = search('acquirer', awaited);
  isTyping = false;
  open();
  await Promise.all([first, last]);
  expect(begun).toEqual(['acquirer']);
  for (const { status } of await Promise.allSettled(given)) expect(status).toBe('rejected');
});
