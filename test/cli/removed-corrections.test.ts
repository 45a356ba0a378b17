import { afterEach, describe, expect, test, vi } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { chargeback, reversal } from './chargeback-rows.js';
import { inboxConfig } from './inbox.js';
import { createInstallation, paymentId, paymentsFile, settlementFile, type Cells } from './installation.js';

/** A sender corrects a chargeback, and the month of the former record is removed by `recon retire` or `recon purge`. */

afterEach(() => {
  vi.useRealTimers();
});

type Removal = 'kept' | 'retired' | 'purged';
const commands = { kept: null, retired: ['retire', '--before', '2030-05-01'], purged: ['purge'] } as const;

async function createWorld(corrections: 'ask' | 'replace') {
  const world = await createInstallation();
  const setCorrections = (mode: 'ask' | 'replace') =>
    world.write(
      'recon.config.yaml',
      `${inboxConfig(`corrections: ${mode}`)}retention: { recordsMonths: 3 }\n`,
    );
  setCorrections(corrections);
  const importPayments = (...numbers: readonly number[]) =>
    world.recon('payments', 'import', world.write('payments.csv', paymentsFile(...numbers)));
  await importPayments(1, 2);
  const setDate = (date: string) => vi.useFakeTimers({ toFake: ['Date'], now: new Date(date) });
  let files = 0;
  return {
    /** What a run of a file says: its exit code, the open items, and the bookings. */
    run: async (date: string, ...rows: readonly (number | Cells)[]) => {
      setDate(date);
      files += 1;
      if (rows.length > 0) world.write(`inbox/${files}.csv`, settlementFile(...rows));
      const { code, document } = await world.json<RunOutcome>('run');
      expect(document).toMatchObject({ error: null });
      const items = await world.json<{ code: string; file: string }[]>('items');
      const bookings = await world.json<{ status: string; amount: string }[]>('chargebacks', 'list');
      return {
        code,
        items: items.document.map((item) => `${item.code} ${item.file}`),
        bookings: bookings.document.map(({ status, amount }) => `${status} ${amount}`).sort(),
      };
    },
    decide: (kind: Decision) =>
      world.recon('decide', '--code', 'RECORD_REDELIVERED', `--${kind}`, '--reason', 'as the sender says'),
    decideAccepted: (kind: Decision) =>
      world.recon(
        'decide',
        '--status',
        'ACCEPTED',
        '--code',
        'RECORD_REDELIVERED',
        `--${kind}`,
        '--reason',
        'as the sender says',
      ),
    accept: (code = 'RECORD_REDELIVERED') =>
      world.recon('decide', '--code', code, '--accept', '--reason', 'as agreed'),
    explain: async (record: string) => (await world.recon('explain', record)).stdout,
    undo: async (record: string) => (await world.recon('decide', record, '--undo')).code,
    /** The accepted items. */
    accepted: async () => {
      const { document } = await world.json<{ code: string; file: string }[]>(
        'items',
        '--status',
        'ACCEPTED',
      );
      return document.map((item) => `${item.code} ${item.file}`);
    },
    rerun: async (from: string, to: string) => {
      const { code, stdout } = await world.json<RunOutcome>('rerun', '--from', from, '--to', to);
      return code === 0 ? code : stdout;
    },
    withdraw: (file: string) => world.recon('files', 'withdraw', file, '--reason', 'sent by mistake'),
    setCorrections,
    importPayments,
    remove: async (removal: Removal, files: readonly string[] = ['1.csv']) => {
      setDate('2031-01-10');
      const command = commands[removal];
      if (command === null) return;
      await world.recon(...command);
      const { document } = await world.json<{ name: string }[]>('files', '--status', 'retired');
      expect(document.map(({ name }) => name).sort()).toEqual(files);
    },
  };
}

type Decision = 'supersede' | 'keep-both';

interface Story {
  readonly corrections: 'ask' | 'replace';
  /** What arrives with the record that is corrected. */
  readonly beside: readonly Cells[];
  readonly former: Cells;
  /** What somebody decides about the record that is back. */
  readonly decision: Decision | null;
}

