import { inOwnTransaction } from '../../db/transaction.js';
import { ReconError } from '../../errors.js';
import { expectedDeliveries } from '../../expected/expected-deliveries.js';
import type { ExpectedDelivery } from '../../outcome.js';
import type { SourceSettings } from '../../remote/source-settings.js';
import { dateInZone } from '../../values/calendar-date.js';
import type { CommandContext } from '../command-context.js';
import { expectedLines } from '../text/expected-lines.js';
import { plain } from '../text/paint.js';

/** What became of the deliveries of some sources, as of now. */
export async function expectedNow(
  context: CommandContext,
  sources: readonly SourceSettings[],
): Promise<ExpectedDelivery[]> {
  const database = await context.existingDatabase();
  const { timezone } = context.config();
  const nowMs = Date.now();
  const view = { asOf: dateInZone(nowMs, timezone), timezone, nowMs, range: null };
  if (database === undefined) return expectedDeliveries(null, sources, view);
  return inOwnTransaction(
    database.sql,
    (tx) => expectedDeliveries(tx, sources, view),
    'isolation level repeatable read read only',
  );
}

/** @throws ReconError DELIVERY_MISSING */
export async function describeExpected(context: CommandContext, source: SourceSettings): Promise<string> {
  const expected = await expectedNow(context, [source]);
  const text = expectedLines(expected, plain).join('\n');
  if (expected.some(({ status }) => status === 'missing')) throw new ReconError('DELIVERY_MISSING', text);
  return text === '' ? 'nothing was due yet' : text;
}
