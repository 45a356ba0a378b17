import type { Disagreement } from './live-through.js';
import { problemsOf } from './records.js';
import type { OtherStep, Step, World } from './world.js';

type AnyStep = Step | OtherStep;

/** A world and what differs in it. */
export interface Shrunk<S extends AnyStep> {
  readonly world: World<S>;
  readonly disagreement: Disagreement;
}

/**
 * Leaves out steps, rows and payments, as long as one of the differences remains, whatever the rows are.
 *
 * @param mostAttempts how often a smaller world is played
 */
export async function shrinkWorld<S extends AnyStep>(
  world: World<S>,
  disagreement: Disagreement,
  play: (world: World<S>) => Promise<Disagreement | undefined>,
  mostAttempts = 150,
): Promise<Shrunk<S>> {
  let best: Shrunk<S> = {
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
    const found = await play(smaller);
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

function smallerWorlds<S extends AnyStep>(world: World<S>): World<S>[] {
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

function smallerSteps<S extends AnyStep>(step: S): S[] {
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
