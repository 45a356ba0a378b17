import { afterAll, beforeAll, expect, test } from 'vitest';
import { payment, paymentId, refund, row, type Cells } from '../../scripts/fixtures/story.js';
import { startCounting, type Counting, type Files } from './counted-installation.js';

/** The number of statements that a shard gets must not grow with the records of a run. */
let counting: Counting;

beforeAll(async () => {
  counting = await startCounting();
});

afterAll(() => counting.stop());

const writeFiles = (payments: readonly Cells[], rows: readonly Cells[]) =>
  counting.writeFiles(payments, rows);

const amounts = { Amount: '20.00', SettlementAmount: '20.00' };

/** Refunds that name the debit, debits that name the preauthorisation, and records whose payment is not stored yet. */
function writeFamilies(first: number, families: number): Files {
  const of = (one: (n: number) => readonly Cells[]) =>
    Array.from({ length: families }, (_, family) => one(first + family * 10)).flat();
  const paid = (n: number, PaymentType: string, reference = '') =>
    payment(n, { PaymentType, Amount: '20.00', ReferencedPaymentId: reference });
  return writeFiles(
    of((n) => [
      paid(n + 1, 'DB'),
      paid(n + 2, 'RF', paymentId(n + 1)),
      paid(n + 3, 'PA'),
      paid(n + 4, 'CP', paymentId(n + 3)),
      paid(n + 5, 'RF', paymentId(n + 4)),
    ]),
    of((n) => [
      row(n + 1, amounts),
      row(n + 1, { ...refund, ...amounts, SettlementTxId: `REFUND-1-${n}` }),
      row(n + 3, amounts),
      row(n + 3, { ...refund, ...amounts, SettlementTxId: `REFUND-3-${n}` }),
      // No payment has this amount, so that account, amount and time find none either.
      row(n + 9, { Amount: '33.00', SettlementAmount: '33.00' }),
    ]),
  );
}

/** Records whose short id two payments have. */
function writeAmbiguous(first: number, records: number, amountOfSecond = '20.00'): Files {
  const numbers = Array.from({ length: records }, (_, index) => first + index * 10);
  const ShortId = (n: number) => `1000.${(n + 1000).toString().padStart(4, '0')}.1111`;
  return writeFiles(
    numbers.flatMap((n) => [
      payment(n + 1, { ShortId: ShortId(n), Amount: '20.00' }),
      payment(n + 2, { ShortId: ShortId(n), Amount: amountOfSecond }),
    ]),
    numbers.map((n) => row(0, { ...amounts, ShortId: ShortId(n), SettlementTxId: `SHORT-${n}` })),
  );
}

const run = ({ settlements }: Files) => ['run', '--as-of', '2026-11-20', '--file', settlements];

test(
  'a run with ten times the families and unmatched records asks a shard hardly more often',
  { timeout: 300_000 },
  async () => {
    const { command, tripsOf, reports, close } = await counting.installation();
    const tripsOfRun = async (files: Files) => {
      expect((await command('payments', 'import', files.payments)).code).toBe(0);
      return tripsOf(...run(files));
    };
    const few = await tripsOfRun(writeFamilies(0, 20));
    const many = await tripsOfRun(writeFamilies(1000, 200));
    expect(many).toBeLessThan(few * 1.5);
    // Each family was found: a refund that names its preauthorisation is matched to the refund.
    const reconciled = Object.entries(reports()).filter(([name]) => name.includes('reconciled'));
    const refunds = reconciled.flatMap(([, text]) => text.match(/;MATCHED;8ac7a4a1\d+5;/g) ?? []);
    expect(refunds).toHaveLength(220);
    close();
  },
);

test(
  'ten times the records with several payments: runs, reports, lists and decisions ask a shard hardly more often',
  { timeout: 300_000 },
  async () => {
    const { command, tripsOf, reports, close } = await counting.installation();
    const november = ['--from', '2026-11-01', '--to', '2026-11-30', '--as-of', '2026-11-20'];
    const filter = ['--code', 'MULTIPLE_MATCHES'];
    const tripsOfAll = async (first: number, records: number) => {
      const files = writeAmbiguous(first, records);
      expect((await command('payments', 'import', files.payments)).code).toBe(0);
      const trips = {
        run: await tripsOf(...run(files)),
        rerun: await tripsOf('rerun', ...november),
        report: await tripsOf('report'),
        items: await tripsOf('items'),
        patterns: await tripsOf('items', '--patterns'),
        decide: await tripsOf('decide', ...filter, '--accept', '--reason', 'known', '--by', 'Ann'),
        accepted: await tripsOf('items', '--status', 'ACCEPTED'),
      };
      const changed = writeAmbiguous(first, records, '21.00');
      expect((await command('payments', 'import', changed.payments, '--allow-changes')).code).toBe(0);
      return { ...trips, changed: await tripsOf('rerun', ...november) };
    };
    const few = await tripsOfAll(0, 20);
    const many = await tripsOfAll(1000, 200);
    for (const name of [
      'run',
      'rerun',
      'report',
      'items',
      'patterns',
      'decide',
      'accepted',
      'changed',
    ] as const)
      expect.soft(many[name], `${name}, ${few[name]} before`).toBeLessThan(few[name] * 1.5);
    const discrepancies = Object.entries(reports()).filter(([name]) => name.includes('discrepancies'));
    const candidates = discrepancies.flatMap(
      ([, text]) => text.match(/;"MULTIPLE_MATCHES";"8ac7a4a1\d+1,8ac7a4a1\d+2";/g) ?? [],
    );
    expect(new Set(candidates).size).toBe(220);
    close();
  },
);

test('changes of ten times the payments ask a shard hardly more often', { timeout: 300_000 }, async () => {
  const { command, tripsOf, close } = await counting.installation();
  const tripsOfChanges = async (first: number, count: number) => {
    const paid = (cells: Cells) =>
      writeFiles(
        Array.from({ length: count }, (_, index) => payment(first + index, { Amount: '20.00', ...cells })),
        [],
      ).payments;
    expect((await command('payments', 'import', paid({}))).code).toBe(0);
    return tripsOf('payments', 'import', paid({ Amount: '21.00', ShortId: '' }), '--allow-changes');
  };
  const few = await tripsOfChanges(1, 20);
  const many = await tripsOfChanges(1000, 200);
  expect(many).toBeLessThan(few * 1.5);
  const changes = await command('payments', 'changes');
  expect(JSON.stringify(changes.document).match(/"newValue":"21.00"/g)).toHaveLength(220);
  close();
});

test(
  'a comparison of runs with ten times the changed results asks a shard hardly more often',
  { timeout: 300_000 },
  async () => {
    const tripsOfDiff = async (records: number) => {
      const { command, tripsOf, close } = await counting.installation();
      const numbers = Array.from({ length: records }, (_, index) => index + 1);
      const rows = numbers.map((n) => row(n, amounts));
      const before = writeFiles([], rows);
      const after = writeFiles(
        numbers.map((n) => payment(n, { Amount: '20.00' })),
        [row(0, { ...amounts, SettlementTxId: 'NEW' })],
      );
      expect((await command(...run(before))).code).toBe(0);
      expect((await command('payments', 'import', after.payments)).code).toBe(0);
      expect((await command(...run(after))).code).toBe(0);
      const trips = await tripsOf('diff', 'run:1', 'run:2');
      const found = await command('diff', 'run:1', 'run:2');
      expect(found.document).toHaveProperty('results.length', records);
      close();
      return trips;
    };
    expect(await tripsOfDiff(200)).toBeLessThan((await tripsOfDiff(20)) * 1.5);
  },
);
