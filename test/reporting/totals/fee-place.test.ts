import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunScope } from '../../../src/db/run-scope.js';
import { readTotals } from '../../../src/reporting/totals/read-totals.js';
import { runId } from '../../../src/values/ids.js';
import { rowsOf } from '../../support/rows-of.js';
import { createWorld, due, type Cells, type World } from '../world.js';

/** Whether a SettlementFee is in the SettlementAmount or beside it (docs/reports.md), at the edges between the two. */

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

/** A file with one row; what the totals say about it, as gross or refunds, fees deducted and fees charged. */
async function feesOf(run: number, cells: Cells): Promise<string> {
  await world.load({
    id: run,
    name: `${run}.csv`,
    finishedRunId: run,
    lines: [{ kind: 'record', cells: { SettlementTxId: `${run}`, ...cells } }],
  });
  const scope: RunScope = { kind: 'run', runId: runId(run), asOf: '2026-11-20' };
  const { byCurrency } = await world.transact((tx) => readTotals(tx, scope, due));
  const [total] = byCurrency;
  const money = cells['Cashflow'] === 'POS' ? total?.gross : total?.refunds;
  return `${money} ${total?.feesDeducted} ${total?.feesCharged}`;
}

const cases = rowsOf(`
  case                                           | flow | amount    | currency | rate     | settles       | fee     | expected
  inside an incoming amount                      | POS  | 10.00     | EUR      | 1.00     | 9.90          | 0.10    | 10.00 0.10 0.00
  beside an incoming amount                      | POS  | 10.00     | EUR      | 1.00     | 10.00         | 0.10    | 10.00 0.00 0.10
  given back with an incoming amount             | POS  | 10.00     | EUR      | 1.00     | 10.10         | 0.10    | 10.00 -0.10 0.00
  inside an outgoing amount                      | NEG  | 10.00     | EUR      | 1.00     | 10.10         | 0.10    | 10.00 0.10 0.00
  given back with an outgoing amount             | NEG  | 10.00     | EUR      | 1.00     | 9.90          | 0.10    | 10.00 -0.10 0.00
  as near inside as beside: beside               | POS  | 10.00     | EUR      | 1.00     | 9.95          | 0.10    | 9.95 0.00 0.10
  a little nearer inside                         | POS  | 10.00     | EUR      | 1.00     | 9.94          | 0.10    | 10.04 0.10 0.00
  as near given back as beside: beside           | POS  | 10.00     | EUR      | 1.00     | 10.05         | 0.10    | 10.05 0.00 0.10
  a little nearer given back                     | POS  | 10.00     | EUR      | 1.00     | 10.06         | 0.10    | 9.96 -0.10 0.00
  inside a converted amount                      | POS  | 10.00     | USD      | 0.90     | 8.90          | 0.10    | 9.00 0.10 0.00
  as near inside as beside a converted amount    | POS  | 10.00     | USD      | 0.90     | 8.95          | 0.10    | 8.95 0.00 0.10
  never given back with a converted amount       | POS  | 10.00     | USD      | 0.90     | 9.10          | 0.10    | 9.10 0.00 0.10
  inside an outgoing converted amount            | NEG  | 10.00     | USD      | 0.90     | 9.10          | 0.10    | 9.00 0.10 0.00
  inside an amount at a rate of seven digits     | POS  | 100000.00 | USD      | 90000.01 | 9000000000.00 | 1000.00 | 9000001000.00 1000.00 0.00
  inside the largest amount at the largest rate  | POS  | 9999999999.99 | USD  | 9999999999.99 | 9999999999.99 | 1.00 | 10000000000.99 1.00 0.00
`);

test.each(cases.map((row, index) => ({ name: row['case'], run: index + 1, row })))(
  'a fee $name',
  async ({ run, row }) => {
    const found = await feesOf(run, {
      PaymentType: row['flow'] === 'POS' ? 'DEBIT' : 'REFUND',
      Cashflow: row['flow'] ?? '',
      Amount: row['amount'] ?? '',
      Currency: row['currency'] ?? '',
      SettlementFxRate: row['rate'] ?? '',
      SettlementAmount: row['settles'] ?? '',
      SettlementCurrency: 'EUR',
      SettlementFee: row['fee'] ?? '',
    });
    expect(found).toBe(row['expected']);
  },
);
