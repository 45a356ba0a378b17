import { afterEach, expect, test, vi } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { chargeback, reversal } from './chargeback-rows.js';
import { inboxConfig } from './inbox.js';
import { createInstallation, paymentsFile, settlementFile, type Cells } from './installation.js';

/* The records of a chargeback that was returned in parts are removed, and a file brings one of the parts again. */

afterEach(() => {
  vi.useRealTimers();
});

const of = (amount: string, cells: Cells): Cells => ({ ...cells, Amount: amount, SettlementAmount: amount });

test('a removed part that is delivered again keeps its chargeback, also beside an open one of its amount', async () => {
  const world = await createInstallation();
  world.write('recon.config.yaml', inboxConfig());
  await world.recon('payments', 'import', world.write('payments.csv', paymentsFile(1, 2)));
  let files = 0;
  const run = async (date: string, ...rows: readonly (number | Cells)[]) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(date) });
    files += 1;
    world.write(`inbox/${files}.csv`, settlementFile(...rows));
    const { document } = await world.json<RunOutcome>('run');
    expect(document).toMatchObject({ error: null });
    const { document: listed } = await world.json<Listed[]>('chargebacks', 'list');
    return listed.map(({ status, amount, reversedAmount }) => `${status} ${amount} ${reversedAmount}`).sort();
  };
  const part = of('30.00', reversal);
  const rest = { ...of('20.00', reversal), SettlementTxId: 'CR-2' };
  expect(await run('2030-01-10', of('50.00', chargeback), part, rest)).toEqual(['reversed 50.00 50.00']);
  const both = ['open 30.00 0.00', 'reversed 50.00 50.00'];
  expect(await run('2031-01-09', { ...of('30.00', chargeback), SettlementTxId: 'CB-2' })).toEqual(both);
  await world.recon('retire', '--before', '2030-05-01');
  expect((await world.json<unknown[]>('files', '--status', 'retired')).document).toHaveLength(1);
  expect(await run('2031-01-12', part, 2)).toEqual(both);
});

interface Listed {
  readonly status: string;
  readonly amount: string;
  readonly reversedAmount: string;
}
