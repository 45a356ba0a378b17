import type { Sql } from '../db/client.js';
import type { Environment } from '../payment-core/index.js';
import { isDue } from './claim-webhook.js';

/** The name of the job that delivers to one webhook. A process has the keys of one environment. */
export function deliveryTask(environment: Environment): string {
  return `deliver-${environment}`;
}

/**
 * Adds a job for each webhook that is due and for which something waits. What is to be sent is in the table of
 * deliveries, and a job only says that somebody should look there: if a job is lost with its process, the next look
 * adds another.
 *
 * @returns how many webhooks were due
 */
export async function wakeDueWebhooks(sql: Sql, environment: Environment): Promise<number> {
  const rows = await sql`
    with due as materialized (
      select id from webhooks w
      where ${isDue(sql, environment)}
        and exists (select from webhook_deliveries d where d.webhook_id = w.id and d.status = 'waiting')
        -- One that nobody has taken yet is enough, unless it was added while the clock was ahead.
        and not exists (select from recon_queue.jobs j where j.key = w.id and j.locked_at is null
          and j.attempts < j.max_attempts and j.run_at <= now())
    )
    select job.id from due, lateral recon_queue.add_job(${deliveryTask(environment)}::text,
      json_build_object('webhookId', due.id), job_key => due.id, max_attempts => 1) as job`;
  return rows.length;
}

/**
 * Removes what nobody needs: notifications that were received a month ago, those of webhooks that were removed, status
 * updates that ended a month ago, and jobs of processes that were killed.
 */
export async function removeOldDeliveries(sql: Sql): Promise<void> {
  await sql`
    delete from webhook_deliveries
    where status = 'delivered' and finished_at < now() - interval '30 days'`;
  await sql`delete from status_updates where finished_at < now() - interval '30 days'`;
  // The webhooks that have notifications are found one after the other in the index, not in each of their rows.
  const removed = await sql<{ id: string }[]>`
    with recursive receivers as (
      select min(webhook_id) as id from webhook_deliveries
      union all
      select (select min(d.webhook_id) from webhook_deliveries d where d.webhook_id > receivers.id)
      from receivers where receivers.id is not null
    )
    select id from receivers where id is not null and not exists (select from webhooks w where w.id = receivers.id)`;
  // In one statement with this list, the planner did not know the ids, and expected to remove nearly all notifications.
  if (removed.length > 0) {
    await sql`delete from webhook_deliveries where webhook_id = any (${removed.map(({ id }) => id)}::text[])`;
  }
  // A job takes minutes at most, and the queue would hold it for four hours.
  await sql`
    select recon_queue.force_unlock_workers(array_agg(locked_by)) from recon_queue.jobs
    where locked_at < now() - interval '2 hours' having count(*) > 0`;
  await sql`
    select recon_queue.complete_jobs(array_agg(id)) from recon_queue.jobs
    where locked_at is null and attempts >= max_attempts having count(*) > 0`;
}
