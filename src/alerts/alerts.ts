import type { Logger } from 'pino';
import type { AlertSettings } from '../config/alerts-schema.js';
import type { Sql } from '../db/client.js';
import { messageOf } from '../errors.js';
import { expectedDeliveries } from '../expected/expected-deliveries.js';
import { itemFigures } from '../items/item-figures.js';
import type { OutcomeError, ReportDelivery, RunOutcome } from '../outcome.js';
import type { SourceSettings } from '../remote/source-settings.js';
import { dateInZone } from '../values/calendar-date.js';
import type { RunId } from '../values/ids.js';
import type { Alert } from './alert.js';
import type { Channel } from './channel.js';
import { decideAlerts, type Occasion } from './decide-alerts.js';
import {
  observeDeliveries,
  observeExpected,
  observeFailure,
  observeItems,
  observeOverdue,
  observeRun,
  observeSince,
  type Observation,
} from './observations.js';
import { failureOf, recordChanges, sendWaiting, type SendOptions } from './stored-alerts.js';
import { readUnreachable, removeUnreachable, writeUnreachable } from './unreachable-state.js';

/** What alerts need to know the state of the installation, and to send what has changed. */
export interface AlertsOptions {
  readonly settings: AlertSettings;
  readonly channels: readonly Channel[];
  readonly sources: readonly SourceSettings[];
  readonly timezone: string;
  readonly dataDirectory: string;
  readonly logger: Logger;
  readonly clock: () => number;
}

const withoutRun = { runId: null, page: null } as const;

/** A process that stays up looks at the deliveries and sends what waits this often. */
const watchEveryMs = 60_000;

/**
 * The alerts of a command (design 11). Whatever goes wrong here is logged and changes nothing else: a run is not failed
 * by a mail server.
 */
export class Alerts {
  readonly #options: AlertsOptions;
  #watchedAtMs = 0;
  #watching: Promise<void> | undefined;

  constructor(options: AlertsOptions) {
    this.#options = options;
  }

