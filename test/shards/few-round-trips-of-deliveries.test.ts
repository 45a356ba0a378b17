import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  chargeback,
  chargebackReversal,
  payment,
  paymentId,
  row,
  type Cells,
} from '../../scripts/fixtures/story.js';
import { startCounting, type Counted, type Counting } from './counted-installation.js';

/** The same of rows that several files have, of decisions about them, and of lists and commands that read them. */
let counting: Counting;

beforeAll(async () => {
  counting = await startCounting();
});

afterAll(() => counting.stop());

const amounts = { Amount: '20.00', SettlementAmount: '20.00' };
const asOf = ['--as-of', '2026-11-20'];
const november = ['rerun', '--from', '2026-11-01', '--to', '2026-11-30', ...asOf];
const runOf = (file: string) => ['run', ...asOf, '--file', file];

/** How `recon` names a file among several of one name. */
const nameOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 8);

/** `work` with some records and then with ten times as many must not ask a shard much more often. */
async function expectFewTrips<Name extends string>(
  installation: Counted,
  work: (numbers: readonly number[]) => Promise<Record<Name, number>>,
): Promise<void> {
  const numbersFrom = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => first + index * 10);
  const few = await work(numbersFrom(0, 20));
  const many = await work(numbersFrom(1000, 200));
  for (const [name, trips] of Object.entries<number>(many)) {
    const before = few[name as Name];
    expect.soft(trips, `${name}, ${before} before`).toBeLessThan(before * 1.5);
  }
  installation.close();
}

test('rows that two files have, and their comparison', { timeout: 600_000 }, async () => {
  const installation = await counting.installation();
  const { command, tripsOf } = installation;
  await expectFewTrips(installation, async (numbers) => {
    const of = (one: (n: number) => readonly Cells[]) => numbers.flatMap(one);
    const ShortId = (n: number) => `1000.${(n + 1000).toString().padStart(4, '0')}.1111`;
    const byShortId = (n: number, cells: Cells = {}) =>
      row(0, { ...amounts, ShortId: ShortId(n), SettlementTxId: `SHORT-${n}`, ...cells });
    const before = counting.writeFiles(
      of((n) =>
        [1, 2, 3].map((k) =>
          payment(n + k, { Amount: '20.00', ...(k === 3 ? { ShortId: ShortId(n) } : {}) }),
        ),
      ),
      of((n) => [row(n + 1, amounts), row(n + 2, amounts), byShortId(n), row(n + 5, amounts)]),
    );
    const again = counting.writeFiles(
      [],
      of((n) => [row(n + 1, amounts), row(n + 2, amounts), byShortId(n)]),
    );
    const other = { Descriptor: 'OTHER SHOP' };
    const after = counting.writeFiles(
      [],
      of((n) => [
        row(n + 1, amounts),
        row(n + 2, { ...amounts, ...other }),
        byShortId(n, other),
        row(n + 6, amounts),
      ]),
    );
    expect((await command('payments', 'import', before.payments)).code).toBe(0);
    expect((await command(...runOf(before.settlements))).code).toBe(0);
    expect((await command(...runOf(again.settlements))).code).toBe(0);
    const trips = {
      diffOfRepeated: await tripsOf('diff', nameOf(before.settlements), nameOf(again.settlements)),
    };
    expect((await command(...runOf(after.settlements))).code).toBe(0);
    const files = [nameOf(before.settlements), nameOf(after.settlements)];
    const found = await command('diff', ...files);
    expect(found.document).toMatchObject({ unchanged: numbers.length });
    expect(found.document).toHaveProperty('differences.length', 4 * numbers.length);
    return { ...trips, diff: await tripsOf('diff', ...files) };
  });
});

