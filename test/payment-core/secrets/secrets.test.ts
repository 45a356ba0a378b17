import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createVault } from '../../../src/payment-core/secrets/vault.js';
import {
  card,
  cardPayment,
  createTestCore,
  encryptionKeys,
  noon,
  referencing,
  type TestCore,
  shopperResultUrl,
} from '../support/test-core.js';
import { randomBytes } from 'node:crypto';

let world: TestCore;
beforeAll(async () => {
  world = await createTestCore();
});
afterAll(() => world.drop());

/** Values that must not appear anywhere; each is unique, so that a search finds nothing else. */
const canary = {
  pan: '4929420573595709',
  cvv: '9376',
  iban: 'GB33BUKB20201555555555',
  walletToken: 'canary-wallet-token-Zm9vYmFy',
  cryptogram: 'Y2FuYXJ5Q2FuYXJ5Q2FuYXJ5Q2Fu',
  verification: 'Y2F2dkNhbmFyeUNhdnZDYW5hcnk=',
  pin: 'pin-canary-771',
  giftCard: 'gift-canary-5500',
};

const traces = [
  ...Object.values(canary).filter((value) => value !== canary.cvv),
  // Grouped as people write card numbers.
  canary.pan.replace(/(.{4})(?=.)/g, '$1 '),
  canary.pan.slice(6, 12),
].map((value) => new RegExp(value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
/** A few digits occur in any identifier, so the code is searched for only where it stands alone. */
const securityCode = new RegExp(`(?<![0-9A-Za-z.])${canary.cvv}(?![0-9A-Za-z.])`);

/** The canaries that a text contains. */
function leaks(text: string): string[] {
  return [...traces, securityCode].filter((trace) => trace.test(text)).map(String);
}

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const { sql } = world.database.database;
  const tables = await sql<{ name: string }[]>`
    select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema in ('public', 'drizzle')`;
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await sql.unsafe<{ row: string }[]>(`select to_jsonb(t)::text as row from ${name} t`);
    texts.push(`${name}\n${rows.map(({ row }) => row).join('\n')}`);
  }
  return texts.join('\n');
}

const { pan, cvv } = canary;
const byCard = { 'card.number': pan, 'card.cvv': cvv };

