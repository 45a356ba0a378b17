import { expect, test } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { countItems } from '../../src/items/count-items.js';
import { itemRows } from '../../src/items/item-rows.js';
import { noteAccepted } from '../../src/items/note-accepted.js';
import { runId } from '../../src/values/ids.js';
import { asOf, matchRun } from '../matching/findings.js';
import { id32, payment, record, rolledBack, storePayments, storeRecords } from '../matching/scenario.js';
import { databaseForAllTests } from '../support/database.js';

const testDatabase = databaseForAllTests();

const view = { asOf, timezone: 'UTC', isOnShards: false, looksUpRecords: true };
const long = '2026-11-10T10:00:00Z';

/** A first run, and every finding of it accepted and noted by a second one. */
async function acceptAll(tx: Tx): Promise<void> {
  await matchRun(tx, 1);
  await tx`
    insert into decisions (item, file_id, line, kind, basis, author, decided_on, decided_at, origin)
    select i.id, i.file_id, i.line, 'accept', i.facts, 'anna', '2026-11-20', now(), 'command'
    from (${itemRows(tx, view, { wanted: tx`d.resolved_run is null` })}) i`;
  await matchRun(tx, 2);
  await noteAccepted(tx, view);
  expect(await counts(tx, 2)).toEqual({ noted: 1, accepted: 1, open: 0, lapsed: 0 });
}

async function counts(tx: Tx, run: number) {
  const { accepted, open, lapsed } = await countItems(tx, view, runId(run));
  const [row] = await tx<{ noted: number }[]>`
    select count(*)::int as noted from discrepancies
    where resolved_run is null and accepted_at_risk_minor is not null`;
  return { noted: row?.noted, accepted, open, lapsed };
}

const part = (name: string, file: number) =>
  record(name, { file, uniqueId: id32('p1'), amount: 2000n, settlementAmount: 2000n });

test('an accept lapses when another record changes what the finding says', async () => {
  await rolledBack(testDatabase.database.sql, async (tx) => {
    await storePayments(tx, [payment('p1', { requestedAt: long })]);
    await storeRecords(tx, 1, [part('a', 1)]);
    await acceptAll(tx);
    await storeRecords(tx, 3, [part('b', 2)]);
    await matchRun(tx, 3);
    expect(await counts(tx, 3)).toEqual({ noted: 0, accepted: 0, open: 1, lapsed: 1 });
  });
});

test('an accept lapses when other payments are candidates, even if as many as before', async () => {
  await rolledBack(testDatabase.database.sql, async (tx) => {
    const candidate = (name: string) => payment(name, { requestedAt: long, shortId: 's1' });
    await storePayments(tx, [candidate('p1'), candidate('p2')]);
    await storeRecords(tx, 1, [record('a', { shortId: 's1' })]);
    await acceptAll(tx);
    await tx`update payments set result_code = '800.100.152' where id = ${id32('p2')}`;
    await storePayments(tx, [candidate('p3')]);
    await matchRun(tx, 3);
    expect(await counts(tx, 3)).toEqual({ noted: 0, accepted: 0, open: 1, lapsed: 1 });
  });
});

test('a finding that returns after it was resolved is compared with its decision again', async () => {
  await rolledBack(testDatabase.database.sql, async (tx) => {
    await storePayments(tx, [payment('p1', { requestedAt: long })]);
    await acceptAll(tx);
    await storeRecords(tx, 3, [record('a', { uniqueId: id32('p1') })]);
    await matchRun(tx, 3);
    expect(await counts(tx, 3)).toEqual({ noted: 0, accepted: 0, open: 0, lapsed: 0 });
    await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
      select file_id, 'withdraw', 'r', 'anna', now() from settlement_records`;
    await matchRun(tx, 4);
    expect(await counts(tx, 4)).toEqual({ noted: 0, accepted: 1, open: 0, lapsed: 0 });
  });
});
