import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { chargebackList } from '../../src/listings/list-chargebacks.js';
import { listItemsToDecide } from '../../src/items/items-to-decide.js';
import { everyOpenItem, listItems } from '../../src/items/list-items.js';
import { discrepancyList } from '../../src/listings/list-discrepancies.js';
import { webhookList } from '../../src/listings/list-webhooks.js';
import { planEvents } from '../../src/retention/old-events.js';
import { limitsOf } from '../../src/retention/limits.js';
import { keepsEverything } from '../../src/values/retention-policy.js';
import { removeOldDeliveries } from '../../src/webhooks/wake-webhooks.js';
import { rolledBack } from '../matching/scenario.js';
import { mostLoops, plansOf, recorderOfTests, rowsRead, tablesRead } from './record-plans.js';

/** A list of the few does not read the many: what was resolved or delivered before, or payments of other types. */
const settled = 20_000;
const open = 20;

const recorder = recorderOfTests();

async function storeFindings(tx: Tx): Promise<void> {
  await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
  await tx`
    insert into discrepancies (id, code, severity, message, first_seen_run, resolved_run, accepted_at_risk_minor,
      accepted_currency)
    select md5(n::text), 'MISSING_SETTLEMENT', 'error', 'is missing', 1, case when n > ${open}::int then 2 end,
      case when n % 2 = 0 then 100 end, case when n % 2 = 0 then 'EUR' end
    from generate_series(1, ${settled + open}::int) n`;
}

async function storeDeliveries(tx: Tx): Promise<void> {
  await tx`
    insert into webhooks (id, environment, entity_ids, types, url, wrapper, secret_key_id, secret_sealed, created_at,
      created_by)
    values ('w', 'test', '{}', '{}', 'https://shop.example/', 'none', 'k', 's', now(), 'test')`;
  await tx`
    insert into webhook_deliveries (webhook_id, sequence, status, finished_at)
    select 'w', n, case when n > ${open}::int then 'delivered' when n % 2 = 0 then 'dead' else 'waiting' end,
      case when n > ${open}::int or n % 2 = 0 then now() end
    from generate_series(1, ${settled + open}::int) n`;
}

async function storePayments(tx: Tx): Promise<void> {
  await tx`
    insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at, referenced_payment_id)
    select md5(n::text), case when n > ${open}::int then 'DB' else 'CB' end, 100, 'EUR', '000.000.000',
      '2026-11-01'::timestamptz + make_interval(mins => (n * 7919) % ${settled}::int),
      case when n <= ${open}::int then md5((n + ${open}::int)::text) end
    from generate_series(1, ${settled + open}::int) n`;
}

