import { randomWorld } from '../campaigns/oracle/random-world.js';
import type { OtherStep, Step, World } from '../campaigns/oracle/world.js';
import { chanceFrom } from '../support/campaign.js';

export type ComparedStep = Step | OtherStep;
export type ComparedWorld = World<ComparedStep>;

/** A world of the oracle, with everything else that shards must not change. */
export function comparedWorld(seed: number): ComparedWorld {
  const chance = chanceFrom(~seed);
  const { settings, steps } = randomWorld(seed);
  const all: ComparedStep[] = [...steps];
  const amount = () => chance.pick(['100.00', '50.00', '20.00']);
  const others: (() => ComparedStep)[] = [
    () => ({ kind: 'book', choice: chance.integer(0, 99), amount: amount() }),
    () => ({ kind: 'reverse', choice: chance.integer(0, 99), amount: amount() }),
    () => ({ kind: 'undo', choice: chance.integer(0, 99) }),
    () => ({ kind: 'report', choice: chance.integer(0, 9) }),
    () => deliveredAgain(chance.pick(steps.filter((step) => step.kind === 'deliver'))),
  ];
  for (let count = chance.integer(2, 5); count > 0; count -= 1)
    all.splice(chance.integer(1, all.length), 0, chance.pick(others)());
  // Empty shards are filled, or an installation in use is divided.
  all.splice(chance.fraction() < 0.6 ? 0 : chance.integer(1, all.length - 2), 0, { kind: 'divide' });
  if (chance.fraction() < 0.5) all.splice(-1, 0, { kind: 'purge' });
  return { seed, settings, steps: all };
}

/** The same bytes under another name. */
function deliveredAgain({ file }: Extract<Step, { readonly kind: 'deliver' }>): Step {
  return { kind: 'deliver', file: { ...file, name: `again-${file.name}` } };
}
