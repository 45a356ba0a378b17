import { toReconError } from '../db/database-errors.js';
import { ReconError } from '../errors.js';
import type { RunOutcome } from '../outcome.js';
import type { RunContext } from '../run/run-context.js';
import type { RetentionPolicy } from '../values/retention-policy.js';
import { purge } from './purge.js';
import { removalDay } from './removal-moment.js';

/**
 * Removes old data after a completed run, if the settings ask for it. A failure is only logged: the run is done, and
 * the next purge removes the same.
 */
export async function purgeAfterRun(
  context: RunContext,
  policy: RetentionPolicy,
  { kind, status }: RunOutcome,
): Promise<void> {
  if (!policy.afterRun || kind !== 'run' || status !== 'completed') return;
  const { logger } = context;
  try {
    const { kinds } = await purge(context, { policy, asOf: await removalDay(context), dryRun: false });
    const removed = kinds.filter((each) => each.removed.count > 0);
    if (removed.length === 0) return;
    logger.info(
      Object.fromEntries(removed.map((each) => [each.kind, each.removed.count])),
      'old data removed, by the settings of retention',
    );
  } catch (thrown) {
    const error = thrown instanceof ReconError ? thrown : toReconError(thrown);
    if (error === undefined) throw thrown;
    logger.warn(
      { code: error.code },
      `Old data was not removed: ${error.message} The next purge removes it.`,
    );
  }
}
