import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentCore } from '../../src/payment-core/index.js';
import { card, createTestCore, noon, type TestCore } from '../payment-core/support/test-core.js';
import { playWorld, type Step } from './payment-world.js';

/**
 * Random sequences of operations on payments, registrations, checkouts and jobs of two entities, with repeats by
 * idempotency key and pairs that are sent at the same moment, compared with the rules in `payment-rules.ts`.
 */
let world: TestCore;
let cores: readonly PaymentCore[];
let now = noon;
beforeAll(async () => {
  world = await createTestCore({ clock: () => now });
  cores = [world.core, await world.open()];
});
afterAll(() => world.drop());

/** What a step does, the more often the higher the number. */
const kinds: Readonly<Record<Step['what'], number>> = {
  create: 2,
  CP: 3,
  RV: 2,
  RF: 3,
  CB: 2,
  CR: 2,
  rest: 1,
  complete: 1,
  increment: 2,
  register: 1,
  payRegistration: 1,
  deleteRegistration: 1,
  checkout: 1,
  payCheckout: 2,
  schedule: 1,
  deleteJob: 1,
  time: 1,
};
// The names of the record are the kinds of a step.
const names = Object.keys(kinds) as Step['what'][];

const sometimes = <T>(percent: number, value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof(
    { weight: percent, arbitrary: value },
    { weight: 100 - percent, arbitrary: fc.constant(undefined) },
  );
const number = fc.nat({ max: 1000 });
const step: fc.Arbitrary<Step> = fc.record({
  what: fc.oneof(...names.map((name) => ({ weight: kinds[name], arbitrary: fc.constant(name) }))),
  by: number,
  of: number,
  amount: number,
  more: number,
  key: sometimes(20, fc.nat({ max: 2 })),
});
const steps = fc.array(fc.tuple(step, sometimes(35, step)), { minLength: 10, maxLength: 60, size: 'max' });

const first = (what: Step['what'], by: number, of: number): readonly [Step, undefined] => [
  { what, by, of, amount: 0, more: 1, key: undefined },
  undefined,
];
/** Each entity begins with payments of each type, a registration and a checkout. */
const beginning = [0, 1].flatMap((by) => [
  ...[1, 2, 3, 4].map((of) => first('create', by, of)),
  first('register', by, 0),
  first('checkout', by, 0),
]);

/**
 * The same worlds each time, so that a failure comes from the change that is tested. RECON_PROPERTY_SEED makes others,
 * and RECON_PROPERTY_RUNS more.
 */
test(
  'each operation has the result that the rules say, in whatever order',
  { timeout: 3_600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (played) => {
        now = noon;
        await world.database.database.sql`delete from jobs`;
        const time = { read: () => now, advance: (milliseconds: number) => (now += milliseconds) };
        expect(await playWorld([...beginning, ...played], { cores, card, time })).toEqual([]);
      }),
      {
        numRuns: Number(process.env['RECON_PROPERTY_RUNS'] ?? 40),
        seed: Number(process.env['RECON_PROPERTY_SEED'] ?? 3),
      },
    );
  },
);
