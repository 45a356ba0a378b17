import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { fillSortedItems } from '../../src/items/sorted-items.js';
import { openCurrentList } from '../../src/review/current-list.js';
import { createTestDatabase } from '../support/database.js';
import { deferred } from '../support/deferred.js';

test.each([
  ['a server that does not say how much a step may use', undefined, '64MB'],
  ['the embedded server in a small container', '16MB', '16MB'],
])('on %s, a list is kept in as much memory as one step may use', async (_what, step, expected) => {
  const own = await createTestDatabase();
  onTestFinished(() => own.drop());
  const size = await own.database.sql.begin(async (session) => {
    if (step !== undefined) await session`select set_config('recon.work_mem', ${step}, true)`;
    await fillSortedItems(session, { asOf: '2026-11-20', timezone: 'UTC' }, 'unresolved');
    const [row] = await session<{ size: string }[]>`select current_setting('temp_buffers') as size`;
    return row?.size;
  });
  expect(size).toBe(expected);
});

test('a request that reads the list while another takes its place gets its answer', async () => {
  const own = await createTestDatabase();
  const { database } = own;
  const view = { asOf: '2026-11-20', timezone: 'UTC' };
  const logger = pino({ enabled: false });
  const list = openCurrentList({ database, logger, viewOf: () => ({ ...view }), kind: 'unresolved' });
  onTestFinished(async () => {
    await list.close();
    await own.drop();
  });
  const sessions = async () => {
    const [row] = await database.sql<{ count: number }[]>`
      select count(distinct backend)::int as count from (
        select pg_stat_get_backend_pid(id) as backend, pg_stat_get_backend_activity(id) as statement
        from pg_stat_get_backend_idset() id) s where statement like '%sorted_items%' and backend <> pg_backend_pid()`;
    return row?.count;
  };

  const hasBegun = deferred();
  const mayGoOn = deferred();
  const reading = list.read(async (session) => {
    hasBegun.resolve();
    await mayGoOn.promise;
    return session`select count(*)::int as count from sorted_items`;
  });
  await hasBegun.promise;
  // A new day, as after a run: the list is read again.
  view.asOf = '2026-11-21';
  await list.read((session) => session`select from sorted_items`);
  await sleep(100);
  mayGoOn.resolve();
  expect(await reading).toEqual([{ count: 0 }]);
  expect(await sessions()).toBe(1);
});
