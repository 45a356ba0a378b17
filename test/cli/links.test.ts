import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import {
  createInstallation,
  paymentId,
  settlementFile,
  type Cells,
  type Installation,
} from './installation.js';

/** What `link` and `unlink` change (design 4.9), from files to reports: files in, decide, run again, reports out. */

const asOf = ['--as-of', '2026-11-25'] as const;
/** The payments of 2026-11-18 are due in it too. */
const rerunOfMonth = ['rerun', '--from', '2026-11-01', '--to', '2026-11-30', ...asOf] as const;

async function world(payments: readonly Cells[], ...rows: readonly Cells[]): Promise<Installation> {
  const installation = await createInstallation();
  installation.write('payments.csv', paymentsFileOf(payments));
  expect((await installation.recon('payments', 'import', 'payments.csv')).code).toBe(0);
  await run(installation, 'settlement.csv', ...rows);
  return installation;
}

async function run(installation: Installation, name: string, ...rows: readonly Cells[]): Promise<RunOutcome> {
  const file = installation.write(name, settlementFile(...rows));
  const { code, document, stdout } = await installation.json<RunOutcome>('run', '--file', file, ...asOf);
  expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' });
  return document;
}

async function rerun(installation: Installation): Promise<RunOutcome> {
  const { code, document } = await installation.json<RunOutcome>(...rerunOfMonth);
  expect(code).toBe(0);
  return document;
}

async function decide(installation: Installation, ...args: string[]): Promise<void> {
  const { code, stderr } = await installation.recon('decide', ...args, '--by', 'anna', ...asOf);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

/** Columns 34 to 36 of each row of the reconciled file. */
function reconciled({ reports }: RunOutcome): string[] {
  const name = reports?.reconciled.find((each) => each.endsWith('settlement.csv'));
  const file = readFileSync(name ?? '', 'utf8');
  return file
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(';').slice(33).join(' ').trim());
}

/** Code, MatchedBy and payment of each discrepancy. */
function discrepancies({ reports }: RunOutcome): string[] {
  const [head = '', ...lines] = readFileSync(reports?.discrepancies ?? '', 'utf8')
    .replace('\uFEFF', '')
    .trimEnd()
    .split('\r\n');
  const at = (name: string) => head.split(';').indexOf(name);
  return lines
    .map((line) => line.split(';'))
    .map((cells) =>
      ['Code', 'MatchedBy', 'PaymentId'].map((name) => (cells[at(name)] ?? '').replaceAll('"', '')),
    )
    .map(([code, by, payment = '']) => `${code ?? ''} ${by ?? ''} ${payment.slice(-2)}`.trim())
    .sort();
}

const explained = async (installation: Installation, reference: string) =>
  (await installation.recon('explain', reference)).stdout;

const payments = (count: number) => Array.from({ length: count }, (_, index) => paymentRow(index + 1));
const named = (number: number, cells: Cells = {}): Cells => ({
  UniqueID: paymentId(number),
  SettlementTxId: `STL-${number}`,
  ...cells,
});
const unknown = named(99);

