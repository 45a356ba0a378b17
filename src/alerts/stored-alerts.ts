import type { Logger } from 'pino';
import { allDone } from '../all-done.js';
import type { Sql } from '../db/client.js';
import { inPooledTransaction } from '../db/transaction.js';
import { messageOf } from '../errors.js';
import { clocksDifferMs } from '../values/clocks-differ.js';
import { maskCardNumbers } from '../values/mask-card-numbers.js';
import type { Alert, Message } from './alert.js';
import type { Channel } from './channel.js';
import { decideAlerts, restated, type HeldCondition, type Occasion } from './decide-alerts.js';
import type { Observation } from './observations.js';

/** Two processes that notice the same change wait for each other, so that it becomes one alert. */
const lockKey = 7_215_003_911;
const lockTimeout = '15s';
/** After this many days, what could not be sent is given up, and what was sent is removed. */
const keptDays = 30;
/** Alerts of one sending; the next ones go out with the next. */
const batchSize = 100;

/**
 * Compares the observations with what is stored, stores the new state, and puts an alert for each change and channel
 * into the queue, all in one transaction. What goes on is stored with its latest sentence.
 *
 * @param before conditions that were made known while the database was unreachable
 */
export async function recordChanges(
  sql: Sql,
  observations: readonly Observation[],
  channels: readonly Channel['name'][],
  { before, ...occasion }: Occasion & { readonly before: readonly HeldCondition[] },
): Promise<Alert[]> {
  const now = new Date(occasion.nowMs).toISOString();
  return inPooledTransaction(
    sql,
    async (tx) => {
      await tx`select pg_advisory_xact_lock(${lockKey})`;
      for (const { key, kind, message, since } of before) {
        await tx`insert into alert_conditions (key, kind, message, since) values (${key}, ${kind}, ${message}, ${since})
          on conflict do nothing`;
      }
      const rows = await tx<(HeldCondition & { since: string })[]>`
        select key, kind, message, to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since
        from alert_conditions order by key`;
      const holding = new Map(rows.map((row) => [row.key, row]));
      const alerts = decideAlerts(holding, observations, occasion);
      for (const { key, message } of restated(holding, observations)) {
        await tx`update alert_conditions set message = ${message} where key = ${key}`;
      }
      for (const alert of alerts) {
        const { key, kind, message, since, state } = alert;
        if (state === 'raised') {
          await tx`insert into alert_conditions (key, kind, message, since) values (${key}, ${kind}, ${message}, ${since})`;
        } else {
          await tx`delete from alert_conditions where key = ${key}`;
        }
        for (const channel of channels) {
          await tx`insert into alert_messages (channel, alert, created_at)
            values (${channel}, ${tx.json(alert as never)}, ${now})`;
        }
      }
      await tx`delete from alert_messages where created_at < ${now}::timestamptz - make_interval(days => ${keptDays})`;
      return alerts;
    },
    lockTimeout,
  );
}

interface WaitingRow {
  readonly number: bigint;
  readonly alert: Alert;
  readonly created_ms: number;
}

/** When waiting messages are sent. */
export interface SendOptions {
  readonly nowMs: number;
  readonly logger: Logger;
  /** Nothing until the oldest message has waited long enough after a failure: a process that stays up looks often. */
  readonly onlyDue: boolean;
}

/**
 * Sends what waits, over all channels at once, so that a slow server delays no other one, and in the order of each.
 * What cannot be sent stays, and goes out with the next sending. No transaction is open while a server is slow:
 * messages are claimed first, and what became of them is noted afterwards. So messages that another process sends at
 * this moment are left to it. Each message is sent at least once: if a process is killed between sending and noting it,
 * its messages are sent again once the claim has ended, with the same id.
 */
export async function sendWaiting(
  sql: Sql,
  channels: readonly Channel[],
  options: SendOptions,
): Promise<void> {
  await allDone(channels.map((channel) => sendOver(sql, channel, options)));
}

