import type { ItemFigures } from '../items/item-figures.js';
import { errorCatalogue } from '../errors.js';
import type { ExpectedDelivery, OutcomeError, ReportDelivery, RunOutcome } from '../outcome.js';
import { clocksDifferMs } from '../values/clocks-differ.js';
import { counted } from '../values/counted.js';
import { formatAmount } from '../values/money.js';
import type { AlertKind, Condition } from './alert.js';

/**
 * What somebody looked at, and what was wrong there. A condition that is covered and not held is over; one that is not
 * covered stays as it is, because nobody looked.
 */
export interface Observation {
  readonly covers: (key: string) => boolean;
  readonly held: readonly Condition[];
  /** How it ended, for the conditions of which more is known than that. */
  readonly ended: ReadonlyMap<string, string>;
  /** Nothing is reported while this condition holds, because its alert says the same. */
  readonly unless?: AlertKind;
}

/** Limits of the configuration; money in hundredths by currency. */
export interface Thresholds {
  readonly newItems: number | null;
  readonly newAtRisk: ReadonlyMap<string, bigint>;
  readonly openAtRisk: ReadonlyMap<string, bigint>;
}

const isKind = (kind: AlertKind) => (key: string) => key === kind || key.startsWith(`${kind}:`);
const conditionOf = (kind: AlertKind, about: string, message: string): Condition => ({
  key: about === '' ? kind : `${kind}:${about}`,
  kind,
  message,
});

/** A run that ended: whether it failed, and which sources it could not read. Pure. */
export function observeRun({ runId, error, sources, exitCode }: RunOutcome): Observation[] {
  if (error !== null) {
    // Somebody stopped it. If it does not happen again, the schedule or `recon doctor --since` notices.
    return error.code === 'RUN_INTERRUPTED' ? [] : [observeFailure(error, runId)];
  }
  const down = sources.flatMap((source) =>
    source.error === null
      ? []
      : [
          conditionOf(
            'source-down',
            source.name,
            `The source ${source.name} could not be read. ${sentence(source.error)}`,
          ),
        ],
  );
  const read = new Set(sources.map(({ name }) => `source-down:${name}`));
  const completed = `Run ${runId} was completed with exit code ${exitCode}.`;
  return [
    { covers: isKind('run-failed'), held: [], ended: new Map([['run-failed', completed]]) },
    { covers: isKind('run-missing'), held: [], ended: new Map([['run-missing', completed]]) },
    {
      covers: (key) => read.has(key),
      held: down,
      ended: new Map(
        sources.map(({ name }) => [
          `source-down:${name}`,
          `The source ${name} was read again by run ${runId}.`,
        ]),
      ),
    },
  ];
}

/** A run that failed, or that could not begin. Pure. */
export function observeFailure(error: OutcomeError, runId: number | null): Observation {
  const subject = runId === null ? 'A run could not begin' : `Run ${runId} failed`;
  return {
    covers: isKind('run-failed'),
    held: [conditionOf('run-failed', '', `${subject}. ${sentence(error)}`)],
    ended: new Map(),
  };
}

/**
 * The reports that were delivered, or wait, place by place. Pure.
 *
 * @param isEvery whether these are all places that are configured: what waits for another one is over
 */
export function observeDeliveries(
  deliveries: readonly ReportDelivery[],
  { isEvery }: { readonly isEvery: boolean },
): Observation {
  const targets = [...new Set(deliveries.map(({ target }) => target))];
  const key = (target: string) => `delivery-failed:${target}`;
  const covered = new Set(targets.map(key));
  return {
    covers: isEvery ? isKind('delivery-failed') : (each) => covered.has(each),
    held: targets.flatMap((target) => {
      const waiting = deliveries.filter((each) => each.target === target && each.status === 'waiting');
      const [first] = waiting;
      if (first === undefined) return [];
      const { folder, error } = first;
      const why = error === null ? '' : ` ${error.message} (${error.code})`;
      return [
        conditionOf(
          'delivery-failed',
          target,
          `The report ${folder} could not be delivered to ${target}.${why}`,
        ),
      ];
    }),
    ended: new Map(
      targets.map((target) => [key(target), `Every report that waited for ${target} was delivered.`]),
    ),
  };
}

/** The expected deliveries of the configured sources. Pure. */
export function observeExpected(expected: readonly ExpectedDelivery[]): Observation {
  const about = ({ source, date, filePattern }: ExpectedDelivery) =>
    filePattern === undefined ? `${source}:${date}` : `${source}:${date}:${filePattern}`;
  return {
    covers: isKind('file-missing'),
    held: expected
      .filter(({ status }) => status === 'missing')
      .map((delivery) =>
        conditionOf(
          'file-missing',
          about(delivery),
          `${nameOf(delivery)} ${whatCame(delivery)}; it was due at ${minute(delivery.due)}.`,
        ),
      ),
    ended: new Map(
      expected
        .filter(({ files }) => files.length > 0)
        .map((delivery) => [
          `file-missing:${about(delivery)}`,
          `${nameOf(delivery)} was received: ${delivery.files.join(', ')}.`,
        ]),
    ),
  };
}