test('records that a person unlinked, and their messages', { timeout: 600_000 }, async () => {
  const installation = await counting.installation();
  const { command, tripsOf } = installation;
  const messages = async () => {
    const list = await command('discrepancies', '--code', 'NOT_MATCHED', '--limit', '1000');
    return list.document as unknown as readonly { readonly message: string }[];
  };
  await expectFewTrips(installation, async (numbers) => {
    const { payments, settlements } = counting.writeFiles(
      numbers.map((n) => payment(n + 1, { Amount: '20.00' })),
      numbers.map((n) => row(n + 1, { ...amounts, Brand: 'MASTER' })),
    );
    expect((await command('payments', 'import', payments)).code).toBe(0);
    expect((await command(...runOf(settlements))).code).toBe(0);
    const decide = (...args: string[]) => tripsOf('decide', ...args, ...asOf);
    const unlink = await decide('--code', 'BRAND_MISMATCH', '--unlink', '--reason', 'not ours');
    const unlinked = await tripsOf(...november);
    const sentences = await messages();
    for (const n of numbers) {
      const id = paymentId(n + 1);
      const named = `(UniqueID ${id}). It was unlinked from payment ${id}.`;
      expect(sentences.filter(({ message }) => message.endsWith(named))).toHaveLength(1);
    }
    return { unlink, unlinked };
  });
});

test('the list of chargebacks', { timeout: 600_000 }, async () => {
  const installation = await counting.installation();
  const { command, tripsOf } = installation;
  await expectFewTrips(installation, async (numbers) => {
    const { payments, settlements } = counting.writeFiles(
      numbers.map((n) => payment(n + 1, { Amount: '20.00' })),
      numbers.flatMap((n) => [
        row(n + 1, amounts),
        row(n + 1, { ...chargeback, ...amounts, SettlementTxId: `CB-${n}` }),
        row(n + 1, { ...chargebackReversal, ...amounts, SettlementTxId: `CR-${n}` }),
        row(n + 1, { ...chargeback, ...amounts, SettlementTxId: `CF-${n}`, SettlementStatus: 'FAILED' }),
      ]),
    );
    expect((await command('payments', 'import', payments)).code).toBe(0);
    expect((await command(...runOf(settlements))).code).toBe(0);
    const list = ['chargebacks', 'list', '--limit', '1000'];
    const trips = {
      list: await tripsOf(...list),
      reversed: await tripsOf(...list, '--status', 'reversed'),
      failed: await tripsOf(...list, '--status', 'failed'),
      one: await tripsOf(...list, '--payment', paymentId((numbers[0] ?? 0) + 1)),
    };
    const all = (await command(...list)).document as unknown as readonly {
      readonly reversedAmount: string;
      readonly status: string;
    }[];
    expect(all.filter(({ reversedAmount }) => reversedAmount === '20.00').length).toBeGreaterThanOrEqual(
      numbers.length,
    );
    expect(all.filter(({ status }) => status === 'failed').length).toBeGreaterThanOrEqual(numbers.length);
    return trips;
  });
});

test(
  'payments whose amount an import changed: lists, decisions and a purge',
  { timeout: 600_000 },
  async () => {
    const installation = await counting.installation();
    const { command, tripsOf } = installation;
    await expectFewTrips(installation, async (numbers) => {
      const paid = (Amount: string) =>
        counting.writeFiles(
          numbers.map((n) => payment(n + 1, { Amount })),
          numbers.map((n) => row(n + 1, { Amount: '19.00', SettlementAmount: '19.00' })),
        );
      const { payments, settlements } = paid('20.00');
      expect((await command('payments', 'import', payments)).code).toBe(0);
      expect((await command(...runOf(settlements))).code).toBe(0);
      expect((await command('payments', 'import', paid('21.00').payments, '--allow-changes')).code).toBe(0);
      return {
        items: await tripsOf('items', ...asOf),
        patterns: await tripsOf('items', '--patterns', ...asOf),
        decide: await tripsOf('decide', '--code', 'AMOUNT_MISMATCH', '--note', 'seen', ...asOf),
        purge: await tripsOf('purge', '--dry-run'),
      };
    });
  },
);