async function sendOver(sql: Sql, channel: Channel, options: SendOptions): Promise<void> {
  const limit = channel.isBatch ? batchSize : 1;
  let { onlyDue } = options;
  for (let sent = 0; sent < batchSize; sent += limit) {
    const batch = await claimMessages(sql, channel, { ...options, limit, onlyDue });
    if (batch.length === 0) return;
    const failure = await failureOf(channel, batch.map(messageOfRow));
    await noteSending(sql, batch, failure, options.nowMs);
    if (failure !== null) {
      options.logger.warn(
        { channel: channel.name, alerts: batch.length },
        `An alert could not be sent by ${channel.name}: ${failure}. It is sent with the next one.`,
      );
      return;
    }
    // It works, so the others go out too, due or not.
    onlyDue = false;
  }
}

/** A sending takes 90 seconds at most (`mailTimeoutMs`): whoever notes no end of one for this long was killed. */
const claimSeconds = 120;

interface ClaimOptions extends SendOptions {
  readonly limit: number;
}

async function claimMessages(
  sql: Sql,
  channel: Channel,
  { nowMs, onlyDue, limit }: ClaimOptions,
): Promise<WaitingRow[]> {
  const now = new Date(nowMs).toISOString();
  const ahead = new Date(nowMs + clocksDifferMs).toISOString();
  const rows = await inPooledTransaction(
    sql,
    (tx) => {
      // After 1, 3, 7, 15, 31 and 63 minutes, then every hour. One that was stored in the future is due, and its waits
      // begin now: the clock was wrong, and the message would wait until that time.
      const due = onlyDue
        ? tx`and (
            select created_at > ${ahead}::timestamptz or ${now}::timestamptz >= created_at
              + make_interval(mins => (power(2, least(attempts, 6)) - 1 + 60 * greatest(attempts - 6, 0))::int)
            from alert_messages where channel = ${channel.name} and sent_at is null order by number limit 1)`
        : tx``;
      return tx<WaitingRow[]>`
        update alert_messages set claimed_until = now() + make_interval(secs => ${claimSeconds}),
          created_at = case when created_at > ${ahead}::timestamptz then ${now}::timestamptz else created_at end
        where number in (select number from alert_messages
          where channel = ${channel.name} and sent_at is null
            and (claimed_until is null or claimed_until <= now()) ${due}
          order by number limit ${limit} for update skip locked)
        returning number, alert, (extract(epoch from created_at) * 1000)::float8 as created_ms`;
    },
    lockTimeout,
  );
  return [...rows].sort((a, b) => (a.number < b.number ? -1 : 1));
}

async function noteSending(
  sql: Sql,
  batch: readonly WaitingRow[],
  failure: string | null,
  nowMs: number,
): Promise<void> {
  const numbers = batch.map(({ number }) => String(number)).join(',');
  const sentAt = failure === null ? new Date(nowMs).toISOString() : null;
  await inPooledTransaction(
    sql,
    (tx) => tx`
      update alert_messages set sent_at = ${sentAt}, attempts = attempts + 1, last_error = ${failure}, claimed_until = null
      where number = any (string_to_array(${numbers}, ',')::bigint[])`,
    lockTimeout,
  );
}

const messageOfRow = ({ number, alert, created_ms }: WaitingRow): Message => ({
  id: `alert-${Math.round(created_ms)}-${number}`,
  alert,
});

/** Why a sending failed, in words that may be stored; null if it did not fail. */
export async function failureOf(channel: Channel, messages: readonly Message[]): Promise<string | null> {
  try {
    await channel.send(messages);
    return null;
  } catch (thrown) {
    return maskCardNumbers(messageOf(thrown)).replace(/\s+/g, ' ').slice(0, 300);
  }
}

/** What holds, and what waits to be sent, for people. */
export interface AlertState {
  readonly conditions: readonly HeldCondition[];
  readonly waiting: readonly {
    readonly channel: string;
    readonly alerts: number;
    readonly lastError: string | null;
  }[];
}

/** What is wrong at present, and what waits to be sent over each channel. */
export async function readAlertState(sql: Sql): Promise<AlertState> {
  const conditions = await sql<HeldCondition[]>`
    select key, kind, message, to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
    from alert_conditions order by since, key`;
  const waiting = await sql<AlertState['waiting'][number][]>`
    select channel, count(*)::int as alerts, max(last_error) as "lastError" from alert_messages
    where sent_at is null group by channel order by channel`;
  return { conditions, waiting };
}
