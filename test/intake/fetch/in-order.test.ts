import fc from 'fast-check';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inOrder } from '../../../src/intake/fetch/in-order.js';

/** How long each piece of work takes, in turns of the event loop; a negative one fails then. */
const durations = fc.array(fc.oneof({ weight: 9, arbitrary: fc.nat(9) }, fc.integer({ min: -9, max: -1 })));

test('results come in the order of the items up to the first failure, and no more is in progress than allowed', async () => {
  await fc.assert(
    fc.asyncProperty(
      durations,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 7 }),
      async (all, most, begun) => {
        let inProgress = 0;
        let taken = 0;
        let mostBegun = 0;
        const started: number[] = [];
        const work = async (at: number) => {
          started.push(at);
          inProgress += 1;
          expect(inProgress).toBeLessThanOrEqual(most);
          mostBegun = Math.max(mostBegun, started.length - taken);
          const turns = all[at] ?? 0;
          for (let turn = 0; turn < Math.abs(turns); turn += 1) await nextTurn();
          inProgress -= 1;
          if (turns < 0) throw new Error(`item ${at}`);
          return at;
        };
        const results: number[] = [];
        let failure: unknown;
        const ahead = { atOnce: () => most, begun };
        try {
          for await (const result of inOrder([...all.keys()], work, ahead, () => Promise.resolve())) {
            taken += 1;
            results.push(result);
            await nextTurn();
          }
        } catch (thrown) {
          failure = thrown;
        }
        const failed = all.findIndex((turns) => turns < 0);
        const whole = [...all.keys()];
        expect(results).toEqual(failed < 0 ? whole : whole.slice(0, failed));
        expect(failure).toEqual(failed < 0 ? undefined : new Error(`item ${failed}`));
        expect(started).toEqual(whole.slice(0, started.length));
        expect(mostBegun).toBeLessThanOrEqual(begun);
        expect(inProgress).toBe(0);
      },
    ),
    { seed: 18 },
  );
});

test('with one at once, the next begins when the result before it was taken', async () => {
  const events: string[] = [];
  const work = async (item: string) => {
    events.push(`begin ${item}`);
    await nextTurn();
    return item;
  };
  for await (const item of inOrder(['a', 'b'], work, { atOnce: () => 1, begun: 9 }, () =>
    Promise.resolve(),
  )) {
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    events.push(`took ${item}`);
  }
  expect(events).toEqual(['begin a', 'took a', 'begin b', 'took b']);
});

test('when nobody takes the results any more, what has begun is stopped and waited for', async () => {
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const ended: number[] = [];
  const work = async (item: number) => {
    if (item > 0) await stopped;
    ended.push(item);
    return item;
  };
  const stopAll = () => {
    stop();
    return Promise.resolve();
  };
  const results = inOrder([0, 1, 2, 3], work, { atOnce: () => 3, begun: 9 }, stopAll);
  for await (const first of results) {
    expect(first).toBe(0);
    break;
  }
  expect(ended).toEqual([0, 1, 2, 3]);
});