/** Requests with canaries in every possible field, valid and invalid, approved and declined. */
async function everything(): Promise<unknown[]> {
  const { payments, registrations, checkouts, chargebacks, migrations, jobs, query } = world.core;
  const answers: unknown[] = [];
  const keep = async <T>(answer: Promise<T>): Promise<T> => {
    const value = await answer;
    answers.push(value);
    return value;
  };
  const paid = await keep(
    payments.create(
      cardPayment('DB', {
        ...byCard,
        createRegistration: 'true',
        'customer.givenName': pan,
        'customer.surname': `Card ${pan}`,
        'customParameters[note]': `my card is ${pan}`,
        'threeDSecure.verificationId': canary.verification,
        'giftCard.number': canary.giftCard,
        'giftCard.pin': canary.pin,
        descriptor: `paid by ${pan}`,
      }),
    ),
  );
  await keep(payments.create(cardPayment('PA', byCard)));
  await keep(payments.create(cardPayment('DB', { ...byCard, 'card.holder': 'SIMULATE 800.100.155' })));
  await keep(
    payments.create(cardPayment('DB', { ...byCard, 'card.holder': 'SIMULATE REDIRECT', shopperResultUrl })),
  );
  await keep(payments.create(cardPayment('DB', { ...byCard, amount: 'much' })));
  await keep(payments.create(cardPayment('DB', { 'card.number': `${pan}x`, 'card.cvv': `${cvv}${cvv}` })));
  const unknownNames: Record<string, string> = { [`card.${pan}`]: 'x', 'card.cvv2': cvv };
  await keep(payments.create({ ...cardPayment('DB', byCard), ...unknownNames }));
  await keep(
    payments.create({
      paymentType: 'DB',
      paymentBrand: 'SEPA',
      amount: '1.00',
      currency: 'EUR',
      'bankAccount.holder': 'Jane Jones',
      'bankAccount.iban': canary.iban,
      'bankAccount.bic': 'BUKBGB22XXX',
    }),
  );
  await keep(
    payments.create({
      paymentType: 'DB',
      paymentBrand: 'WALLET',
      amount: '1.00',
      currency: 'EUR',
      'walletA.paymentToken': canary.walletToken,
    }),
  );
  await keep(
    payments.create({
      paymentType: 'DB',
      paymentBrand: 'VISA',
      amount: '1.00',
      currency: 'EUR',
      'tokenAccount.number': pan,
      'tokenAccount.type': 'NETWORK',
      'tokenAccount.cryptogram': canary.cryptogram,
      'tokenAccount.dtvc': cvv,
    }),
  );
  await keep(payments.reference(paid.id, { ...referencing('RF', '1.00'), ...byCard }));
  await keep(payments.reference(paid.id, referencing('RF', '1.00', { 'customParameters[note]': pan })));
  await keep(chargebacks.book(paid.id, { 'customParameters[note]': pan, ...byCard }));
  await keep(chargebacks.book(paid.id, { 'customParameters[note]': pan }));
  const { 'card.cvv': _, ...instrument } = card;
  const registration = await keep(registrations.create({ ...instrument, ...byCard }));
  await keep(
    registrations.create({ ...instrument, 'card.number': pan, 'card.cvv': cvv, 'card.holder': pan }),
  );
  await keep(
    migrations.create({ ...instrument, 'card.number': pan, 'recurringMigration.paymentType': 'DB' }),
  );
  await keep(registrations.get(registration.id));
  const payment = { paymentType: 'DB', amount: '1.00', currency: 'EUR' };
  await keep(registrations.pay(registration.id, { ...payment, 'card.cvv': cvv }));
  await keep(registrations.pay(registration.id, { ...payment, ...byCard }));
  const checkout = await keep(
    checkouts.create({ ...payment, ...card, ...byCard, 'giftCard.number': canary.giftCard }),
  );
  await keep(
    checkouts.update(checkout.id, { ...byCard, amount: '2.00', 'sender.accountNumber': canary.iban }),
  );
  await keep(checkouts.update(checkout.id, { descriptor: `from ${canary.iban}` }));
  await keep(checkouts.create({ ...payment, 'giftCard.pin': canary.pin }));
  await keep(checkouts.pay(checkout.id, { ...card, ...byCard }));
  await keep(checkouts.get(checkout.id));
  await keep(
    jobs.create(registration.id, {
      amount: '1.00',
      currency: 'EUR',
      'job.expression': '0 0 6 * * ? *',
      'customParameters[note]': pan,
    }),
  );
  await keep(jobs.runDue(noon + 86_400_000));
  await keep(registrations.delete(registration.id));
  await keep(query({}));
  await keep(query({ shortId: pan, merchantTransactionId: pan }));
  await keep(world.core.events.read({ limit: 500 }));
  const quoting = await world.open({
    connectors: {
      default: {
        name: 'quoting',
        process: ({ parameters }) =>
          Promise.resolve({
            resultCode: '800.100.151',
            description: `invalid card ${parameters['card.number'] ?? ''} ${parameters['card.cvv'] ?? ''}`,
            resultDetails: {
              AcquirerResponse: `14 ${parameters['card.number'] ?? ''}`,
              code: parameters['card.cvv'] ?? '',
              [`name.${parameters['card.number'] ?? ''}`]: 'x',
              everything: JSON.stringify(parameters),
            },
            connectorTxIds: [parameters['card.cvv'] ?? ''],
            initialTransactionId: parameters['threeDSecure.verificationId'] ?? '',
            card: { issuer: { phone: parameters['card.cvv'] ?? '' } },
            redirect: {
              url: `https://bank.example/?cvv=${parameters['card.cvv'] ?? ''}`,
              parameters: [{ name: 'verification', value: parameters['threeDSecure.verificationId'] ?? '' }],
            },
          }),
      },
    },
  });
  const proof = { 'threeDSecure.verificationId': canary.verification, 'threeDSecure.eci': '05' };
  await keep(quoting.payments.create(cardPayment('DB', { ...byCard, ...proof, testMode: 'EXTERNAL' })));
  // An acquirer that reports later has no request to compare with, but it names what it sends.
  const pending = await keep(
    payments.create(cardPayment('DB', { ...byCard, 'card.holder': 'SIMULATE REDIRECT', shopperResultUrl })),
  );
  await keep(
    payments.complete(pending.id, {
      resultCode: '000.000.000',
      resultDetails: { 'card.cvv': cvv, CVV2: cvv },
    }),
  );
  return answers;
}

