import { hasRunSince } from '../../alerts/observations.js';
import { ReconError } from '../../errors.js';
import { isoMoment } from '../../values/iso-moment.js';
import { textOption, usageError, type Options } from '../command-arguments.js';
import type { CommandContext } from '../command-context.js';
import { alertsOf } from '../open-alerts.js';

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `26h`, `90m`, `2d` in milliseconds; null without the option. */
export function durationOption(options: Options, name: string): number | null {
  const text = textOption(options, name);
  if (text === null) return null;
  const [, count = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (units[unit] ?? 0);
  if (ms === 0) throw usageError(`--${name} must be a duration such as 26h, 90m or 2d; "${text}" is not.`);
  return ms;
}

/**
 * Whether a run was completed recently enough, for installations whose runs are started by cron: nothing notices there
 * that a run did not happen. It also sends alerts: about this, and about deliveries whose deadline has passed since.
 *
 * @throws ReconError RUN_MISSING
 */
export async function describeSince(context: CommandContext, sinceMs: number): Promise<string> {
  const { sql } = await context.database();
  const [row] = await sql<{ ended: string; ms: number }[]>`
    select finished_at as ended, (extract(epoch from finished_at) * 1000)::float8 as ms from runs
    where status = 'completed' and kind = 'run' order by id desc limit 1`;
  await alertsOf(context)?.checkSince(sql, row?.ms ?? null, sinceMs);
  if (row === undefined) throw new ReconError('RUN_MISSING', 'No run was completed yet.');
  const nowMs = Date.now();
  const ended = isoMoment(row.ended);
  if (hasRunSince(row.ms, nowMs, sinceMs)) return `completed at ${ended}`;
  throw new ReconError(
    'RUN_MISSING',
    row.ms > nowMs
      ? `The last run was completed at ${ended}, which is in the future: the clock of a machine was wrong.`
      : `The last run was completed at ${ended}.`,
  );
}
