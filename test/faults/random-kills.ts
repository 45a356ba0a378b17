import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../support/campaign.js';
import { expectRecovery, type Measured, type Outcome, type Scene, type Stage } from './scene.js';

/** How many runs were hit, and how many had ended before the kill came. */
export interface Kills {
  killed: number;
  missed: number;
}

/**
 * Kills up to `times` runs one after the other, each at a random moment after it was opened, and expects that the next
 * one brings about what an undisturbed run does.
 */
export async function killAtRandom(
  stage: Stage,
  baseline: Outcome & Measured,
  chance: Chance,
  times: number,
): Promise<Kills> {
  const kills: Kills = { killed: 0, missed: 0 };
  // Little happens before a run is opened: a tenth of the kills fall there.
  const moments = Array.from({ length: times }, () =>
    chance.fraction() < 0.1
      ? { part: 'opening', fraction: chance.fraction() }
      : { part: 'work', fraction: chance.fraction() },
  );
  const scene = await stage.setScene();
  try {
    for (const moment of moments) {
      if (await isKilledAt(scene, moment, baseline)) kills.killed += 1;
      else kills.missed += 1;
      // Of a run that came to its end nothing is left to be disturbed.
      if (kills.missed > 0) break;
    }
    await expectRecovery(scene, baseline);
    return kills;
  } catch (thrown) {
    const reported = moments.map(({ part, fraction }) => `${Math.round(fraction * 100)} % of the ${part}`);
    throw new Error(`after kills at ${reported.join(', then ')}`, { cause: thrown });
  } finally {
    await scene.end();
  }
}

interface Moment {
  readonly part: string;
  readonly fraction: number;
}

async function isKilledAt(scene: Scene, { part, fraction }: Moment, measured: Measured): Promise<boolean> {
  const { openedAfterMs, closedAfterMs } = measured;
  const startedAt = Date.now();
  const run = scene.start();
  const waited = async () => {
    if (part === 'opening') return sleep(fraction * openedAfterMs);
    await untilOpen(scene, run.pid);
    // A machine that is less busy than when it was measured is quicker with the rest as well.
    const quickness = Math.min(1, (Date.now() - startedAt) / openedAfterMs);
    return sleep(fraction * (closedAfterMs - openedAfterMs) * quickness);
  };
  await Promise.race([waited(), run.ended]);
  run.kill('SIGKILL');
  return (await run.ended).signal === 'SIGKILL';
}

async function untilOpen({ database: { database } }: Scene, processId: number): Promise<void> {
  for (let attempt = 0; attempt < 5_000; attempt += 1) {
    if ((await database.sql`select from runs where process_id = ${processId}`).length > 0) return;
    await sleep(5);
  }
}
