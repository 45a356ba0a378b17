import { afterEach, describe, expect, test, vi } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { chargeback, reversal } from './chargeback-rows.js';
import { inboxConfig } from './inbox.js';
import { createInstallation, paymentId, settlementFile, type Cells } from './installation.js';

/**
 * A record was matched by its ShortId, and its month is removed by `recon retire` or `recon purge`. Then another
 * payment is stored that it would be matched to, and the record is delivered again.
 */

afterEach(() => {
  vi.useRealTimers();
});

const removals = ['kept', 'retired', 'purged'] as const;
const commands = { kept: null, retired: ['retire', '--before', '2030-05-01'], purged: ['purge'] } as const;

const shared: Cells = { ShortId: '1234.5678.9012' };

async function createWorld() {
  const world = await createInstallation();
  world.write('recon.config.yaml', `${inboxConfig()}retention: { recordsMonths: 3 }\n`);
  const importPayments = (...rows: readonly Cells[]) =>
    world.recon('payments', 'import', world.write('payments.csv', paymentsFileOf(rows)));
  await importPayments(paymentRow(1, shared), paymentRow(2));
  const setDate = (date: string) => vi.useFakeTimers({ toFake: ['Date'], now: new Date(date) });
  let files = 0;
  return {
    importPayments,
    /** The lines of an explanation with the settlements of the payment and their sum. */
    sums: async (record: string) =>
      (await world.recon('explain', record)).stdout.split('\n').filter((line) => / sum /.test(line)),
    /** What is open after a run of these rows, and the bookings with the last digit of their payments. */
    run: async (date: string, ...rows: readonly (number | Cells)[]) => {
      setDate(date);
      files += 1;
      if (rows.length > 0) world.write(`inbox/${files}.csv`, settlementFile(...rows));
      const { document } = await world.json<RunOutcome>('run');
      expect(document).toMatchObject({ error: null });
      const items = await world.json<{ code: string; file: string }[]>('items');
      const bookings = await world.json<{ status: string; amount: string; paymentId: string }[]>(
        'chargebacks',
        'list',
      );
      return {
        items: items.document.map(({ code, file }) => `${code} ${file}`),
        bookings: bookings.document.map(
          ({ status, amount, paymentId: of }) => `${status} ${amount} of ${of.slice(-1)}`,
        ),
      };
    },
    remove: async (removal: (typeof removals)[number]) => {
      setDate('2031-01-10');
      const command = commands[removal];
      if (command === null) return;
      await world.recon(...command);
      const { document } = await world.json<{ name: string }[]>('files', '--status', 'retired');
      expect(document.map(({ name }) => name)).toEqual(['1.csv']);
    },
  };
}

describe.each(removals)('the month was %s', (removal) => {
  const named = { ...shared, UniqueID: paymentId(3) };
  const ofFirst = { ...reversal, UniqueID: paymentId(1) };

  test('a chargeback keeps its payment, and its reversal stays linked', async () => {
    const { run, remove, importPayments } = await createWorld();
    await run('2030-01-15', 1, { ...chargeback, ...named });
    await run('2030-10-15', ofFirst);
    await run('2030-10-16', 2);
    await remove(removal);
    await importPayments(paymentRow(3));
    const expected = { items: [], bookings: ['reversed 100.00 of 1'] };
    expect(await run('2031-01-11', { ...chargeback, ...named })).toEqual(expected);
    expect(await run('2031-01-12')).toEqual(expected);
  });

  test('a chargeback that several payments fit now keeps its payment', async () => {
    const { run, remove, importPayments } = await createWorld();
    const byShortId = { ...chargeback, ...shared, UniqueID: '' };
    await run('2030-01-15', 1, byShortId);
    await run('2030-10-16', 2);
    await remove(removal);
    await importPayments(paymentRow(3, shared));
    const expected = { items: [], bookings: ['open 100.00 of 1'] };
    expect(await run('2031-01-11', byShortId)).toEqual(expected);
    expect(await run('2031-01-12', ofFirst)).toEqual({ items: [], bookings: ['reversed 100.00 of 1'] });
  });

  test('a reversal keeps its chargeback', async () => {
    const { run, remove, importPayments } = await createWorld();
    const rows = [
      { ...chargeback, UniqueID: paymentId(1) },
      { ...reversal, ...named },
    ];
    await run('2030-01-15', 1, ...rows);
    await run('2030-10-16', 2);
    await remove(removal);
    await importPayments(paymentRow(3));
    const expected = { items: [], bookings: ['reversed 100.00 of 1'] };
    expect(await run('2031-01-11', ...rows.slice(1))).toEqual(expected);
    expect(await run('2031-01-12')).toEqual(expected);
  });

  test('a settlement of another payment now does not count for the former one', async () => {
    const { run, remove, importPayments, sums } = await createWorld();
    const settlement = { ...named, SettlementTxId: 'STL-1' };
    await run('2030-01-15', settlement);
    await run('2030-10-16', 2);
    await remove(removal);
    await importPayments(paymentRow(3));
    await run('2031-01-11', 2, settlement);
    const later = { UniqueID: paymentId(1), SettlementTxId: 'STL-9' };
    expect(await run('2031-01-12', later)).toEqual({ items: [], bookings: [] });
    expect(await sums('4.csv:2')).toHaveLength(1);
    expect(await run('2031-01-13', { ...later, SettlementTxId: 'STL-91' })).toMatchObject({
      items: ['DUPLICATE_SETTLEMENT 5.csv'],
    });
  });

  test('a settlement that several payments fit now is not matched to the one without it', async () => {
    const { run, remove, importPayments } = await createWorld();
    const settlement = { ...shared, UniqueID: '', SettlementTxId: 'STL-1' };
    await run('2030-01-15', settlement);
    await run('2030-10-16', 2);
    await remove(removal);
    await importPayments(paymentRow(3, shared));
    const found = await run('2031-01-11', 2, settlement);
    expect(found.items.map((item) => item.replace(/ .*/, ''))).toEqual(['MULTIPLE_MATCHES']);
    const later = { UniqueID: paymentId(1), SettlementTxId: 'STL-9' };
    expect(await run('2031-01-12', later)).toEqual({ items: [], bookings: [] });
  });
});
