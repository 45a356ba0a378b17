import { paymentLineOf } from '../../support/payment-rows.js';
import { settlementRow, type Cells } from '../../support/settlement-rows.js';
import type { Disagreement } from './live-through.js';
import type { Shrunk } from './shrink-world.js';
import type { OtherStep, Step, World } from './world.js';

/** The seed, the differences, and the smallest world found that shows one of them. */
export function showDisagreement<S extends Step | OtherStep>(
  { seed }: World<S>,
  { differences }: Disagreement,
  small: Shrunk<S>,
): string {
  return [
    `seed ${seed}: SEED=${seed} SCALE=0.01 repeats it`,
    ...differences,
    'the world, shrunk:',
    showWorld(small.world),
    ...small.disagreement.differences,
  ].join('\n');
}

/** A world as a person reads it: one line for each command, payment and row. */
export function showWorld({ steps }: World<Step | OtherStep>): string {
  return steps.flatMap(showStep).join('\n');
}

function showStep(step: Step | OtherStep): string[] {
  switch (step.kind) {
    case 'import':
      return ['import', ...step.payments.map((payment) => `  ${paymentLineOf(payment)}`)];
    case 'deliver':
      return [`deliver ${step.file.name}`, ...step.file.rows.map((row) => `  ${showRow(row)}`)];
    default:
      return [JSON.stringify(step)];
  }
}

/** The cells in which a row differs from an ordinary one. */
function showRow(row: Cells): string {
  const ordinary = settlementRow();
  return Object.entries(row)
    .filter(([name, value]) => value !== (ordinary[name] ?? ''))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
