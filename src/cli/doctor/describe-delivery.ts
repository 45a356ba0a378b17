import { waitingDeliveries } from '../../delivery/stored-deliveries.js';
import { ReconError } from '../../errors.js';
import { openTarget } from '../../remote/open-target.js';
import type { DeliveryTarget } from '../../remote/target-settings.js';
import type { CommandContext } from '../command-context.js';

/**
 * Whether a place that reports are delivered to can be reached, and what waits for it. Nothing is written there.
 *
 * @throws ReconError REPORT_UNDELIVERED, SOURCE_*
 */
export async function describeDelivery(context: CommandContext, target: DeliveryTarget): Promise<string> {
  const opened = await openTarget(target, context.config().reports.fileMode, context.signal);
  await opened.close();
  const { sql } = await context.database();
  const waiting = await waitingDeliveries(sql, [target.name]);
  const [first] = waiting;
  if (first === undefined) return 'can be reached; nothing waits';
  const counted = waiting.length === 1 ? '1 report waits' : `${waiting.length} reports wait`;
  const why = first.lastError === null ? '' : ` ${first.lastError}`;
  throw new ReconError(
    'REPORT_UNDELIVERED',
    `can be reached; ${counted}, the oldest is ${first.folder} (tried ${first.attempts} times).${why}`,
  );
}
