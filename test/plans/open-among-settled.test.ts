import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { discrepancyList } from '../../src/listings/list-discrepancies.js';
import { webhookList } from '../../src/listings/list-webhooks.js';
import { rolledBack } from '../matching/scenario.js';
import { plansOf, recorderOfTests, rowsRead } from './record-plans.js';

/** A list of what is open or waiting does not read all that was resolved or delivered before. */
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

describe('with statistics', () => {
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
});