function nameOf({ source, date, filePattern }: ExpectedDelivery): string {
  const files = filePattern === undefined ? '' : ` (${filePattern})`;
  return `The delivery of ${source} for ${date}${files}`;
}

/** A delivery of several files is missing until the last of them. */
function whatCame({ files }: ExpectedDelivery): string {
  return files.length === 0 ? 'was not received' : `is not complete: only ${files.join(', ')} was received`;
}

/**
 * The items after a run, compared with the thresholds. Money counts in both directions: what we should have and do not
 * have, and what we have and should not have. Pure.
 */
export function observeItems(
  items: readonly ItemFigures[],
  thresholds: Thresholds,
  runId: number,
): Observation {
  const { newItems, newAtRisk, openAtRisk } = thresholds;
  const found = items.reduce((sum, item) => sum + item.new, 0);
  const open = sumByCurrency(items, ({ missing, surplus }) => missing + surplus);
  const fresh = sumByCurrency(items, ({ newMissing, newSurplus }) => newMissing + newSurplus);
  const above = (limits: ReadonlyMap<string, bigint>, sums: ReadonlyMap<string, bigint>) =>
    [...limits].flatMap(([currency, limit]) => {
      const sum = sums.get(currency) ?? 0n;
      return sum > limit ? [{ currency, sum: formatAmount(sum), limit: formatAmount(limit) }] : [];
    });
  return {
    covers: (key) =>
      [isKind('new-items'), isKind('new-at-risk'), isKind('open-at-risk')].some((is) => is(key)),
    held: [
      ...(newItems !== null && found > newItems
        ? [
            conditionOf(
              'new-items',
              '',
              `Run ${runId} found ${counted(found, 'new item')}; the threshold is ${newItems}.`,
            ),
          ]
        : []),
      ...above(newAtRisk, fresh).map(({ currency, sum, limit }) =>
        conditionOf(
          'new-at-risk',
          currency,
          `The new items of run ${runId} put ${sum} ${currency} at risk; the threshold is ${limit} ${currency}.`,
        ),
      ),
      ...above(openAtRisk, open).map(({ currency, sum, limit }) =>
        conditionOf(
          'open-at-risk',
          currency,
          `Items that are open or waiting put ${sum} ${currency} at risk; the threshold is ${limit} ${currency}.`,
        ),
      ),
    ],
    ended: new Map<string, string>([
      ['new-items', `Run ${runId} found ${counted(found, 'new item')}.`],
      ...[...newAtRisk.keys()].map((currency): [string, string] => [
        `new-at-risk:${currency}`,
        `The new items of run ${runId} put ${formatAmount(fresh.get(currency) ?? 0n)} ${currency} at risk.`,
      ]),
      ...[...openAtRisk.keys()].map((currency): [string, string] => [
        `open-at-risk:${currency}`,
        `Items that are open or waiting put ${formatAmount(open.get(currency) ?? 0n)} ${currency} at risk.`,
      ]),
    ]),
  };
}

/** A planned run of the scheduler that did not begin. A run that failed stays due, and is already reported. Pure. */
export function observeOverdue(plannedAtMs: number | null, nowMs: number, graceMs: number): Observation {
  const isLate = plannedAtMs !== null && nowMs - plannedAtMs > graceMs;
  return {
    covers: isKind('run-missing'),
    held: isLate
      ? [
          conditionOf(
            'run-missing',
            '',
            `The run planned for ${minute(new Date(plannedAtMs).toISOString())} did not begin.`,
          ),
        ]
      : [],
    ended: new Map(),
    unless: 'run-failed',
  };
}

/**
 * Whether a run was completed recently enough. One that was completed in the future proves nothing: a clock was wrong,
 * and a run that does not happen would not be noticed until that time. Pure.
 */
export function hasRunSince(lastCompletedMs: number, nowMs: number, sinceMs: number): boolean {
  return nowMs - lastCompletedMs <= sinceMs && lastCompletedMs - nowMs <= clocksDifferMs;
}

/** The time since the last completed run, for a program that is not the scheduler. Pure. */
export function observeSince(lastCompletedMs: number | null, nowMs: number, sinceMs: number): Observation {
  const hasRun = lastCompletedMs !== null && hasRunSince(lastCompletedMs, nowMs, sinceMs);
  const last = lastCompletedMs === null ? 'none' : minute(new Date(lastCompletedMs).toISOString());
  return {
    covers: isKind('run-missing'),
    held: hasRun
      ? []
      : [
          conditionOf(
            'run-missing',
            '',
            `No run was completed in the last ${hours(sinceMs)}. The last one: ${last}.`,
          ),
        ],
    ended: new Map(),
  };
}

function sumByCurrency(
  items: readonly ItemFigures[],
  amountOf: (item: ItemFigures) => bigint,
): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const item of items) {
    if (item.currency === null) continue;
    sums.set(item.currency, (sums.get(item.currency) ?? 0n) + amountOf(item));
  }
  return sums;
}

const sentence = ({ code, message }: OutcomeError) => `${message} (${code}) ${errorCatalogue[code].advice}`;
const minute = (iso: string) => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
const hours = (ms: number) => {
  const minutes = Math.round(ms / 60_000);
  return minutes % 60 === 0 ? counted(minutes / 60, 'hour') : counted(minutes, 'minute');
};
