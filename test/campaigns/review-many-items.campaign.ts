import { expect, test } from 'vitest';
import { repetitions, reportCounts } from '../support/campaign.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { Browser, startReview } from '../support/review-page.js';
import { fileOfRows, paymentId, settlementRow } from '../support/settlement-rows.js';
import { createInstallation } from '../cli/installation.js';

/*
 * `recon review` with 600,000 open items: the first view is there within 300 ms, and after a thousand requests the
 * process has no more memory or connections than before. Half of the items are of unknown payments, half have another
 * amount than their payment.
 */
const count = repetitions(600_000);
const asOf = '2026-11-20';
const firstViewMs = 300;
const megabyte = 1024 * 1024;

/** The median of several times, because one may hit a moment in which the machine does something else. */
async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < 5; at += 1) {
    const since = performance.now();
    await work();
    times.push(performance.now() - since);
  }
  return Math.round(times.sort((a, b) => a - b)[2] ?? 0);
}

test('600,000 open items', async () => {
  const installation = await createInstallation();
  const numbers = Array.from({ length: Math.floor(count / 2) }, (_, index) => index + 1);
  installation.write('payments.csv', paymentsFileOf(numbers.map((number) => paymentRow(number))));
  const amount = (number: number) => `${1 + (number % 90)}.${String(number % 100).padStart(2, '0')}`;
  const rowOf = (number: number) =>
    settlementRow({
      UniqueID: paymentId(number),
      SettlementTxId: `STL-${number}`,
      Amount: amount(number),
      AccountNumberLast4: '',
    });
  const rows = [...numbers, ...numbers.map((number) => number + 5_000_000)].map(rowOf);
  installation.write('settlement.csv', fileOfRows(rows));
  expect((await installation.recon('payments', 'import', 'payments.csv')).code).toBe(0);
  expect((await installation.recon('run', '--file', 'settlement.csv', '--as-of', asOf)).code).toBe(0);

  const since = performance.now();
  const page = await startReview(['--as-of', asOf, '--by', 'anna'], {
    cwd: installation.directory,
    environment: installation.environment,
  });
  const startMs = Math.round(performance.now() - since);
  const browser = new Browser(page.origin);
  await browser.open(page.link);
  const firstMs = await medianMs(() => browser.items());
  const wait = performance.now();
  while (!(await browser.items('?limit=1')).list.hasMarks) await new Promise((next) => setTimeout(next, 200));
  const marksMs = Math.round(performance.now() - wait);
  const times = {
    'ms until the link': startMs,
    'ms of the first view': firstMs,
    'ms until patterns and links are known': marksMs,
    'ms of a view then': await medianMs(() => browser.items()),
    'ms sorted by age': await medianMs(() => browser.items('?sort=age&direction=asc')),
    'ms of a code': await medianMs(() => browser.items('?code=NOT_MATCHED')),
    'ms of a text': await medianMs(() => browser.items('?text=stl-5000017')),
    'ms of sums': await medianMs(() => browser.json('/api/totals')),
    'ms of the overview': await medianMs(() => browser.overview()),
    'ms of patterns': await medianMs(() => browser.json('/api/patterns')),
  };
  reportCounts('recon review', { items: count, ...times });
  expect(firstMs).toBeLessThan(firstViewMs);
  expect(times['ms of a view then']).toBeLessThan(firstViewMs);

  const decideMs = await medianMs(async () => {
    const { items } = await browser.items('?limit=1');
    const seen = items.map(({ discrepancyId, basis }) => ({ id: discrepancyId, basis }));
    const accepted = await browser.decide({ kind: 'accept', reason: 'agreed', target: { seen } });
    expect(accepted.status).toBe(200);
  });
  const preview = performance.now();
  const target = { filter: { code: 'NOT_MATCHED' } };
  const bulk = await browser.decide({ kind: 'wait', until: '2026-12-24', dryRun: true, target });
  const previewMs = Math.round(performance.now() - preview);
  expect(bulk.items).toBeGreaterThan(count / 3);
  const stored = performance.now();
  const decided = await browser.decide({
    kind: 'wait',
    until: '2026-12-24',
    target: { ...target, basis: bulk.basis },
  });
  const bulkMs = Math.round(performance.now() - stored);
  expect(decided).toMatchObject({ status: 200, items: bulk.items });
  const renewal = performance.now();
  const viewMs = await medianMs(() => browser.items());
  while ((await browser.items('?limit=1')).list.isRenewed) await new Promise((next) => setTimeout(next, 200));
  const renewalMs = Math.round(performance.now() - renewal);
  expect(await browser.json('/api/totals?status=WAITING')).toMatchObject({ count: bulk.items });
  const afterMs = await medianMs(() => browser.items());
  reportCounts('recon review decides', {
    'ms of a decision with its view': decideMs,
    'items at once': bulk.items,
    'ms of their preview': previewMs,
    'ms to store them': bulkMs,
    'ms of a view meanwhile': viewMs,
    'ms until the order is new': renewalMs,
    'ms of a view then': afterMs,
  });
  expect(afterMs).toBeLessThan(firstViewMs);

  const { sql } = installation.database.database;
  const connections = async () => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity where datname = current_database()`;
    return row?.count ?? 0;
  };
  const ask = async (times: number) => {
    for (let at = 0; at < times; at += 1) {
      const { items } = await browser.items(`?limit=10&code=${at % 2 === 0 ? 'AMOUNT_MISMATCH' : ''}`);
      await browser.detail(items[at % items.length]?.discrepancyId ?? '');
    }
    globalThis.gc?.();
    return { heap: process.memoryUsage().heapUsed / megabyte, connections: await connections() };
  };
  const before = await ask(50);
  const after = await ask(500);
  reportCounts('recon review after a thousand requests', {
    'MB of heap more': Math.round(after.heap - before.heap),
    connections: after.connections,
  });
  expect(after.connections).toBeLessThanOrEqual(before.connections + 1);
  expect(after.heap - before.heap).toBeLessThan(40);
  expect(await page.stop()).toBe(130);
});
