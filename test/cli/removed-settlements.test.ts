import { afterEach, describe, expect, test, vi } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { inboxConfig } from './inbox.js';
import { createInstallation, paymentId, settlementFile, type Cells } from './installation.js';

/**
 * Payments of 100.00 were settled, and the month of their settlements is removed by `recon retire` or `recon purge`.
 * What comes later is compared with what was settled before, as if it were there.
 */

afterEach(() => {
  vi.useRealTimers();
});

type Removal = 'kept' | 'retired' | 'purged';
const removals = ['kept', 'retired', 'purged'] as const;
const commands = { kept: null, retired: ['retire', '--before', '2030-05-01'], purged: ['purge'] } as const;

async function createWorld(corrections: 'ask' | 'replace' = 'ask') {
  const world = await createInstallation();
  world.write(
    'recon.config.yaml',
    `${inboxConfig(`corrections: ${corrections}`)}retention: { recordsMonths: 3 }\n`,
  );
  const shared = { ShortId: '1234.5678.9012' };
  const payments = [paymentRow(1), paymentRow(2), paymentRow(3, shared), paymentRow(4, shared)];
  await world.recon('payments', 'import', world.write('payments.csv', paymentsFileOf(payments)));
  const setDate = (date: string) => vi.useFakeTimers({ toFake: ['Date'], now: new Date(date) });
  let files = 0;
  const items = async () => {
    const { document } = await world.json<{ code: string; file: string }[]>('items');
    return document.map(({ code, file }) => `${code} ${file}`);
  };
  return {
    run: async (date: string, ...rows: readonly Cells[]) => {
      setDate(date);
      files += 1;
      if (rows.length > 0) world.write(`inbox/${files}.csv`, settlementFile(...rows));
      const { document } = await world.json<RunOutcome>('run');
      expect(document).toMatchObject({ error: null });
      return { matching: document.matching, items: await items() };
    },
    accept: (code: string) => world.recon('decide', '--code', code, '--accept', '--reason', 'agreed'),
    decide: (kind: 'supersede' | 'keep-both', status: 'OPEN' | 'ACCEPTED' = 'OPEN') => {
      const filter = ['--code', 'RECORD_REDELIVERED', '--status', status];
      return world.recon('decide', ...filter, `--${kind}`, '--reason', 'as the sender says');
    },
    withdraw: (file: string) => world.recon('files', 'withdraw', file, '--reason', 'sent by mistake'),
    remove: async (removal: Removal, files: readonly string[] = ['1.csv'], date = '2031-01-10') => {
      setDate(date);
      const command = commands[removal];
      if (command === null) return;
      await world.recon(...command);
      const { document } = await world.json<{ name: string }[]>('files', '--status', 'retired');
      expect(document.map(({ name }) => name)).toEqual(files);
    },
    items,
    explain: async (record: string) => (await world.recon('explain', record)).stdout,
  };
}

/** A settlement of a payment; its amount is 100.00 unless another one is given. */
const settled = (payment: number, settlementTxId: string, amount = '100.00'): Cells => ({
  UniqueID: paymentId(payment),
  SettlementTxId: settlementTxId,
  Amount: amount,
});
const full = settled(1, 'STL-1');
const part = settled(1, 'STL-1', '60.00');
const byShortId: Cells = { ShortId: '1234.5678.9012', UniqueID: '', SettlementTxId: 'STL-9' };

interface Story {
  /** The settlements whose month is removed. */
  readonly before: readonly Cells[];
  /** What somebody accepts about them. */
  readonly accepts: string | null;
  /** What arrives after that. */
  readonly after: readonly Cells[];
}

const stories: readonly [name: string, story: Story, items: readonly string[]][] = [
  [
    'the payment is settled once more',
    { before: [full], accepts: null, after: [settled(1, 'STL-9')] },
    ['DUPLICATE_SETTLEMENT 3.csv'],
  ],
  [
    'an earlier day is settled once more',
    { before: [full], accepts: null, after: [{ ...settled(1, 'STL-9'), SettlementDate: '2029-12-01' }] },
    ['DUPLICATE_SETTLEMENT 3.csv'],
  ],
  [
    'the rest of the payment is settled',
    { before: [part], accepts: 'AMOUNT_MISMATCH', after: [settled(1, 'STL-9', '40.00')] },
    [],
  ],
  [
    'more than the rest is settled',
    { before: [part], accepts: 'AMOUNT_MISMATCH', after: [settled(1, 'STL-9', '50.00')] },
    ['AMOUNT_MISMATCH 3.csv'],
  ],
  ['the settlement comes again', { before: [full], accepts: null, after: [full] }, []],
  [
    'the settlement comes again, with another one',
    { before: [full], accepts: null, after: [full, settled(1, 'STL-9')] },
    ['DUPLICATE_SETTLEMENT 3.csv'],
  ],
  [
    'a settlement comes again that was accepted as a duplicate',
    {
      before: [full, settled(1, 'STL-2')],
      accepts: 'DUPLICATE_SETTLEMENT',
      after: [settled(1, 'STL-2')],
    },
    [],
  ],
  [
    'one of two payments with the same ShortId is settled, and a record names the ShortId',
    { before: [settled(3, 'STL-1')], accepts: null, after: [byShortId] },
    [],
  ],
];

