import { liveThrough, type Disagreement } from './live-through.js';
import { problemsOf } from './records.js';
import type { Step, World } from './world.js';

/** A world and what differs in it. */
export interface Shrunk {
  readonly world: World;
  readonly disagreement: Disagreement;
}

/** A shrunk world is played again up to this often. */
const mostAttempts = 150;

/** Leaves out steps, rows and payments, as long as one of the differences remains, whatever the rows are. */
export async function shrinkWorld(world: World, disagreement: Disagreement): Promise<Shrunk> {
  let best: Shrunk = {
    world: { ...world, steps: world.steps.slice(0, disagreement.step + 1) },
    disagreement,
  };
  const wanted = kindsOf(disagreement);
  let attempts = 0;
  let at = 0;
  for (;;) {
    const smaller = smallerWorlds(best.world)[at];
    if (smaller === undefined || attempts >= mostAttempts) return best;
    attempts += 1;
    const found = await liveThrough(smaller, false);
    if (found !== undefined && [...kindsOf(found)].some((kind) => wanted.has(kind))) {
      best = {
        world: { ...smaller, steps: smaller.steps.slice(0, found.step + 1) },
        disagreement: found,
      };
    } else at += 1;
  }
}

/** Differences without the names of files and payments, and without numbers. */
function kindsOf({ differences }: Disagreement): Set<string> {
  return new Set(
    differences.map((text) =>
      text.slice(0, 400).replaceAll(/(north|south)-\d+\.csv:\d+|[0-9a-f]{32}|"[^"]*"|\d+/g, ''),
    ),
  );
}

function smallerWorlds(world: World): World[] {
  const { steps } = world;
  const last = steps.length - 1;
  const withoutStep = steps
    .slice(0, last)
    .map((_, index) => ({ ...world, steps: steps.filter((_step, other) => other !== index) }));
  const withLessIn = steps.flatMap((step, index) =>
    smallerSteps(step).map((smaller) => ({ ...world, steps: steps.with(index, smaller) })),
  );
  return [...withoutStep, ...withLessIn];
}

function smallerSteps(step: Step): Step[] {
  if (step.kind === 'import' && step.payments.length > 1) {
    return step.payments.map((payment) => ({
      ...step,
      payments: step.payments.filter((other) => other !== payment),
    }));
  }
  if (step.kind === 'deliver' && step.file.rows.length > 1) {
    return (
      step.file.rows
        .map((_, index) => step.file.rows.toSpliced(index, 1))
        // A file without a valid row would be rejected as a whole.
        .filter((rows) => rows.some((row) => problemsOf(row).length === 0))
        .map((rows) => ({ ...step, file: { ...step.file, rows } }))
    );
  }
  return [];
}
