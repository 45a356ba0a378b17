import { expect } from 'vitest';
import type { WatchedCli } from '../support/cli.js';
import { expectOutcome, type Measured, type Outcome, type Stage } from './scene.js';
import { letAMinutePass } from './stopped-process.js';

/**
 * Starts runs of one database at the same moment, some after one that died an hour ago. Exactly one works; the
 * others exit at once with 3. The one that works is suspended meanwhile, so that none comes after its end.
 */
export async function runAtOnce(
  stage: Stage,
  baseline: Outcome & Measured,
  count: number,
  afterOneThatDied: boolean,
): Promise<void> {
  const scene = await stage.setScene();
  const runs: WatchedCli[] = [];
  try {
    if (afterOneThatDied) {
      expect((await scene.run({ failAt: 'load.commit.after' })).signal).toBe('SIGKILL');
      await letAMinutePass(scene);
    }
    const startedAt = Date.now();
    for (let index = 0; index < count; index += 1) runs.push(scene.start({ failAt: 'lock.after:1:stop' }));
    const refused = new Set<number>();
    await new Promise<void>((resolve, reject) => {
      for (const { pid, ended } of runs) {
        ended
          .then(({ code, stdout, stderr }) => {
            // The worker ends too, later, when nobody listens any more.
            expect({ code, stderr }).toMatchObject({ code: 3 });
            expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'RUN_ACTIVE' } });
            refused.add(pid);
            if (refused.size === count - 1) resolve();
          })
          .catch(reject);
      }
    });
    // Each within its own two seconds, on however few processors they had to start.
    expect(Date.now() - startedAt).toBeLessThan(2_000 + count * baseline.openedAfterMs);
    const [worker] = runs.filter(({ pid }) => !refused.has(pid));
    worker?.kill('SIGCONT');
    expect((await worker?.ended)?.code).toBe(1);
    await expectOutcome(scene, baseline);
    const statuses = await scene.database.database.sql`select status from runs order by id`;
    expect(statuses.map(({ status }) => status as string)).toEqual([
      ...(afterOneThatDied ? ['abandoned'] : []),
      'completed',
    ]);
  } finally {
    for (const run of runs) run.kill('SIGKILL');
    await scene.end();
  }
}
