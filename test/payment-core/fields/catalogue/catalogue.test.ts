import { describe, expect, test } from 'vitest';
import { catalogue, fieldsOf } from '../../../../src/payment-core/fields/catalogue/catalogue.js';
import { indexedContainers, keyedContainers } from '../../../../src/payment-core/fields/containers.js';
import { parseParameterName } from '../../../../src/payment-core/fields/parse-parameter-name.js';
import { requestKinds } from '../../../../src/payment-core/fields/request-kinds.js';
import { sensitiveFields } from '../../../../src/payment-core/fields/sensitive-fields.js';
import { checkValue } from '../../../../src/payment-core/validation/check-value.js';
import { errorsOf } from '../../validation/requests.js';
import { nameOf, spellingsOf } from '../spellings.js';

const named = catalogue.map((field) => ({ name: field.name, kinds: field.kinds.join(' '), field }));

describe('the catalogue', () => {
  test.each(named)(
    '$name ($kinds) parses to itself and is accepted in the kinds that it declares',
    ({ field }) => {
      expect(parseParameterName(nameOf(field))).toMatchObject({ ok: true, template: field.name });
      expect(field.kinds.length).toBeGreaterThan(0);
      for (const kind of requestKinds) {
        expect(fieldsOf(kind).get(field.name) === field).toBe(field.kinds.includes(kind));
      }
      expect(field.kinds).toEqual(expect.arrayContaining([...field.requiredIn]));
    },
  );

  test.each(named)(
    '$name ($kinds): values that the declaration allows are accepted, all others are reported',
    ({ field }) => {
      const name = nameOf(field);
      const { valid, invalid } = spellingsOf(field.type);
      expect(valid.length).toBeGreaterThan(0);
      expect(invalid.length).toBeGreaterThan(0);
      for (const value of valid) expect([value, checkValue(field.type, value)]).toEqual([value, undefined]);
      for (const kind of field.kinds) {
        const reported = (value: string) =>
          errorsOf(kind, { [name]: value }).filter((error) => error.name === name);
        for (const value of invalid) {
          const [error] = reported(value);
          expect([kind, value, error?.message]).toEqual([kind, value, expect.stringMatching(/^\S+ \S/)]);
          expect(error?.value).not.toBeNull();
        }
      }
    },
  );

  test.each(named)('$name ($kinds) is refused in every other kind', ({ field }) => {
    const name = nameOf(field);
    const value = spellingsOf(field.type).valid[0] ?? '';
    for (const kind of requestKinds.filter((other) => !fieldsOf(other).has(field.name))) {
      const instead =
        kind === 'checkout' && field.sensitivity === 'authentication'
          ? ', because it is never stored: send it with the payment of the checkout'
          : '';
      expect(errorsOf(kind, { [name]: value }).find((error) => error.name === name)).toEqual({
        name,
        value: '***',
        message: `${name} is not accepted in a ${kind} request${instead}`,
      });
    }
  });

  test('a checkout accepts no code but those of its instrument: it could only leave them out', () => {
    const codes = [...fieldsOf('checkout').values()].filter(
      ({ sensitivity }) => sensitivity === 'authentication',
    );
    expect(codes.map(({ name }) => name)).toEqual([
      'card.cvv',
      'walletA.paymentToken',
      'walletB.paymentToken',
      'walletC.paymentToken',
      'tokenAccount.cryptogram',
      'tokenAccount.dtvc',
    ]);
  });

  test('a job accepts no secret: it could only be left out, because a job stores none', () => {
    const secrets = [...fieldsOf('job').values()].filter(({ sensitivity }) => sensitivity !== 'none');
    expect(secrets.map(({ name }) => name)).toEqual([]);
  });

  test('every placeholder has its bounds, and every bound its placeholder', () => {
    const containers = (placeholder: string) =>
      new Set(
        catalogue.flatMap(({ name }) =>
          [...name.matchAll(new RegExp(`\\[${placeholder}\\]`, 'g'))].map(({ index }) =>
            name.slice(0, index),
          ),
        ),
      );
    expect(containers('n')).toEqual(new Set(indexedContainers.keys()));
    expect(containers('key')).toEqual(new Set(keyedContainers.keys()));
  });

  test('marks the secrets: fields that are hidden in errors and never stored unencrypted', () => {
    expect(sensitiveFields()).toEqual([
      { name: 'card.number', sensitivity: 'account' },
      { name: 'card.cvv', sensitivity: 'authentication' },
      { name: 'walletA.paymentToken', sensitivity: 'authentication' },
      { name: 'walletB.paymentToken', sensitivity: 'authentication' },
      { name: 'walletC.paymentToken', sensitivity: 'authentication' },
      { name: 'virtualAccount.accountId', sensitivity: 'account' },
      { name: 'bankAccount.number', sensitivity: 'account' },
      { name: 'bankAccount.iban', sensitivity: 'account' },
      { name: 'tokenAccount.number', sensitivity: 'account' },
      { name: 'tokenAccount.cryptogram', sensitivity: 'authentication' },
      { name: 'tokenAccount.dtvc', sensitivity: 'authentication' },
      { name: 'sender.accountNumber', sensitivity: 'account' },
      { name: 'recipient.accountNumber', sensitivity: 'account' },
      { name: 'threeDSecure.deviceInfo', sensitivity: 'authentication' },
      { name: 'threeDSecure.verificationId', sensitivity: 'authentication' },
      { name: 'risk.accountToken', sensitivity: 'account' },
      { name: 'giftCard.number', sensitivity: 'account' },
      { name: 'giftCard.pin', sensitivity: 'authentication' },
    ]);
  });

  test.each([
    ['customer.', 32],
    ['shipping.customer.', 28],
    ['billing.', 10],
    ['merchant.billing.', 18],
    ['corporate.', 13],
    ['sender.', 17],
    ['recipient.', 19],
    ['cart.items[n].', 45],
    ['cart.payments[n].', 7],
    ['marketPlace.sellers[n].', 2],
    ['airline.passengers[n].legs[n].', 24],
    ['recurringMigration.', 6],
    ['standingInstruction.', 10],
    // Sixteen of the specification, and job.misfirePolicy.
    ['job.', 17],
  ])('has all fields of %s: %i', (prefix, count) => {
    expect(new Set(catalogue.map(({ name }) => name).filter((name) => name.startsWith(prefix))).size).toBe(
      count,
    );
  });

  test('takes what is derived from its base, exclusions included', () => {
    const namesUnder = (prefix: string) =>
      catalogue.filter(({ name }) => name.startsWith(prefix)).map(({ name }) => name.slice(prefix.length));
    const customer = namesUnder('customer.');
    const left = ['browserFingerprint.id', 'browserFingerprint.value', 'browser.deviceId', 'app.deviceId'];
    expect(namesUnder('shipping.customer.')).toEqual(customer.filter((name) => !left.includes(name)));
    expect(namesUnder('merchant.billing.')).toEqual([
      ...namesUnder('billing.'),
      ...['givenName', 'surname', 'middleName', 'companyName', 'phone', 'workPhone', 'mobile', 'email'],
    ]);
    expect(namesUnder('merchant.shipping.')).toEqual(
      namesUnder('shipping.').filter((name) => !name.startsWith('customer.')),
    );
    const derived = catalogue.filter(({ name }) =>
      /^(?:shipping\.customer|merchant\.(?:billing|shipping))\./.test(name),
    );
    expect(derived.every(({ requirement }) => requirement === 'optional')).toBe(true);
  });
});