  /** After a run that was opened, however it ended. A re-run is started by a person, who sees how it ends. */
  async afterRun(sql: Sql, outcome: RunOutcome): Promise<void> {
    if (outcome.kind !== 'run') return;
    await this.#safely(async () => {
      const observations = observeRun(outcome);
      if (outcome.status === 'completed') {
        observations.push(await this.#expected(sql), ...(await this.#items(sql, outcome.runId)));
        observations.push(...observeDelivered(outcome));
      }
      const page = outcome.reports?.page ?? null;
      await this.#record(sql, observations, { runId: outcome.runId, page });
    }, outcome);
  }

  /** After `recon reports deliver`. */
  async afterDelivery(sql: Sql, deliveries: readonly ReportDelivery[]): Promise<void> {
    await this.#safely(() =>
      this.#record(sql, [observeDeliveries(deliveries, { isEvery: false })], withoutRun),
    );
  }

  /**
   * A run whose database cannot be reached, or is not usable.
   *
   * @param runId null if it could not begin
   */
  async afterFailure(error: OutcomeError, runId: RunId | null = null): Promise<void> {
    // The run that is active reports how it ends, and wrong arguments are answered at once.
    if (['RUN_ACTIVE', 'USAGE_INVALID', 'RUN_INTERRUPTED'].includes(error.code)) return;
    await this.#safely(async () => {
      const { channels, clock, dataDirectory, logger } = this.#options;
      const former = await readUnreachable(dataDirectory);
      const occasion = { nowMs: clock(), runId, page: null };
      const [alert] = decideAlerts(new Map(), [observeFailure(error, runId)], occasion);
      if (alert === undefined) return;
      const condition = former?.condition ?? alert;
      const sentBy = [...(former?.sentBy ?? [])];
      const send = async (channel: Channel) => {
        const failure = await failureOf(channel, [{ id: `alert-${occasion.nowMs}-0`, alert }]);
        if (failure === null) sentBy.push(channel.name);
        else
          logger.warn(
            { channel: channel.name },
            `An alert could not be sent by ${channel.name}: ${failure}.`,
          );
      };
      await Promise.all(channels.filter(({ name }) => !sentBy.includes(name)).map(send));
      const { key, kind, message, since } = condition;
      await writeUnreachable(dataDirectory, { condition: { key, kind, message, since }, sentBy });
    });
  }

  /** While the scheduler waits: is a run overdue, did a deadline pass, does an alert wait to be sent? */
  async watch(sql: Sql, overdueMs: number | null): Promise<void> {
    const { clock, settings } = this.#options;
    const nowMs = clock();
    if (nowMs >= this.#watchedAtMs && nowMs - this.#watchedAtMs < watchEveryMs) return;
    this.#watchedAtMs = nowMs;
    // A tick during a long sending does not begin another one.
    this.#watching ??= this.#safely(async () => {
      const late = observeOverdue(overdueMs, nowMs, settings.overdueMinutes * 60_000);
      await this.#record(sql, [late, await this.#expected(sql)], withoutRun, { onlyDue: true });
    }).finally(() => (this.#watching = undefined));
    await this.#watching;
  }

  /** For a check from cron: when the last run was completed, compared with how often runs should be. */
  async checkSince(sql: Sql, lastCompletedMs: number | null, sinceMs: number): Promise<void> {
    await this.#safely(async () => {
      const since = observeSince(lastCompletedMs, this.#options.clock(), sinceMs);
      await this.#record(sql, [since, await this.#expected(sql)], withoutRun);
    });
  }

  async #record(
    sql: Sql,
    observations: readonly Observation[],
    occasion: Omit<Occasion, 'nowMs'>,
    { onlyDue }: Pick<SendOptions, 'onlyDue'> = { onlyDue: false },
  ): Promise<void> {
    const { channels, clock, dataDirectory, logger } = this.#options;
    const nowMs = clock();
    const former = await readUnreachable(dataDirectory);
    const names = channels.map(({ name }) => name);
    const before = former === null ? [] : [former.condition];
    const alerts = await recordChanges(sql, observations, names, { ...occasion, nowMs, before });
    if (former !== null) await removeUnreachable(dataDirectory);
    for (const alert of alerts) logAlert(logger, alert);
    await sendWaiting(sql, channels, { nowMs, logger, onlyDue: onlyDue && alerts.length === 0 });
  }

  async #expected(sql: Sql): Promise<Observation> {
    const { sources, timezone, clock } = this.#options;
    const nowMs = clock();
    const view = { asOf: dateInZone(nowMs, timezone), timezone, nowMs, range: null };
    return observeExpected(await expectedDeliveries(sql, sources, view));
  }

  /** Without a threshold the items are not added up. */
  async #items(sql: Sql, runId: number): Promise<Observation[]> {
    const { settings, timezone, clock } = this.#options;
    const { newItems, newAtRisk, openAtRisk } = settings.thresholds;
    const isSet = newItems !== null || newAtRisk.size > 0 || openAtRisk.size > 0;
    const asOf = dateInZone(clock(), timezone);
    const items = isSet ? await itemFigures(sql, { asOf, timezone }, runId) : [];
    return [observeItems(items, settings.thresholds, runId)];
  }

  /** @param outcome its failure is reported without the database if that cannot be used */
  async #safely(work: () => Promise<void>, outcome: RunOutcome | null = null): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.#options.logger.warn({ err: thrown }, `Alerts could not be checked: ${messageOf(thrown)}`);
      if (outcome?.error) await this.afterFailure(outcome.error, outcome.runId);
    }
  }
}

/** Every run delivers its report to every place. An empty list means that nobody could look at what waits. */
function observeDelivered({ deliveries, reports }: RunOutcome): Observation[] {
  if (reports === null || deliveries?.length === 0) return [];
  return [observeDeliveries(deliveries ?? [], { isEvery: true })];
}

function logAlert(logger: Logger, { kind, state, message }: Alert): void {
  const level = state === 'raised' ? 'warn' : 'info';
  logger[level]({ alert: kind, state }, message);
}