describe('with statistics', () => {
  it('chargebacks are listed and counted without reading all payments', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      await storePayments(tx);
      await tx`analyze payments`;
      const list = chargebackList({ paymentId: null, status: 'open' });
      const { result, plans } = await plansOf(recorder(), tx, async () => {
        let rows = 0;
        for await (const batch of list.batches(tx, null)) rows += batch.length;
        return { rows, total: await list.count(tx) };
      });
      expect(result).toEqual({ rows: open, total: open });
      expect(Math.max(...plans.map(({ root }) => rowsRead(root, 'payments')))).toBe(open);
    });
  });

  it('open discrepancies are listed and counted without reading those that were resolved', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      await storeFindings(tx);
      await tx`analyze discrepancies`;
      const list = discrepancyList({
        code: null,
        severity: null,
        from: null,
        to: null,
        timezone: 'UTC',
        runId: null,
        withResolved: false,
      });
      const { result, plans } = await plansOf(recorder(), tx, async () => {
        let rows = 0;
        for await (const batch of list.batches(tx, null)) rows += batch.length;
        return { rows, total: await list.count(tx) };
      });
      expect(result).toEqual({ rows: open, total: open });
      expect(Math.max(...plans.map(({ root }) => rowsRead(root, 'discrepancies')))).toBe(open);
    });
  });

  it('webhooks are listed without reading what was delivered', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      await storeDeliveries(tx);
      await tx`analyze webhook_deliveries`;
      const { result, plans } = await plansOf(recorder(), tx, async () => {
        for await (const [webhook] of webhookList().batches(tx, null)) return webhook;
        return undefined;
      });
      expect(result).toMatchObject({ waiting: open / 2, dead: open / 2 });
      expect(Math.max(...plans.map(({ root }) => rowsRead(root, 'webhook_deliveries')))).toBe(open);
    });
  });

  it.each(['RESOLVED', 'ACCEPTED'] as const)(
    'items that are %s are listed without what is open',
    async (status) => {
      await rolledBack(recorder().sql, async (tx) => {
        await storeFindings(tx);
        await tx`analyze discrepancies`;
        const view = { asOf: '2026-11-20', timezone: 'UTC' } as const;
        const { result, plans } = await plansOf(recorder(), tx, () =>
          listItems(tx, view, { ...everyOpenItem, status }, 50),
        );
        expect(result.total).toBe(status === 'RESOLVED' ? settled : 0);
        // Patterns and suggested links of what is open read the findings again.
        const readings = plans.map(({ root }) =>
          tablesRead(root).filter((table) => table === 'discrepancies'),
        );
        expect(Math.max(...readings.map(({ length }) => length))).toBe(1);
      });
    },
  );

  it('a decision about a few items reads these alone', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      await storeFindings(tx);
      await tx`create temporary table wanted_items on commit drop as
        select md5(n::text) as id from generate_series(1, 2) n`;
      await tx`analyze discrepancies`;
      await tx`analyze wanted_items`;
      const view = { asOf: '2026-11-20', timezone: 'UTC' } as const;
      const { plans } = await plansOf(recorder(), tx, () => listItemsToDecide(tx, view, 'accept', null));
      expect(Math.max(...plans.map(({ root }) => rowsRead(root, 'discrepancies')))).toBeLessThanOrEqual(2);
    });
  });

  it('notifications of removed webhooks are removed without reading those of all others', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      await storeDeliveries(tx);
      await tx`insert into webhook_deliveries (webhook_id, sequence)
        select 'removed', n from generate_series(1, ${open}::int) n`;
      await tx`analyze webhook_deliveries`;
      // A table without the rows of other tests costs less to read.
      await tx`select set_config('seq_page_cost', '0.1', true)`;
      const { plans } = await plansOf(recorder(), tx, () => removeOldDeliveries(tx as never));
      const [left] = await tx<{ rows: number }[]>`
        select count(*)::int as rows from webhook_deliveries where webhook_id = 'removed'`;
      expect(left?.rows).toBe(0);
      expect(Math.max(...plans.map(({ root }) => rowsRead(root, 'webhook_deliveries')))).toBeLessThan(
        3 * open,
      );
    });
  });
});

describe.each(['without statistics', 'with statistics'])('%s', (kind) => {
  it('a purge reads notifications and their deliveries once, whatever memory the server has', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      await tx`
        insert into payment_events (type, action, resource_id, environment, entity_id, payload, occurred_at)
        select 'PAYMENT', 'CREATED', n::text, 'test', 'e', '{}', '2026-01-01'::timestamptz + make_interval(mins => n)
        from generate_series(1, ${settled}::int) n`;
      await tx`
        insert into webhook_deliveries (webhook_id, sequence, status)
        select 'w', sequence, 'delivered' from payment_events where sequence % 2 = 0`;
      await tx`select set_config('work_mem', '64kB', true)`;
      if (kind === 'with statistics') await tx`analyze payment_events, webhook_deliveries`;
      const limits = limitsOf({ ...keepsEverything, eventsDays: 90 }, '2026-11-20', {
        lookbackDays: 60,
        settlementDueDays: 5,
      });
      const { result, plans } = await plansOf(recorder(), tx, async () => {
        const plan = await planEvents(tx, { limits, timezone: 'UTC' } as never);
        await plan.apply(tx);
        return plan.sums.removed.count;
      });
      expect(result).toBe(settled);
      const [left] = await tx<{ events: number; deliveries: number }[]>`
        select (select count(*)::int from payment_events) as events,
          (select count(*)::int from webhook_deliveries) as deliveries`;
      expect(left).toEqual({ events: 0, deliveries: 0 });
      // Two environments are asked for events that a program acknowledged, and parallel plans have some processes.
      expect(Math.max(...plans.map(({ root }) => mostLoops(root)))).toBeLessThan(open);
    });
  });
});
