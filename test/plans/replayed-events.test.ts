import { expect, it } from 'vitest';
import { replayEvents } from '../../src/webhooks/send-again.js';
import { recorderOfTests, rowsRead } from './record-plans.js';

/** A replay of the last days reads the events of these days. It once read all that were ever stored. */
const events = 50_000;
const since = '2026-11-20T00:00:00Z';

const recorder = recorderOfTests();

it('a replay finds the events since a moment without reading all', async () => {
  const { sql, plans } = recorder();
  await sql`
    insert into payment_events (type, action, resource_id, environment, entity_id, payload, occurred_at)
    select 'PAYMENT', 'CREATED', n::text, 'test', 'a', '{}',
      ${since}::text::timestamptz + (n - ${events - 100}::int) * interval '1 minute'
    from generate_series(0, ${events - 1}::int) n`;
  await sql`
    insert into webhooks (id, environment, entity_ids, types, url, wrapper, secret_key_id, secret_sealed, created_at,
      created_by)
    values ('shop', 'test', '{a}', '{PAYMENT}', 'https://shop.example', 'none', 'key', 'sealed', now(), 'test')`;
  // The server does the same after so many events.
  await sql`vacuum analyze payment_events`;
  plans.length = 0;
  const { queued } = await replayEvents(sql, 'shop', since);
  await sql`select`;
  expect(queued).toBe(100);
  const read = plans.reduce((rows, { root }) => rows + rowsRead(root, 'payment_events'), 0);
  expect(read).toBeGreaterThanOrEqual(queued);
  expect(read).toBeLessThan(events / 2);
});