describe('a link', () => {
  test('settles a record without payment: file, findings, sums and explanation follow; an undo reverses it', async () => {
    const shop = await world(payments(1), unknown);
    const before = await rerun(shop);
    expect(reconciled(before)).toEqual(['NOT_MATCHED']);
    expect(discrepancies(before)).toEqual(['MISSING_SETTLEMENT  01', 'NOT_MATCHED']);

    await decide(shop, 'settlement.csv:2', '--link', paymentId(1), '--reason', 'same order');
    expect(await explained(shop, 'settlement.csv:2')).toContain(
      'The next run, or a re-run of its settlement date',
    );
    const linked = await rerun(shop);
    expect(reconciled(linked)).toEqual([`MATCHED ${paymentId(1)}`]);
    expect(discrepancies(linked)).toEqual([]);
    expect(linked.matching).toMatchObject({ MATCHED: 1, NOT_MATCHED: 0 });
    expect(linked.items).toMatchObject({ open: 0 });
    const text = await explained(shop, 'settlement.csv:2');
    expect(text).toContain(
      `link     belongs to payment ${paymentId(1)}, whatever the keys find (anna, 2026-11-25): same order`,
    );
    expect(text).toContain(`Result: MATCHED by MANUAL ${paymentId(1)}`);
    expect(text).toContain('sum 100.00 of 100.00');

    await decide(shop, 'settlement.csv:2', '--undo');
    const undone = await rerun(shop);
    expect(reconciled(undone)).toEqual(['NOT_MATCHED']);
    expect(discrepancies(undone)).toEqual(['MISSING_SETTLEMENT  01', 'NOT_MATCHED']);
    expect(undone.items).toMatchObject({ open: 2, new: 0 });
  });

  test('takes effect in the next run too, survives every later one, and changes nothing twice', async () => {
    const shop = await world(payments(2), unknown);
    await decide(shop, 'settlement.csv:2', '--link', paymentId(1));
    expect((await run(shop, 'next.csv', named(2))).matching).toMatchObject({ MATCHED: 2, NOT_MATCHED: 0 });
    expect((await run(shop, 'later.csv', named(98))).matching).toMatchObject({ MATCHED: 0, NOT_MATCHED: 1 });
    const first = await rerun(shop);
    const again = await rerun(shop);
    expect(readFileSync(again.reports?.discrepancies ?? '')).toEqual(
      readFileSync(first.reports?.discrepancies ?? ''),
    );
    expect(reconciled(again)).toEqual([`MATCHED ${paymentId(1)}`]);
  });

  test('decides between several payments', async () => {
    const twins = payments(2).map((each) => ({ ...each, ShortId: '1234.5678.9012' }));
    const shop = await world(twins, { ShortId: '1234.5678.9012', SettlementTxId: 'STL-1' });
    const before = await rerun(shop);
    expect(reconciled(before)).toEqual([`MULTIPLE_MATCHES ${paymentId(1)},${paymentId(2)}`]);
    await decide(shop, 'settlement.csv:2', '--link', paymentId(2));
    const linked = await rerun(shop);
    expect(reconciled(linked)).toEqual([`MATCHED ${paymentId(2)}`]);
    expect(discrepancies(linked)).toEqual(['MISSING_SETTLEMENT  01']);
  });

  test('to a payment of another currency or type holds, and the report says what does not fit', async () => {
    const shop = await world(
      [
        paymentRow(1, { Currency: 'USD' }),
        paymentRow(2, { PaymentType: 'RF', Timestamp: '2026-11-24 10:00:00+0000' }),
      ],
      named(98),
      named(99),
    );
    await decide(shop, 'settlement.csv:2', '--link', paymentId(1));
    await decide(shop, 'settlement.csv:3', '--link', paymentId(2));
    const linked = await rerun(shop);
    expect(reconciled(linked)).toEqual([`MATCHED ${paymentId(1)}`, `MATCHED ${paymentId(2)}`]);
    expect(discrepancies(linked)).toEqual(['CURRENCY_MISMATCH MANUAL 01', 'TYPE_MISMATCH MANUAL 02']);
  });
});

describe('an unlink', () => {
  test('takes a record from its payment and keeps it from that payment', async () => {
    const shop = await world(payments(1), named(1));
    await decide(shop, 'settlement.csv:2', '--unlink', '--reason', 'another shop');
    const unlinked = await rerun(shop);
    expect(reconciled(unlinked)).toEqual(['NOT_MATCHED']);
    expect(discrepancies(unlinked)).toEqual(['MISSING_SETTLEMENT  01', 'NOT_MATCHED']);
    // The payment that UniqueID names is stored: without the last sentence, the message would be wrong.
    const explanation = await explained(shop, 'settlement.csv:2');
    expect(explanation).toContain(
      `(UniqueID ${paymentId(1)}). It was unlinked from payment ${paymentId(1)}.`,
    );
    expect(explanation).toContain(
      `UNIQUE_ID        ${paymentId(1)}: finds only unlinked payments, 1 payment`,
    );
    await run(shop, 'next.csv', named(98));
    const later = await rerun(shop);
    expect(reconciled(later)).toEqual(['NOT_MATCHED']);
    expect(await explained(shop, 'settlement.csv:2')).toContain(
      `unlink   does not belong to payment ${paymentId(1)} (anna, 2026-11-25): another shop`,
    );

    await decide(shop, 'settlement.csv:2', '--undo');
    const undone = await rerun(shop);
    expect(reconciled(undone)).toEqual([`MATCHED ${paymentId(1)}`]);
    // That of next.csv.
    expect(discrepancies(undone)).toEqual(['NOT_MATCHED']);
  });

  test('lets a weaker key find another payment', async () => {
    const shop = await world(
      [paymentRow(1), paymentRow(2, { ShortId: '1234.5678.9012' })],
      named(1, { ShortId: '1234.5678.9012' }),
    );
    await decide(shop, 'settlement.csv:2', '--unlink');
    const unlinked = await rerun(shop);
    expect(reconciled(unlinked)).toEqual([`MATCHED ${paymentId(2)}`]);
    expect(discrepancies(unlinked)).toEqual(['MISSING_SETTLEMENT  01']);
  });

  test('that was taken back is no reason to link a record that is matched', async () => {
    const shop = await world(payments(2), named(1));
    await decide(shop, 'settlement.csv:2', '--unlink');
    await decide(shop, 'settlement.csv:2', '--undo');
    const link = ['decide', 'settlement.csv:2', '--link', paymentId(2), '--by', 'anna', ...asOf];
    const refused = await shop.recon(...link);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(
      'settlement.csv:2 has a record that is matched already; --unlink it first.',
    );
  });

  test('is the same when two people decide it before the next run', async () => {
    const shop = await world(payments(1), named(1));
    await decide(shop, 'settlement.csv:2', '--unlink');
    await decide(shop, 'settlement.csv:2', '--unlink');
    expect(reconciled(await rerun(shop))).toEqual(['NOT_MATCHED']);
    await decide(shop, 'settlement.csv:2', '--undo');
    expect(reconciled(await rerun(shop))).toEqual(['NOT_MATCHED']);
  });

  test('followed by a link moves a record to another payment', async () => {
    const shop = await world(payments(2), named(1));
    await decide(shop, 'settlement.csv:2', '--unlink');
    await decide(shop, 'settlement.csv:2', '--link', paymentId(2));
    expect(reconciled(await rerun(shop))).toEqual([`MATCHED ${paymentId(2)}`]);
    await decide(shop, 'settlement.csv:2', '--undo');
    expect(reconciled(await rerun(shop))).toEqual(['NOT_MATCHED']);
    await decide(shop, 'settlement.csv:2', '--undo');
    expect(reconciled(await rerun(shop))).toEqual([`MATCHED ${paymentId(1)}`]);
  });
});

