import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ParameterValues } from '../../src/payment-core/fields/parameters.js';
import { createVault } from '../../src/payment-core/secrets/vault.js';
import { boundToRegistration } from '../../src/payment-core/stored-registrations/find-registration.js';
import {
  card,
  cardNumber,
  cardPayment,
  createTestCore,
  encryptionKeys,
  like,
  type TestCore,
  shopperResultUrl,
} from './support/test-core.js';

let world: TestCore;
beforeAll(async () => {
  world = await createTestCore();
});
afterAll(() => world.drop());

const payment = { paymentType: 'DB', amount: '5.00', currency: 'EUR' };
const { 'card.cvv': _, ...instrument } = card;

describe('a registration', () => {
  test('is created, used and deleted, with an event for each', async () => {
    const created = await world.core.registrations.create(instrument);
    expect(created).toMatchObject({
      id: like(/^[0-9a-f]{32}$/),
      paymentBrand: 'VISA',
      result: { code: '000.100.110' },
      card: {
        bin: '420000',
        last4Digits: '0000',
        holder: 'Jane Jones',
        expiryMonth: '05',
        expiryYear: '2034',
      },
    });
    expect(await world.core.registrations.get(created.id)).toMatchObject({ id: created.id });
    const paid = await world.core.registrations.pay(created.id, { ...payment, 'card.cvv': '123' });
    expect(paid).toMatchObject({
      registrationId: created.id,
      paymentBrand: 'VISA',
      result: { code: '000.100.110', cvvResponse: 'M' },
      card: { last4Digits: '0000', holder: 'Jane Jones' },
    });
    expect(await world.core.registrations.delete(created.id)).toMatchObject({ id: created.id });
    expect((await world.core.registrations.delete(created.id)).result.code).toBe('100.150.202');
    expect((await world.core.registrations.get(created.id)).result.code).toBe('100.150.202');
    expect((await world.core.registrations.pay(created.id, payment)).result.code).toBe('100.150.202');
    const [row] = await world.database.database.sql`
      select account_sealed from registrations where id = ${created.id}`;
    expect(row).toEqual({ account_sealed: null });
    const events = await world.core.events.read({ limit: 500 });
    const own = events.filter(({ payload }) => payload.id === created.id || payload.id === paid.id);
    expect(own.map(({ type, action }) => `${type} ${action}`)).toEqual([
      'REGISTRATION CREATED',
      'PAYMENT CREATED',
      'REGISTRATION DELETED',
    ]);
  });

  test('is deleted once by requests with one idempotency key, which all get the answer', async () => {
    const { registrations } = world.core;
    const { id } = await registrations.create(instrument);
    const once = { idempotencyKey: 'delete-0001' };
    const first = await registrations.delete(id, once);
    expect(first.result.code).toBe('000.100.110');
    expect(await registrations.delete(id, once)).toEqual(first);
    // As if the process had ended before it answered.
    await world.database.database
      .sql`update idempotency_keys set answer = null where key = ${once.idempotencyKey}`;
    expect(await registrations.delete(id, once)).toMatchObject({
      id,
      result: first.result,
      card: first.card,
    });
    expect((await registrations.delete(id)).result.code).toBe('100.150.202');
  });

  test('of an account without digits shows no account', async () => {
    const wallet = { paymentBrand: 'PAYPAL', 'virtualAccount.accountId': 'jane@shop' };
    const created = await world.core.registrations.create(wallet);
    expect(created).toMatchObject({ paymentBrand: 'PAYPAL', result: { code: '000.100.110' } });
    expect(created).not.toHaveProperty('account');
  });

  test('of a wallet or of nothing is refused with what a registration needs', async () => {
    const storable = 'a registration needs a card, a bank account, a token account or a virtual account';
    const wallet = { paymentBrand: 'WALLET', 'walletB.paymentToken': 'token of one payment' };
    const ofWallet = [
      {
        name: 'walletB.paymentToken',
        value: '***',
        message: `walletB.paymentToken cannot be registered, since it is for one payment: ${storable}`,
      },
    ];
    const ofNothing = [{ name: 'card.number', value: null, message: `card.number is missing: ${storable}` }];
    const { registrations, payments } = world.core;
    const register = async (parameters: Record<string, string>) =>
      (await registrations.create(parameters)).result;
    const pay = async (parameters: Record<string, string>) =>
      (await payments.create({ ...payment, ...parameters, createRegistration: 'true' })).result;
    expect(await register(wallet)).toMatchObject({ code: '100.150.100', parameterErrors: ofWallet });
    expect(await pay(wallet)).toMatchObject({ code: '100.150.205', parameterErrors: ofWallet });
    const nothing = { paymentBrand: 'VISA' };
    expect(await register(nothing)).toMatchObject({ code: '100.150.100', parameterErrors: ofNothing });
    expect(await pay(nothing)).toMatchObject({ code: '100.150.205', parameterErrors: ofNothing });
  });

  test('comes with a payment that asks for it, when it succeeds', async () => {
    const response = await world.core.payments.create(cardPayment('DB', { createRegistration: 'true' }));
    expect(response.registration).toEqual({ id: response.registrationId });
    expect((await world.core.payments.get(response.id)).registration).toEqual(response.registration);
    const declined = await world.core.payments.create(
      cardPayment('DB', { createRegistration: 'true', 'card.holder': 'SIMULATE 800.100.152' }),
    );
    expect(declined.registrationId).toBeUndefined();
  });

  test('comes with an asynchronous payment once that succeeds', async () => {
    const sent = cardPayment('DB', {
      createRegistration: 'true',
      'card.holder': 'SIMULATE REDIRECT',
      shopperResultUrl,
    });
    const pending = await world.core.payments.create(sent);
    expect(pending.registrationId).toBeUndefined();
    const done = await world.core.payments.complete(pending.id, { resultCode: '000.000.000' });
    expect(done.registration?.id).toMatch(/^[0-9a-f]{32}$/);
    const paid = await world.core.registrations.pay(done.registrationId ?? '', {
      ...payment,
      shopperResultUrl,
    });
    expect(paid.card).toMatchObject({ bin: '420000', last4Digits: '0000' });
  });

  test('keeps its holder unless it has none and overrideHolder is true', async () => {
    const { 'card.holder': __, ...anonymous } = instrument;
    const named = await world.core.registrations.create(instrument);
    const unnamed = await world.core.registrations.create(anonymous);
    const override = { ...payment, overrideHolder: 'true', 'card.holder': 'John Doe' };
    const holders = [
      (await world.core.registrations.pay(named.id, override)).card?.holder,
      (await world.core.registrations.pay(unnamed.id, override)).card?.holder,
      (await world.core.registrations.pay(unnamed.id, payment)).card?.holder,
    ];
    expect(holders).toEqual(['Jane Jones', 'John Doe', undefined]);
  });

  test('pays the first of a series without a code if its account has none', async () => {
    const { checkouts, registrations } = world.core;
    const first = { ...payment, 'standingInstruction.mode': 'INITIAL' };
    const outcomes = async (id: string) => {
      const checkout = await checkouts.create(first);
      const answers = [
        await registrations.pay(id, first),
        await checkouts.pay(checkout.id, {}, { registrationId: id }),
      ];
      return answers.map(({ result }) => [result.code, result.parameterErrors?.map(({ name }) => name)]);
    };
    const ofBank = await registrations.create({
      paymentBrand: 'DIRECTDEBIT_SEPA',
      'bankAccount.holder': 'Jane Jones',
      'bankAccount.iban': 'DE23100000001234567890',
      'bankAccount.bic': 'MARKDEF1100',
    });
    expect(await outcomes(ofBank.id)).toEqual([
      ['000.100.110', undefined],
      ['000.100.110', undefined],
    ]);
    const ofCard = await registrations.create(instrument);
    expect(await outcomes(ofCard.id)).toEqual([
      ['200.300.404', ['card.cvv']],
      ['200.300.404', ['card.cvv']],
    ]);
    expect(await outcomes('0'.repeat(32))).toEqual([
      ['200.300.404', ['card.cvv']],
      ['200.300.404', ['card.cvv']],
    ]);
  });

  test('keeps its expiry, whatever a payment sends', async () => {
    const { id } = await world.core.registrations.create(instrument);
    const paid = await world.core.registrations.pay(id, {
      ...payment,
      'card.expiryMonth': '12',
      'card.expiryYear': '2037',
    });
    expect(paid.card).toMatchObject({ expiryMonth: '05', expiryYear: '2034' });
  });

  test('brings its own account number, which a payment cannot replace', async () => {
    const { id } = await world.core.registrations.create(instrument);
    const response = await world.core.registrations.pay(id, { ...payment, 'card.number': cardNumber });
    expect(response.result.code).toBe('200.300.404');
    expect(JSON.stringify(response)).not.toContain(cardNumber);
  });

  test('that does not exist is reported as such', async () => {
    expect((await world.core.registrations.pay('0'.repeat(32), payment)).result.code).toBe('100.150.200');
    expect((await world.core.registrations.get('nothing')).result.code).toBe('100.150.200');
  });

  test('of another entity does not exist for a caller', async () => {
    const own = 'a'.repeat(32);
    const { id } = await world.core.registrations.create({ ...instrument, entityId: own });
    const stranger = { entityIds: ['b'.repeat(32)] };
    expect((await world.core.registrations.get(id, stranger)).result.code).toBe('100.150.200');
    expect((await world.core.registrations.delete(id, stranger)).result.code).toBe('100.150.200');
    expect((await world.core.registrations.get(id, { entityIds: [own] })).id).toBe(id);
  });

  test('remembers the scheme reference of its first payment for those that follow', async () => {
    const first = await world.core.payments.create(cardPayment('DB', { createRegistration: 'true' }));
    const reference = first.resultDetails?.['CardholderInitiatedTransactionID'];
    expect(reference).toMatch(/^\d{15}$/);
    expect(first.standingInstruction).toEqual({ initialTransactionId: reference });
    const requests: (string | null)[] = [];
    const core = await world.open({
      connectors: {
        default: {
          name: 'acquirer',
          process: (request) => {
            requests.push(request.initialTransactionId);
            return Promise.resolve({ resultCode: '000.000.000' });
          },
        },
      },
    });
    const followUp = await core.registrations.pay(first.registrationId ?? '', {
      ...payment,
      testMode: 'EXTERNAL',
      'standingInstruction.mode': 'REPEATED',
      'standingInstruction.type': 'UNSCHEDULED',
      'standingInstruction.source': 'MIT',
    });
    expect(followUp.result.parameterErrors ?? []).toEqual([]);
    expect(requests).toEqual([reference]);
  });

  test('of a bank account is debited with its mandate, or with the one that the payment names', async () => {
    const { registrations } = world.core;
    const stored = { id: 'stored-mandate', dateOfSignature: '2026-01-31' };
    const { id } = await registrations.create({
      paymentBrand: 'DIRECTDEBIT_SEPA',
      'bankAccount.holder': 'Jane Jones',
      'bankAccount.iban': 'DE23100000001234567890',
      'bankAccount.bic': 'MARKDEF1100',
      'bankAccount.mandate.id': stored.id,
      'bankAccount.mandate.dateOfSignature': stored.dateOfSignature,
    });
    expect((await registrations.pay(id, payment)).bankAccount?.mandate).toEqual(stored);
    const named = await registrations.pay(id, { ...payment, 'bankAccount.mandate.id': 'other-mandate' });
    expect(named.bankAccount).toEqual({
      holder: 'Jane Jones',
      bic: 'MARKDEF1100',
      mandate: { id: 'other-mandate' },
    });
  });

  test('contains the instrument alone, not the other accounts of the payment that made it', async () => {
    const seen: ParameterValues[] = [];
    const core = await world.open({
      connectors: {
        default: {
          name: 'acquirer',
          process: ({ parameters }) => {
            seen.push(parameters);
            return Promise.resolve({ resultCode: '000.000.000' });
          },
        },
      },
    });
    const external = { testMode: 'EXTERNAL' };
    const others = {
      'sender.accountNumber': 'SENDER-1',
      'recipient.accountNumber': 'RECIPIENT-1',
      'risk.accountToken': 'TOKEN-1',
      'giftCard.number': 'GIFT-CARD-1',
    };
    const { registrationId = '' } = await core.payments.create(
      cardPayment('DB', { ...external, ...others, createRegistration: 'true' }),
    );
    const vault = createVault(encryptionKeys, randomBytes);
    const { sql } = world.database.database;
    const sealedOf = async (): Promise<unknown> => {
      const [row] = await sql<{ keyId: string; sealed: string }[]>`
        select account_key_id as "keyId", account_sealed as sealed from registrations where id = ${registrationId}`;
      return JSON.parse(vault.open(row ?? { keyId: '', sealed: '' }, boundToRegistration(registrationId)));
    };
    expect(await sealedOf()).toEqual({ 'card.number': cardNumber });

    const pay = () =>
      core.registrations.pay(registrationId, {
        ...{ ...payment, ...external },
        'recipient.accountNumber': 'RECIPIENT-2',
      });
    expect((await pay()).result.code).toBe('000.000.000');
    // As an earlier version stored it.
    const all = JSON.stringify({ 'card.number': cardNumber, ...others });
    const { sealed } = vault.seal(all, boundToRegistration(registrationId));
    await sql`update registrations set account_sealed = ${sealed} where id = ${registrationId}`;
    expect((await pay()).result.code).toBe('000.000.000');
    const [, ...later] = seen;
    expect(later).toHaveLength(2);
    for (const parameters of later) {
      expect(parameters).toMatchObject({
        'card.number': cardNumber,
        'recipient.accountNumber': 'RECIPIENT-2',
      });
      for (const name of ['sender.accountNumber', 'risk.accountToken', 'giftCard.number'])
        expect(parameters).not.toHaveProperty([name]);
    }
  });

  test('takes over a recurring payment of another system', async () => {
    const migrated = await world.core.migrations.create({
      ...instrument,
      'recurringMigration.paymentType': 'DB',
      'recurringMigration.amount': '12.00',
      'recurringMigration.connectorTxId1': 'scheme-reference-1',
    });
    expect(migrated.result).toMatchObject({ code: '000.100.110' });
    const [row] = await world.database.database.sql<{ reference: string }[]>`
      select initial_transaction_id as reference from registrations where id = ${migrated.id}`;
    expect(row?.reference).toBe('scheme-reference-1');
  });
});
