import { maskCardNumbers } from '../values/mask-card-numbers.js';
import type { Alert, Condition } from './alert.js';
import type { Observation } from './observations.js';

/** A condition that holds, as it is stored. */
export interface HeldCondition extends Condition {
  readonly since: string;
}

/** When alerts are sent, and the run that they come from. */
export interface Occasion {
  readonly nowMs: number;
  readonly runId: number | null;
  readonly page: string | null;
}

/**
 * Compares what holds with what was observed, and returns the changes: an alert for each condition that begins or ends.
 * A condition that goes on is not a change, even if its sentence is a different one. Pure.
 */
export function decideAlerts(
  holding: ReadonlyMap<string, HeldCondition>,
  observations: readonly Observation[],
  { nowMs, runId, page }: Occasion,
): Alert[] {
  const at = new Date(nowMs).toISOString();
  const alerts: Alert[] = [];
  const held = new Map(holding);
  for (const { covers, held: found, ended, unless } of observations) {
    if (unless !== undefined && held.has(unless)) continue;
    const present = new Set(found.map(({ key }) => key));
    for (const condition of found) {
      if (held.has(condition.key)) continue;
      const message = maskCardNumbers(condition.message);
      held.set(condition.key, { ...condition, message, since: at });
      alerts.push({ ...condition, message, state: 'raised', since: at, at, runId, page });
    }
    for (const condition of [...held.values()]) {
      if (!covers(condition.key) || present.has(condition.key)) continue;
      held.delete(condition.key);
      const message = maskCardNumbers(ended.get(condition.key) ?? `No longer the case: ${condition.message}`);
      alerts.push({ ...condition, message, state: 'recovered', at, runId, page });
    }
  }
  return alerts;
}

/**
 * What goes on with another sentence than the stored one, such as a sum that grew. Nothing is sent about it, but a list
 * of what is wrong at present must not show the figures of the day on which it began. Pure.
 */
export function restated(
  holding: ReadonlyMap<string, HeldCondition>,
  observations: readonly Observation[],
): Condition[] {
  return observations
    .filter(({ unless }) => unless === undefined || !holding.has(unless))
    .flatMap(({ held }) => held)
    .map((condition) => ({ ...condition, message: maskCardNumbers(condition.message) }))
    .filter(({ key, message }) => (holding.get(key)?.message ?? message) !== message);
}
