import { cutLog, readOldEvents } from '../audit/cut-log.js';
import type { Tx } from '../db/client.js';
import { judge } from './judge.js';
import { momentOf, nothingGoes, removedBefore, type KindPlan, type PlanInput } from './kind-plan.js';
import { Tally } from './tally.js';

/**
 * Which audit events are removed: those before a day. The log is one chain, so nothing in its middle is removed or
 * kept, and what was decided about items is stored apart from it.
 */
export async function planAuditEvents(tx: Tx, { limits, timezone }: PlanInput): Promise<KindPlan> {
  const { audit: before } = limits.before;
  const tally = new Tally('audit', before);
  if (before === null) return nothingGoes(tally);
  for (const events of await readOldEvents(tx, momentOf(before, timezone), timezone)) {
    tally.add(judge('audit', events, limits), events);
  }
  return {
    sums: tally.sums(),
    apply: (change) => cutLog(change, momentOf(removedBefore(limits, before), timezone)),
  };
}