describe.each(removals)('the month of the settlements was %s', (removal) => {
  test.each(stories)('%s', async (_, { before, accepts, after }, items) => {
    const world = await createWorld();
    await world.run('2030-01-15', ...before);
    if (accepts !== null) await world.accept(accepts);
    await world.run('2030-10-16', settled(2, 'STL-8'));
    await world.remove(removal);
    const found = await world.run('2031-01-11', ...after);
    expect(found.items).toEqual(items);
    // A run after that changes nothing.
    expect((await world.run('2031-01-12')).items).toEqual(items);
  });

  test('the explanation of a duplicate shows what was settled before it', async () => {
    const world = await createWorld();
    await world.run('2030-01-15', { ...full, SettlementDate: '2030-01-14' });
    await world.run('2030-10-16', settled(2, 'STL-8'));
    await world.remove(removal);
    await world.run('2031-01-11', { ...settled(1, 'STL-9'), SettlementDate: '2031-01-10' });
    const lines = (await world.explain('3.csv:2')).split('\n');
    expect(lines.filter((line) => /^ {2}20.* line 2 /.test(line))).toEqual([
      '  2030-01-14  1.csv line 2  STL-1  100.00 EUR  sum 100.00 of 100.00 EUR',
      '  2031-01-10  3.csv line 2  STL-9  100.00 EUR  duplicate, left out',
    ]);
  });
});

describe.each(['kept', 'purged'] as const)(
  'a settlement was corrected, and the month of the correction was %s',
  (removal) => {
    test.each<[corrections: 'ask' | 'replace', what: string, after: Cells, items: readonly string[]]>([
      ['ask', 'the rest is settled', settled(1, 'STL-9', '40.00'), []],
      ['ask', 'the payment is settled once more', settled(1, 'STL-9'), ['AMOUNT_MISMATCH 5.csv']],
      ['replace', 'the former settlement comes again', full, []],
      ['replace', 'the rest is settled', settled(1, 'STL-9', '40.00'), []],
    ])('corrections: %s, %s', async (corrections, _, after, items) => {
      const world = await createWorld(corrections);
      await world.run('2030-01-15', full, settled(2, 'STL-8'));
      await world.run('2030-02-15', part);
      if (corrections === 'ask') await world.decide('supersede');
      await world.run('2030-02-16');
      await world.accept('AMOUNT_MISMATCH');
      // A month of which a later file repeats a row is not purged.
      await world.run('2030-10-16', settled(2, 'STL-8'), settled(3, 'STL-7'));
      await world.remove(removal, ['2.csv']);
      expect((await world.run('2031-01-11', after)).items).toEqual(items);
      expect((await world.run('2031-01-12')).items).toEqual(items);
    });
  },
);

describe.each(removals)(
  'a settlement has several deliveries, and the month of the first one was %s',
  (removal) => {
    test('a later one waited, and replaces it', async () => {
      const world = await createWorld();
      await world.run('2030-01-15', full);
      await world.run('2030-10-15', settled(2, 'STL-8'), part);
      await world.accept('RECORD_REDELIVERED');
      await world.run('2030-10-16');
      await world.remove(removal);
      await world.decide('supersede', 'ACCEPTED');
      expect((await world.run('2031-01-11')).items).toEqual(['AMOUNT_MISMATCH 2.csv']);
      expect((await world.run('2031-01-12', settled(1, 'STL-9', '40.00'))).items).toEqual([]);
    });

    test('it comes again, and is corrected', async () => {
      const world = await createWorld();
      await world.run('2030-01-15', full);
      await world.run('2030-10-15', settled(2, 'STL-8'));
      await world.remove(removal);
      expect((await world.run('2031-01-11', settled(3, 'STL-7'), full)).items).toEqual([]);
      expect((await world.run('2031-01-12', part)).items).toEqual(['RECORD_REDELIVERED 4.csv']);
      await world.decide('supersede');
      expect((await world.run('2031-01-13')).items).toEqual(['AMOUNT_MISMATCH 4.csv']);
      expect((await world.run('2031-01-14', settled(1, 'STL-9', '40.00'))).items).toEqual([]);
    });

    test('both count, and it comes again', async () => {
      const world = await createWorld();
      await world.run('2030-01-15', part);
      await world.accept('AMOUNT_MISMATCH');
      await world.run('2030-10-15', settled(2, 'STL-8'), settled(1, 'STL-1', '40.00'));
      await world.decide('keep-both');
      expect((await world.run('2030-10-16')).items).toEqual([]);
      await world.remove(removal);
      // Nobody has decided about a removed record that is back. Until then, the removed one counts.
      const waits = removal === 'kept' ? [] : ['RECORD_REDELIVERED 4.csv'];
      expect((await world.run('2031-01-11', settled(3, 'STL-7'), part)).items).toEqual(waits);
      const sums = (await world.explain('2.csv:3')).split('\n').filter((line) => / sum /.test(line));
      expect(sums.at(-1)).toMatch(/ sum 100.00 of 100.00 EUR$/);
      await world.decide('keep-both');
      expect((await world.run('2031-01-12')).items).toEqual([]);
    });

    test('it comes again, its correction is withdrawn, and it is removed again', async () => {
      const world = await createWorld();
      await world.run('2030-01-15', full);
      await world.run('2030-10-15', settled(2, 'STL-8'));
      await world.remove(removal);
      await world.run('2031-01-11', settled(3, 'STL-7'), full);
      await world.run('2031-01-12', part);
      await world.decide('supersede');
      expect((await world.run('2031-01-13')).items).toEqual(['AMOUNT_MISMATCH 4.csv']);
      await world.withdraw('4.csv');
      expect((await world.run('2031-01-14')).items).toEqual([]);
      await world.run('2031-09-15', settled(4, 'STL-6'));
      if (removal !== 'kept')
        await world.remove('purged', ['4.csv', '3.csv', '2.csv', '1.csv'], '2031-12-10');
      expect((await world.run('2031-12-11', settled(1, 'STL-9'))).items).toEqual([
        'DUPLICATE_SETTLEMENT 8.csv',
      ]);
      expect(await world.explain('8.csv:2')).toMatch(/ sum 100.00 of 100.00 EUR\n.* duplicate, left out/);
    });
  },
);