const chargebackIsBack = { corrections: 'ask', beside: [], former: chargeback } as const;
const half = { Amount: '50.00', SettlementAmount: '50.00' };
const reversalIsBack = {
  corrections: 'ask',
  beside: [
    { ...chargeback, ...half },
    { ...chargeback, ...half, SettlementTxId: 'CB-2' },
  ],
  former: { ...reversal, ...half },
} as const;
const exceeds = 'CHARGEBACK_EXCEEDS_PAYMENT';

describe('a chargeback or reversal was corrected, and the former record is back', () => {
  const bothCount = { ...chargebackIsBack, decision: 'keep-both' } as const;
  const bothReversalsCount = { ...reversalIsBack, decision: 'keep-both' } as const;
  const replacesAgain = { ...chargebackIsBack, decision: 'supersede' } as const;
  const replacesAtOnce = { ...chargebackIsBack, corrections: 'replace', decision: null } as const;

  test.each<
    [
      name: string,
      month: Removal,
      story: Story,
      expected: { items: readonly string[]; bookings: readonly string[] },
    ]
  >([
    ['both count', 'kept', bothCount, { items: [exceeds], bookings: ['open 100.00', 'open 30.00'] }],
    ['both count', 'retired', bothCount, { items: [exceeds], bookings: ['open 100.00', 'open 30.00'] }],
    ['both count', 'purged', bothCount, { items: [exceeds], bookings: ['open 100.00', 'open 30.00'] }],
    [
      'both reversals count',
      'kept',
      bothReversalsCount,
      { items: [], bookings: ['partly-reversed 50.00', 'reversed 50.00'] },
    ],
    [
      'both reversals count',
      'purged',
      bothReversalsCount,
      { items: [], bookings: ['partly-reversed 50.00', 'reversed 50.00'] },
    ],
    ['it replaces its correction', 'purged', replacesAgain, { items: [], bookings: ['open 100.00'] }],
    [
      'it replaces its correction at once',
      'purged',
      replacesAtOnce,
      { items: [], bookings: ['open 100.00'] },
    ],
  ])('%s: its month was %s', async (_, month, { corrections, beside, former, decision }, expected) => {
    const world = await createWorld(corrections);
    await world.run('2030-01-15', 1, ...beside, former);
    await world.run('2030-10-15', { ...former, Amount: '30.00', SettlementAmount: '30.00' });
    await world.decide('supersede');
    await world.run('2030-10-16', 2);
    await world.remove(month);
    await world.run('2031-01-11', former);
    if (decision !== null) await world.decide(decision);
    const after = await world.run('2031-01-12');
    expect({ ...after, items: after.items.map((item) => item.replace(/ .*/, '')) }).toEqual({
      code: 0,
      ...expected,
    });
    // A run after that changes nothing.
    expect(await world.run('2031-01-13')).toEqual(after);
  });
});

test.each<[month: Removal, bookings: readonly string[]]>([
  ['kept', ['open 100.00']],
  ['retired', ['withdrawn 0.00']],
  ['purged', ['withdrawn 0.00']],
])(
  'the file of a correction is withdrawn, and the month of the former record was %s',
  async (month, bookings) => {
    const world = await createWorld('ask');
    await world.run('2030-01-15', 1, chargeback);
    await world.run('2030-10-15', { ...chargeback, Amount: '30.00', SettlementAmount: '30.00' });
    await world.decide('supersede');
    expect((await world.run('2030-10-16', 2)).bookings).toEqual(['open 30.00']);
    await world.remove(month);
    await world.withdraw('2.csv');
    expect((await world.run('2031-01-11')).bookings).toEqual(bookings);
    // The former row restores what it was about.
    expect((await world.run('2031-01-12', chargeback)).bookings).toEqual(['open 100.00']);
  },
);