describe('secrets', () => {
  test('are in no row, no answer, no notification and no error', async () => {
    const answers = await everything();
    expect(answers.length).toBeGreaterThan(25);
    const approved = answers.filter((answer) => JSON.stringify(answer).includes('000.100.110'));
    expect(approved.length).toBeGreaterThan(10);
    const leaking = answers.map((answer) => JSON.stringify(answer)).filter((text) => leaks(text).length > 0);
    expect(leaking.map(leaks)).toEqual([]);
    expect(leaks(await dump())).toEqual([]);

    const { sql } = world.database.database;
    await sql`alter table payment_details rename to payment_details_gone`;
    const failed = await world.core.payments
      .create(cardPayment('DB', byCard))
      .catch((thrown: unknown) => thrown);
    await sql`alter table payment_details_gone rename to payment_details`;
    expect(failed).toBeInstanceOf(Error);
    expect(leaks(inspect(failed, { depth: 20, showHidden: true }))).toEqual([]);

    await sql`alter table payment_details add constraint canary check (connector = 'nobody') not valid`;
    const refused = await world.core.payments
      .create(cardPayment('DB', byCard))
      .catch((thrown: unknown) => thrown);
    await sql`alter table payment_details drop constraint canary`;
    expect(refused).toMatchObject({ code: 'DATABASE_FAILED' });
    expect(leaks(inspect(refused, { depth: 20, showHidden: true }))).toEqual([]);
  });

  test('move to the current key, and open with it alone', async () => {
    const { 'card.cvv': _, ...instrument } = card;
    const { id } = await world.core.registrations.create(instrument);
    const { id: checkoutId } = await world.core.checkouts.create({
      ...{ paymentType: 'DB', amount: '1.00', currency: 'EUR' },
      'risk.accountToken': 'shopper-5500',
    });
    const renewed = await world.open({ encryptionKeys: { ...encryptionKeys, current: 'second' } });
    const { 'card.number': number } = instrument;
    const pay = { paymentType: 'DB', amount: '1.00', currency: 'EUR' };
    const counts = await renewed.secrets.rotateKeys();
    expect(counts.payments).toBeGreaterThan(0);
    expect(counts.registrations).toBeGreaterThan(0);
    expect(await renewed.secrets.rotateKeys()).toEqual({ payments: 0, registrations: 0 });
    expect(await dump()).not.toContain('"keyId": "first"');
    const [left] = await world.database.database.sql<{ n: bigint }[]>`
      select (select count(*) from payment_details where account_key_id <> 'second')
        + (select count(*) from registrations where account_key_id <> 'second') as n`;
    expect(left?.n).toBe(0n);
    const onlySecond = { ...encryptionKeys, current: 'second', keys: { second: encryptionKeys.keys.second } };
    const later = await world.open({ encryptionKeys: onlySecond });
    const paid = await later.registrations.pay(id, pay);
    expect(paid.card?.last4Digits).toBe(number.slice(-4));
    expect((await later.checkouts.pay(checkoutId, card)).result.code).toBe('000.100.110');
  });

  test('move to the current key although the key of others is lost, which is named', async () => {
    const { 'card.cvv': _, ...instrument } = card;
    const lostKeys = { ...encryptionKeys, current: 'lost', keys: { lost: '33'.repeat(32) } };
    const lost = await (await world.open({ encryptionKeys: lostKeys })).registrations.create(instrument);
    await world.core.registrations.create(instrument);
    const keyOfOthers = () => world.database.database.sql<{ keyId: string }[]>`
      select distinct account_key_id as "keyId" from registrations
      where account_key_id is not null and id <> ${lost.id} order by 1`;
    const keys = { ...encryptionKeys, current: 'second' };
    const renewed = await world.open({ encryptionKeys: keys });
    const failure = await renewed.secrets.rotateKeys().catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('has no key lost') as string,
    });
    expect((await keyOfOthers()).map(({ keyId }) => keyId)).toEqual(['second']);
    const found = { ...keys, keys: { ...keys.keys, ...lostKeys.keys } };
    const complete = await world.open({ encryptionKeys: found });
    expect(await complete.secrets.rotateKeys()).toEqual({ payments: 0, registrations: 1 });
  });
});

describe('the vault', () => {
  const vault = createVault(encryptionKeys, randomBytes);

  test('opens what it sealed, only for its purpose, and never seals the same way twice', () => {
    const sealed = vault.seal('4200000000000000', 'payment 1');
    expect(vault.open(sealed, 'payment 1')).toBe('4200000000000000');
    expect(vault.seal('4200000000000000', 'payment 1').sealed).not.toBe(sealed.sealed);
    expect(() => vault.open(sealed, 'payment 2')).toThrow();
  });

  test('gives every secret a nonce, in one turn of the event loop and in several', async () => {
    const nonces = new Set<string>();
    for (let turn = 0; turn < 20; turn += 1) {
      for (const text of ['4200000000000000', 'DE23100000001234567890', '']) {
        const sealed = vault.seal(text, `payment ${turn}`);
        expect(vault.open(sealed, `payment ${turn}`)).toBe(text);
        nonces.add(sealed.sealed.slice(0, 24));
      }
      await setImmediate();
    }
    expect(nonces.size).toBe(60);
  });

  test('does not open what was altered, anywhere', () => {
    const { keyId, sealed } = vault.seal('4200000000000000', 'payment 1');
    for (let place = 0; place < sealed.length; place += 1) {
      const altered = `${sealed.slice(0, place)}${sealed[place] === '0' ? '1' : '0'}${sealed.slice(place + 1)}`;
      expect(() => vault.open({ keyId, sealed: altered }, 'payment 1')).toThrow();
    }
    expect(() => vault.open({ keyId, sealed: sealed.slice(0, 40) }, 'payment 1')).toThrow();
    expect(() => vault.open({ keyId: 'third', sealed }, 'payment 1')).toThrow('third');
  });

  test('gives a text the same fingerprint each time, and another one with another key', () => {
    expect(vault.fingerprint('4200000000000000')).toBe(vault.fingerprint('4200000000000000'));
    const other = createVault({ ...encryptionKeys, lookup: '44'.repeat(32) }, randomBytes);
    expect(other.fingerprint('4200000000000000')).not.toBe(vault.fingerprint('4200000000000000'));
  });

  test('refuses keys of another form', () => {
    expect(() => createVault({ ...encryptionKeys, lookup: 'short' }, randomBytes)).toThrow('lookup');
    expect(() => createVault({ ...encryptionKeys, current: 'third' }, randomBytes)).toThrow('third');
  });
});
