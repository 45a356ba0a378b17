import { expect, test } from 'vitest';
import { limitConcurrency } from '../../src/review/limit-concurrency.js';
import { errorReply } from '../../src/review/replies.js';

test('refuses one more than may wait with advice that fits, and answers all others', async () => {
  const inTurn = limitConcurrency(1);
  let open: () => void = () => undefined;
  const first = inTurn(() => new Promise<void>((resolve) => (open = resolve)));
  const others = Array.from({ length: 200 }, (_, number) => inTurn(() => Promise.resolve(number)));
  const thrown: unknown = await inTurn(() => Promise.resolve()).catch((error: unknown) => error);
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