describe('a chargeback', () => {
  const chargeback: Cells = {
    ReconciliationType: 'CHARGEBACK',
    Cashflow: 'NEG',
    ReasonCode: '000.100.220',
    SettlementTxId: 'CB-1',
  };
  const reversal: Cells = { ReconciliationType: 'CHARGEBACK REVERSAL', SettlementTxId: 'CR-1' };
  const booked = async ({ database }: Installation) => {
    const rows = await database.database.sql<{ line: string }[]>`
      select payment_type || ' ' || amount_minor || ' of ' || right(referenced_payment_id, 2) as line
      from payments where payment_type in ('CB', 'CR') order by payment_type`;
    return rows.map(({ line }) =>
      line.replace(/of [0-9a-f]{2}$/, (end) => (/of 0\d/.test(end) ? end : 'of CB')),
    );
  };
  const id = (line = '') => line.split(' ').at(-1) ?? '';

  test('gets its id by a link, loses it by the undo, and gets the same again', async () => {
    const shop = await world(payments(1), named(99, chargeback));
    await decide(shop, 'settlement.csv:2', '--link', paymentId(1));
    const [first = ''] = reconciled(await rerun(shop));
    expect(first).toMatch(new RegExp(`^MATCHED ${paymentId(1)} [0-9a-f]{32}$`));
    expect(await booked(shop)).toEqual(['CB 10000 of 01']);
    await decide(shop, 'settlement.csv:2', '--undo');
    const toItself = await shop.recon('decide', 'settlement.csv:2', '--link', id(first), ...asOf);
    expect(toItself.stderr).toContain('is a booked chargeback');
    expect(reconciled(await rerun(shop))).toEqual(['NOT_MATCHED']);
    expect(await booked(shop)).toEqual(['CB 0 of 01']);
    await decide(shop, 'settlement.csv:2', '--link', paymentId(1));
    expect(reconciled(await rerun(shop))).toEqual([first]);
    expect(await booked(shop)).toEqual(['CB 10000 of 01']);
  });

  test('that is moved to another payment keeps its id, and its reversal waits until it is moved too', async () => {
    const shop = await world(payments(2), named(1, chargeback), named(1, reversal), named(1), named(2));
    const [before = ''] = reconciled(await rerun(shop));
    await decide(shop, 'settlement.csv:2', '--unlink');
    await decide(shop, 'settlement.csv:2', '--link', paymentId(2));
    const moved = await rerun(shop);
    const [cb = '', cr = ''] = reconciled(moved);
    expect(cb).toBe(`MATCHED ${paymentId(2)} ${id(before)}`);
    expect(cr).toBe(`MATCHED ${paymentId(1)}`);
    expect(discrepancies(moved)).toEqual(['REVERSAL_WITHOUT_CHARGEBACK UNIQUE_ID 01']);
    expect((await booked(shop))[0]).toBe('CB 10000 of 02');
    expect((await booked(shop))[1]).toContain('CR 0 ');
    await decide(shop, 'settlement.csv:3', '--unlink');
    await decide(shop, 'settlement.csv:3', '--link', paymentId(2));
    const both = await rerun(shop);
    expect(reconciled(both)[1]).toBe(`MATCHED ${paymentId(2)} ${id(before)}`);
    expect(discrepancies(both)).toEqual([]);
    expect((await booked(shop))[1]).toContain('CR 10000 ');
  });
});

test('a record that does not count, and one of a fee of the account, cannot be linked, and the message says why', async () => {
  const fee = { ReconciliationType: 'FEE', PaymentType: 'MONTHLY', UniqueID: '', SettlementTxId: 'FEE-1' };
  const installation = await world([paymentRow(1)], { UniqueID: paymentId(2), SettlementTxId: 'STL-2' }, fee);
  const link = async (line: number) =>
    installation.recon('decide', `settlement.csv:${line}`, '--link', paymentId(1), '--by', 'anna', ...asOf);
  expect((await link(3)).stderr).toContain(
    'settlement.csv:3 has a record without a payment: it is a fee of the account, or it does not count; recon explain says which.',
  );
  await installation.recon('files', 'withdraw', 'settlement.csv', '--reason', 'a test', '--by', 'anna');
  expect((await installation.recon(...rerunOfMonth)).code).toBe(0);
  const refused = await link(2);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('or it does not count; recon explain says which.');
});
