import { createPaymentCore, type Connector, type PaymentCore } from '../../src/payment-core/index.js';
import type { Sql } from '../../src/db/client.js';

/*
 * The examples of docs/payment-core.md, word for word: a test compares the page with these regions and runs
 * them, so that a reader can trust what the page shows.
 */

const key = (digit: string) => digit.repeat(64);
const keys = { first: key('1'), lookup: key('2') };

export async function open(sql: Sql): Promise<PaymentCore> {
  // #region open
  const core = await createPaymentCore({
    sql,
    environment: 'test',
    encryptionKeys: { current: '2026-11', keys: { '2026-11': keys.first }, lookup: keys.lookup },
  });
  // #endregion
  return core;
}

const card = {
  paymentBrand: 'VISA',
  'card.number': '4200000000000000',
  'card.holder': 'Jane Jones',
  'card.expiryMonth': '05',
  'card.expiryYear': '2099',
  'card.cvv': '123',
};

export async function pay(core: PaymentCore): Promise<string[]> {
  // #region pay
  const authorised = await core.payments.create({
    paymentType: 'PA',
    amount: '92.00',
    currency: 'EUR',
    merchantTransactionId: 'order-000001',
    ...card,
  });
  const captured = await core.payments.reference(authorised.id, {
    paymentType: 'CP',
    amount: '90.00',
    currency: 'EUR',
    sequence: 'FINAL',
  });
  const refunded = await core.payments.reference(captured.id, {
    paymentType: 'RF',
    amount: '10.00',
    currency: 'EUR',
  });
  // #endregion
  return [authorised, captured, refunded].map(({ result }) => result.code);
}

export async function refuse(core: PaymentCore): Promise<readonly unknown[]> {
  // #region refuse
  const { result } = await core.payments.create({ paymentType: 'DB', amount: '92.0', currency: 'EUR' });
  if (result.code === '200.300.404') {
    for (const { name, message } of result.parameterErrors ?? []) report(`${name}: ${message}`);
  }
  // #endregion
  return reported.splice(0);
}

const reported: string[] = [];
const report = (line: string) => reported.push(line);

export async function oneClick(core: PaymentCore): Promise<string[]> {
  // #region one-click
  const first = await core.payments.create({
    paymentType: 'DB',
    amount: '5.00',
    currency: 'EUR',
    createRegistration: 'true',
    ...card,
  });
  const registrationId = first.registration?.id ?? '';
  const second = await core.registrations.pay(registrationId, {
    paymentType: 'DB',
    amount: '7.00',
    currency: 'EUR',
  });
  // #endregion
  return [registrationId, ...[first, second].map(({ result }) => result.code)];
}

export async function wait(core: PaymentCore): Promise<(string | undefined)[]> {
  // #region asynchronous
  const pending = await core.payments.create({
    paymentType: 'DB',
    amount: '5.00',
    currency: 'EUR',
    shopperResultUrl: 'https://shop.example/back',
    ...card,
    'card.holder': 'SIMULATE REDIRECT',
  });
  const goTo = pending.redirect?.url;
  // … the shopper comes back, and the acquirer reports the result:
  const paid = await core.payments.complete(pending.id, { resultCode: '000.000.000' });
  // #endregion
  return [pending.result.code, goTo, paid.result.code];
}

export async function checkout(core: PaymentCore): Promise<string[]> {
  // #region checkout
  const { id } = await core.checkouts.create({
    paymentType: 'DB',
    amount: '42.00',
    currency: 'EUR',
    'overridePaymentType[VISA]': 'PA',
  });
  const paid = await core.checkouts.pay(id, card);
  // #endregion
  return [paid.result.code, paid.paymentType ?? ''];
}

export async function subscribe(core: PaymentCore, registrationId: string): Promise<string | undefined> {
  // #region job
  const job = await core.jobs.create(registrationId, {
    amount: '9.99',
    currency: 'EUR',
    'job.expression': '0 0 6 1 * ? *',
  });
  // once a minute, in any number of processes:
  await core.jobs.runDue();
  // #endregion
  return job.status;
}

export async function deliver(core: PaymentCore): Promise<string[]> {
  const delivered: string[] = [];
  const send = (event: { readonly type: string; readonly action: string }) => {
    delivered.push(`${event.type} ${event.action}`);
    return Promise.resolve();
  };
  // #region events
  for (const event of await core.events.read()) {
    await send(event);
    await core.events.acknowledge([event.sequence]);
  }
  // #endregion
  return delivered;
}

// #region connector
export const acquirer: Connector = {
  name: 'acquirer',
  process: ({ paymentType, amount }) =>
    Promise.resolve({
      resultCode: amount === '13.13' ? '800.100.155' : '000.000.000',
      connectorTxIds: [`${paymentType}-reference`],
    }),
};
// #endregion
