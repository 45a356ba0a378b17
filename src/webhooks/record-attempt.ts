import type { ClaimedWebhook } from './claim-webhook.js';
import { claimEnd } from './claim-webhook.js';
import type { DeliveryContext } from './delivery-context.js';
import { giveUpAfterMs } from './retry-delays.js';

/** What the webhook is after an attempt; undefined if the claim had ended, and nothing was recorded. */
export interface Recorded {
  /** Whether more may be sent under the same claim. */
  readonly isActive: boolean;
  /** Notifications that were given up. */
  readonly dead: number;
  /** Whether the one that was sent is among them. */
  readonly isGivenUp: boolean;
}

/** The receiver has it: it is sent no more, and the claim begins again. */
export async function recordDelivered(
  { sql, timeoutMs }: DeliveryContext,
  { id, claim }: ClaimedWebhook,
  sequence: string,
): Promise<Recorded | undefined> {
  const [row] = await sql<{ status: string }[]>`
    with held as (
      update webhooks set failures = 0, next_attempt_at = null, last_error = null,
        last_attempt_at = now(), last_success_at = now(),
        claimed_until = ${claimEnd(sql, timeoutMs)}
      where id = ${id} and claimed_by = ${claim} returning status
    ), delivered as (
      update webhook_deliveries set status = 'delivered', attempts = attempts + 1, last_error = null,
        last_attempt_at = now(), finished_at = now()
      where webhook_id = ${id} and sequence = ${sequence}::text::bigint and exists (select from held)
    )
    select status from held`;
  return row === undefined ? undefined : { isActive: row.status === 'active', dead: 0, isGivenUp: false };
}

interface Failure {
  readonly sequence: string;
  /** Without secrets; people read it. */
  readonly reason: string;
  /** Since the last success. */
  readonly failures: number;
  /** Until the next attempt. */
  readonly waitMs: number;
  /** The receiver answered 410: nothing more is sent until somebody resumes the webhook. */
  readonly disables: boolean;
}

/**
 * Records a failed attempt and ends the claim. What has waited for longer than {@link giveUpAfterMs} is given up,
 * including what was never tried because it waited behind something else: otherwise each would be tried for 30 days in
 * turn.
 */
export async function recordFailed(
  { sql }: DeliveryContext,
  { id, claim }: ClaimedWebhook,
  { sequence, reason, failures, waitMs, disables }: Failure,
): Promise<Recorded | undefined> {
  const isOld = sql`queued_at <= now() - ${giveUpAfterMs}::bigint * interval '1 millisecond'`;
  const [row] = await sql<{ dead: number; isGivenUp: boolean }[]>`
    with held as (
      update webhooks set failures = ${failures}::int, next_attempt_at = now() + ${waitMs}::int * interval '1 millisecond',
        last_attempt_at = now(), last_error = ${reason},
        status = case when ${disables}::boolean and status = 'active' then 'disabled' else status end,
        claimed_by = null, claimed_until = null
      where id = ${id} and claimed_by = ${claim} returning id
    ), tried as (
      update webhook_deliveries d set
        attempts = attempts + case when sequence = ${sequence}::text::bigint then 1 else 0 end,
        last_attempt_at = case when sequence = ${sequence}::text::bigint then now() else last_attempt_at end,
        last_error = case when sequence = ${sequence}::text::bigint then ${reason}
          else 'an earlier notification could not be delivered: ' || ${reason} end,
        status = case when ${isOld} then 'dead' else status end,
        finished_at = case when ${isOld} then now() end
      where webhook_id = ${id} and status = 'waiting' and exists (select from held)
        and (sequence = ${sequence}::text::bigint or ${isOld})
      returning status, sequence
    )
    select (select count(*)::int from tried where status = 'dead') as dead,
      exists (select from tried where status = 'dead' and sequence = ${sequence}::text::bigint) as "isGivenUp"
    from held`;
  return row && { isActive: false, ...row };
}

/** Gives a notification up whose event was removed from the database. */
export async function recordLost(
  { sql }: DeliveryContext,
  { id }: ClaimedWebhook,
  sequence: string,
): Promise<void> {
  await sql`
    update webhook_deliveries set status = 'dead', last_error = 'its event is no longer in the database',
      finished_at = now()
    where webhook_id = ${id} and sequence = ${sequence}::text::bigint and status = 'waiting'`;
}