describe('a chargeback or reversal was corrected, both months are removed, and the correction is back', () => {
  const smaller = { Amount: '30.00', SettlementAmount: '30.00' };
  const chargebacks = { beside: [], former: chargeback, expected: ['open 30.00'] };
  const reversals = { beside: [chargeback], former: reversal, expected: ['partly-reversed 100.00'] };

  test.each<
    [
      name: string,
      month: Removal,
      story: { beside: readonly Cells[]; former: Cells; expected: readonly string[] },
    ]
  >([
    ['a chargeback', 'kept', chargebacks],
    ['a chargeback', 'retired', chargebacks],
    ['a chargeback', 'purged', chargebacks],
    ['a reversal', 'kept', reversals],
    ['a reversal', 'purged', reversals],
  ])('%s is booked once: the months were %s', async (_, month, { beside, former, expected }) => {
    const world = await createWorld('ask');
    const correction = { ...former, ...smaller };
    await world.run('2030-01-15', 1, ...beside, former);
    await world.run('2030-02-15', correction);
    await world.decide('supersede');
    const before = await world.run('2030-10-16', 2);
    expect(before).toEqual({ code: 0, items: [], bookings: expected });
    await world.remove(month, ['1.csv', '2.csv']);
    expect(await world.run('2031-01-11', correction, 1)).toEqual(before);
    expect(await world.run('2031-01-12')).toEqual(before);
  });
});

describe('the month of the correction of a chargeback is removed, and that of the former record stays', () => {
  const create = async (corrections: 'ask' | 'replace', month: Removal) => {
    const world = await createWorld(corrections);
    await world.run('2030-01-15', 1, chargeback);
    await world.run('2030-02-15', { ...chargeback, Amount: '30.00', SettlementAmount: '30.00' });
    await world.decide('supersede');
    // A month of which a later file repeats a row is not purged.
    await world.run('2030-10-16', 1, 2);
    await world.remove(month, ['2.csv']);
    return world;
  };

  test.each<[corrections: 'ask' | 'replace', month: Removal, bookings: readonly string[]]>([
    ['ask', 'purged', ['open 30.00']],
    ['replace', 'kept', ['open 100.00']],
    ['replace', 'purged', ['open 100.00']],
  ])('the former record is back, corrections: %s, the month was %s', async (corrections, month, bookings) => {
    const world = await create(corrections, month);
    const after = { code: 0, items: [], bookings };
    expect(await world.run('2031-01-11', 2, chargeback)).toEqual(after);
    expect(await world.run('2031-01-12')).toEqual(after);
  });

  test('a former record that never had an id is not booked beside the removed one', async () => {
    const world = await createWorld('replace');
    const early = { ...chargeback, UniqueID: paymentId(3) };
    await world.run('2030-01-15', 1, early);
    await world.run('2030-02-15', { ...early, Amount: '30.00', SettlementAmount: '30.00' });
    await world.importPayments(3);
    const before = await world.run('2030-02-16');
    expect(before).toEqual({ code: 0, items: [], bookings: ['open 30.00'] });
    await world.run('2030-10-16', 1, 2);
    world.setCorrections('ask');
    await world.remove('purged', ['2.csv']);
    expect(await world.run('2031-01-11', 2, early)).toEqual(before);
  });
});

test.each<[month: Removal]>([['kept'], ['purged']])(
  'a chargeback that waits beside a former one was accepted, and still waits: the month of the former one was %s',
  async (month) => {
    const world = await createWorld('ask');
    const waiting = {
      ...chargeback,
      Amount: '30.00',
      SettlementAmount: '30.00',
      SettlementDate: '2030-10-14',
    };
    await world.run('2030-01-15', 1, chargeback);
    await world.run('2030-10-15', 2, waiting);
    await world.accept();
    await world.run('2030-10-16');
    await world.remove(month);
    expect(await world.rerun('2030-10-14', '2030-10-14')).toBe(0);
    const accepted = ['RECORD_REDELIVERED 2.csv'];
    expect(await world.accepted()).toEqual(accepted);
    // With a third record of the same chargeback, all are compared again.
    expect(await world.run('2031-01-12', { ...waiting, Amount: '20.00', SettlementAmount: '20.00' })).toEqual(
      {
        code: 0,
        items: ['RECORD_REDELIVERED 4.csv'],
        bookings: ['open 100.00'],
      },
    );
    expect(await world.accepted()).toEqual(accepted);
    expect((await world.run('2031-01-13')).bookings).toEqual(['open 100.00']);
  },
);

