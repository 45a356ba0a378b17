import { waitingDeliveries } from '../../delivery/stored-deliveries.js';
import { ReconError } from '../../errors.js';
import { openTarget } from '../../remote/open-target.js';
import type { DeliveryTarget } from '../../remote/target-settings.js';
import { counted } from '../../values/counted.js';
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
  const reports = counted(waiting.length, 'report waits', 'reports wait');
  const why = first.lastError === null ? '' : ` ${first.lastError}`;
  throw new ReconError(
    'REPORT_UNDELIVERED',
    `can be reached; ${reports}, the oldest is ${first.folder} (tried ${counted(first.attempts, 'time')}).${why}`,
  );
}
