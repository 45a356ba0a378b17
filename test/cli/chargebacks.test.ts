import { expect, test } from 'vitest';
import { chargeback, reversal } from './chargeback-rows.js';
import { createInstallation, paymentId, paymentsFile, settlementFile } from './installation.js';

interface Booking {
  readonly id: string;
  readonly paymentType: string;
  readonly paymentId?: string;
  readonly chargebackId?: string;
  readonly amount: string;
  readonly currency: string;
  readonly resultCode: string;
  readonly bookedBy: string;
}

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly paymentId: string;
  readonly amount: string;
  readonly currency: string;
  readonly reversedAmount: string;
  readonly reversedCurrency: string | null;
  readonly bookedBy: string | null;
  readonly reversedBy: string | null;
}

test('the back office books a chargeback, reverses it in parts, and the list shows who did it', async () => {
  const world = await createInstallation();
  world.write('payments.csv', paymentsFile(1, 2));
  await world.recon('payments', 'import', 'payments.csv');

  const booked = await world.json<Booking>(
    ...['chargebacks', 'book', paymentId(1)],
    ...['--amount', '6.00', '--reason-code', '000.100.203', '--by', 'anna'],
  );
  expect(booked.code).toBe(0);
  expect(booked.document).toEqual({
    id: expect.stringMatching(/^[0-9a-z]{32}$/) as string,
    paymentType: 'CB',
    paymentId: paymentId(1),
    amount: '6.00',
    currency: 'EUR',
    resultCode: '000.100.203',
    bookedBy: 'anna',
  });
  const { id } = booked.document;
  const again = await world.recon('chargebacks', 'book', paymentId(1));
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('CHARGEBACK_REFUSED');
  expect(again.stderr).toContain('700.300.500');

  const part = await world.json<Booking>('chargebacks', 'reverse', id, '--amount', '2.50', '--by', 'ben');
  expect(part.document).toMatchObject({
    paymentType: 'CR',
    chargebackId: id,
    amount: '2.50',
    bookedBy: 'ben',
  });
  const list = async (...options: string[]) =>
    (await world.json<Listed[]>('chargebacks', 'list', ...options)).document;
  expect(await list()).toMatchObject([
    {
      id,
      status: 'partly-reversed',
      amount: '6.00',
      reversedAmount: '2.50',
      reversedCurrency: 'EUR',
      bookedBy: 'anna',
      reversedBy: 'ben',
    },
  ]);
  expect((await world.recon('chargebacks', 'reverse', id, '--by', 'ben')).stdout).toContain(
    'of 3.50 EUR is booked',
  );
  expect((await world.recon('chargebacks', 'reverse', id)).stderr).toContain('700.400.410');
  expect(await list('--status', 'open')).toEqual([]);
  expect(await list('--status', 'reversed', '--payment', paymentId(1))).toMatchObject([{ id }]);
  expect(await list('--payment', paymentId(2))).toEqual([]);
  const table = await world.recon('chargebacks', 'list');
  expect(table.stdout).toContain(
    `of payment ${paymentId(1)}, reason 000.100.203, booked by anna, reversed by ben on`,
  );
});

test('a chargeback of a settlement file is listed and can be reversed by the back office', async () => {
  const world = await createInstallation();
  world.write('payments.csv', paymentsFile(1));
  await world.recon('payments', 'import', 'payments.csv');
  const settled = {
    ReconciliationType: 'CHARGEBACK',
    UniqueID: paymentId(1),
    SettlementTxId: 'STL-1',
    Cashflow: 'NEG',
  };
  const file = world.write('settlement.csv', settlementFile(settled));
  expect((await world.recon('run', '--file', file)).code).toBe(0);

  const { document } = await world.json<Listed[]>('chargebacks', 'list', '--status', 'open');
  expect(document).toMatchObject([{ paymentId: paymentId(1), bookedBy: null, reversedAmount: '0.00' }]);
  const reversed = await world.recon('chargebacks', 'reverse', document[0]?.id ?? '', '--by', 'anna');
  expect(reversed.code).toBe(0);
  expect((await world.json<Listed[]>('chargebacks', 'list')).document).toMatchObject([
    { status: 'reversed', bookedBy: null, reversedBy: 'anna' },
  ]);
});

test('what a settlement file returned in another currency is listed in that currency, as chargebacks.csv has it', async () => {
  const world = await createInstallation();
  world.write('payments.csv', paymentsFile(1));
  await world.recon('payments', 'import', 'payments.csv');
  const back = { ...reversal, Amount: '80.00', Currency: 'USD', SettlementCurrency: 'USD' };
  const file = world.write('settlement.csv', settlementFile(chargeback, back));
  await world.recon('run', '--file', file);

  const [listed] = (await world.json<Listed[]>('chargebacks', 'list')).document;
  expect(listed).toMatchObject({ status: 'reversed', reversedAmount: '80.00', reversedCurrency: 'USD' });
  const [amount, currency] = [listed?.amount ?? '', listed?.currency ?? ''];
  const table = await world.recon('chargebacks', 'list', '--status', 'reversed');
  expect(table.stdout).toContain(`${amount} ${currency}  80.00 USD`);
  expect((await world.recon('chargebacks', 'list', '--status', 'partly-reversed')).stdout).toBe(
    'No chargeback fits the filter.\n',
  );
  const again = await world.recon('chargebacks', 'reverse', listed?.id ?? '');
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('700.400.410') as string });
});

const refusals: readonly [what: string, args: readonly string[], reason: string][] = [
  ['an unknown payment', ['book', paymentId(9)], '700.400.580'],
  ['an unknown chargeback', ['reverse', paymentId(9)], '700.400.580'],
  ['a payment as a chargeback', ['reverse', paymentId(1)], '700.400.420'],
  ['more than the payment', ['book', paymentId(1), '--amount', '10000.00'], '700.100.300'],
  ['an amount that is not one', ['book', paymentId(1), '--amount', 'ten'], '--amount: '],
  ['a reason that is not one', ['book', paymentId(1), '--reason-code', '42'], '--reason-code: '],
  ['a status that does not exist', ['list', '--status', 'gone'], '--status must be one of'],
  ['nobody', ['book', paymentId(1), '--by', ' '], '--by must not be empty'],
];

test('what the back office may not do is refused with exit code 2, and nothing is booked', async () => {
  const world = await createInstallation();
  world.write('payments.csv', paymentsFile(1));
  await world.recon('payments', 'import', 'payments.csv');
  for (const [what, args, reason] of refusals) {
    const { code, stderr } = await world.recon('chargebacks', ...args);
    expect({ what, code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(reason) as string,
    });
  }
  expect((await world.json<Listed[]>('chargebacks', 'list')).document).toEqual([]);
});