describe('a chargeback or reversal waits beside a former one, and replaces it after the month of that was removed', () => {
  const chargebacks = { beside: [], former: chargeback, expected: ['open 30.00'] };
  const reversals = { beside: [chargeback], former: reversal, expected: ['partly-reversed 100.00'] };

  test.each<
    [
      name: string,
      by: 'decision' | 'setting',
      month: Removal,
      story: { beside: readonly Cells[]; former: Cells; expected: readonly string[] },
    ]
  >([
    ['a chargeback', 'decision', 'kept', chargebacks],
    ['a chargeback', 'decision', 'retired', chargebacks],
    ['a chargeback', 'decision', 'purged', chargebacks],
    ['a chargeback', 'setting', 'kept', chargebacks],
    ['a chargeback', 'setting', 'purged', chargebacks],
    ['a reversal', 'decision', 'kept', reversals],
    ['a reversal', 'decision', 'purged', reversals],
  ])('%s, by a %s: the month was %s', async (_, by, month, { beside, former, expected }) => {
    const world = await createWorld('ask');
    const smaller = { Amount: '30.00', SettlementAmount: '30.00', SettlementDate: '2030-10-14' };
    await world.run('2030-01-15', 1, ...beside, former);
    await world.run('2030-10-15', 2, { ...former, ...smaller });
    await world.accept();
    await world.run('2030-10-16');
    await world.remove(month);
    if (by === 'decision') await world.decideAccepted('supersede');
    else world.setCorrections('replace');
    const after = { code: 0, items: [], bookings: expected };
    expect(await world.run('2031-01-12')).toEqual(after);
    expect(await world.run('2031-01-13', 1, 2)).toEqual(after);
  });

  test('a decision that is taken back after that does not make the removed record count again', async () => {
    const world = await createWorld('ask');
    const smaller = { Amount: '30.00', SettlementAmount: '30.00', SettlementDate: '2030-10-14' };
    await world.run('2030-01-15', 1, chargeback);
    await world.run('2030-10-15', 2, { ...chargeback, ...smaller });
    await world.accept();
    await world.run('2030-10-16');
    await world.remove('purged');
    await world.decideAccepted('supersede');
    const before = await world.run('2031-01-12');
    const decided = await world.explain('2.csv:3');
    expect(decided).toContain('It replaces 1.csv line 3, as decided by');
    expect(await world.undo('2.csv:3')).toBe(0);
    expect(await world.run('2031-01-13', 1, 2)).toEqual(before);
    const explained = await world.explain('2.csv:3');
    expect(explained).toContain('It replaces 1.csv line 3, as it was decided by');
    expect(explained).toContain('That decision was taken back, but the records of 1.csv were removed');
    expect(explained).not.toContain('corrections: replace');
  });

  test.each<[month: Removal]>([['kept'], ['purged']])(
    'a reversal that failed takes no booking, and the former one returns no money any more: the month was %s',
    async (month) => {
      const world = await createWorld('ask');
      await world.run('2030-01-15', 1, chargeback, reversal);
      const failed = { ...reversal, SettlementStatus: 'FAILED', SettlementDate: '2030-10-14' };
      await world.run('2030-10-15', 2, failed);
      await world.accept();
      await world.accept('SETTLEMENT_FAILED');
      expect(await world.run('2030-10-16')).toMatchObject({ bookings: ['reversed 100.00'] });
      await world.remove(month);
      await world.decideAccepted('supersede');
      expect(await world.run('2031-01-12')).toMatchObject({ items: [], bookings: ['open 100.00'] });
      expect(await world.run('2031-01-13', 1, 2)).toMatchObject({ items: [], bookings: ['open 100.00'] });
    },
  );
});

test.each<[month: Removal]>([['kept'], ['purged']])(
  'a failed chargeback is back beside its repeat, and a reversal takes the repeat: the month was %s',
  async (month) => {
    const world = await createWorld('ask');
    const failed = { ...chargeback, SettlementStatus: 'FAILED' };
    await world.run('2030-01-15', 1, failed);
    await world.accept('SETTLEMENT_FAILED');
    await world.run('2030-10-15', 2, chargeback);
    await world.remove(month);
    const back = await world.run('2031-01-11', 2, failed);
    // Nobody has decided about a removed record that is back.
    const items = month === 'kept' ? [] : ['RECORD_REDELIVERED 3.csv'];
    expect(back).toEqual({ code: 0, items, bookings: ['failed 100.00', 'open 100.00'] });
    const reversed = { code: 0, items, bookings: ['failed 100.00', 'reversed 100.00'] };
    expect(await world.run('2031-01-12', reversal)).toEqual(reversed);
    expect(await world.run('2031-01-13')).toEqual(reversed);
  },
);
