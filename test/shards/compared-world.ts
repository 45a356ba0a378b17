import { randomWorld } from '../campaigns/oracle/random-world.js';
import { dayAfter, firstDay, type OtherStep, type Step, type World } from '../campaigns/oracle/world.js';
import { chanceFrom, type Chance } from '../support/campaign.js';
import { questionCount } from './questions.js';

export type ComparedStep = Step | OtherStep;
export type ComparedWorld = World<ComparedStep>;

/** A world of the oracle, with everything else that shards must not change. */
export function comparedWorld(seed: number): ComparedWorld {
  const chance = chanceFrom(~seed);
  const { settings, steps } = randomWorld(seed);
  const all: ComparedStep[] = [...steps];
  // Mostly after the first run: before it, there is little that a step could be about.
  const firstRun = steps.findIndex(({ kind }) => kind === 'run');
  for (let count = chance.integer(6, 12); count > 0; count -= 1) {
    const from = chance.fraction() < 0.1 ? 1 : firstRun + 1;
    all.splice(chance.integer(from, all.length), 0, ...otherSteps(chance, steps));
  }
  // Empty shards are filled, or an installation in use is divided.
  all.splice(chance.fraction() < 0.6 ? 0 : chance.integer(1, all.length - 2), 0, { kind: 'divide' });
  if (chance.fraction() < 0.5) all.splice(-1, 0, { kind: 'purge' });
  return { seed, settings, steps: all };
}

/** One more step, or two of which the second needs the first. */
function otherSteps(chance: Chance, steps: readonly Step[]): ComparedStep[] {
  const choice = () => chance.integer(0, 99);
  const amount = () => {
    const part = chance.pick(['100.00', '50.00', '20.00']);
    return chance.fraction() < 0.5 ? { amount: part } : {};
  };
  const others: (() => ComparedStep[])[] = [
    () => [{ kind: 'book', choice: choice(), ...amount() }],
    () => [
      { kind: 'book', choice: choice() },
      { kind: 'reverse', choice: choice(), ...amount() },
    ],
    () => [{ kind: 'reverse', choice: choice(), ...amount() }],
    () => [
      { kind: chance.pick(['accept', 'unlink']), choice: choice() },
      { kind: 'undo', choice: choice() },
    ],
    () => [{ kind: 'undo', choice: choice() }],
    () => [{ kind: chance.pick(['assign', 'note']), choice: choice() }],
    () => [sheetStep(chance), sheetStep(chance)],
    () => [
      { kind: 'withdraw-one', choice: choice() },
      { kind: 'restore-one', choice: choice() },
    ],
    () => [{ kind: 'withdraw-one', choice: choice() }],
    () => [{ kind: 'change', choice: choice(), how: '--allow-changes' }],
    () => [{ kind: 'change', choice: choice(), ...chance.pick([{}, { how: '--dry-run' } as const]) }],
    () => [{ kind: 'report', choice: choice() }],
    () => [{ kind: 'report-days', ...someDays(chance) }],
    () => [{ kind: 'dry-run', of: chance.pick(['run', 'rerun', 'decide', 'purge']) }],
    () => [{ kind: 'rerun-fetch', ...someDays(chance) }],
    () => [
      { kind: 'ask', question: chance.integer(0, questionCount - 1), choice: choice() },
      { kind: 'ask', question: chance.integer(0, questionCount - 1), choice: choice() },
    ],
    () => [deliveredAgain(chance.pick(steps.filter((step) => step.kind === 'deliver')))],
  ];
  return chance.pick(others)();
}

function sheetStep(chance: Chance): ComparedStep {
  return {
    kind: 'sheet',
    choice: chance.integer(0, 99),
    word: chance.pick(['accept', 'accept', 'wait', 'wait', 'undo', 'unlink', 'nonsense']),
    isDry: chance.fraction() < 0.2,
  };
}

function someDays(chance: Chance): { readonly from: string; readonly to: string } {
  const to = dayAfter('2026-11-13', -chance.integer(0, 5));
  return { from: chance.fraction() < 0.5 ? firstDay : dayAfter(to, -chance.integer(0, 4)), to };
}

/** The same bytes under another name. */
function deliveredAgain({ file }: Extract<Step, { readonly kind: 'deliver' }>): Step {
  return { kind: 'deliver', file: { ...file, name: `again-${file.name}` } };
}
