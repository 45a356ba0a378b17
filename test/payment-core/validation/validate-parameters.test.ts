import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../../src/payment-core/fields/catalogue/catalogue.js';
import { describeParameters } from '../../../src/payment-core/fields/describe-parameters.js';
import { requestKinds } from '../../../src/payment-core/fields/request-kinds.js';
import {
  isTestModeRefused,
  validateParameters,
} from '../../../src/payment-core/validation/validate-parameters.js';
import { nameOf, spellingsOf } from '../fields/spellings.js';
import { capture, card, cardPayment, errorsOf, inTest, money, names, namesOf, smallest } from './requests.js';

describe('valid requests', () => {
  test.each(requestKinds)('%s', (kind) => {
    expect(errorsOf(kind, smallest[kind])).toEqual([]);
  });

  test('a cart of 1001 items is legal', () => {
    const sent: Record<string, string> = { ...cardPayment };
    for (let n = 0; n <= 1000; n += 1) {
      Object.assign(sent, {
        [`cart.items[${n}].name`]: `item ${n}`,
        [`cart.items[${n}].price`]: '1.00',
        [`cart.items[${n}].quantity`]: '1',
        [`cart.items[${n}].currency`]: 'EUR',
        [`cart.items[${n}].sku`]: 'x',
        [`cart.items[${n}].type`]: 'DIGITAL',
        [`cart.items[${n}].totalAmount`]: '1.00',
        [`cart.items[${n}].tax`]: '19.00',
        [`cart.items[${n}].description`]: 'x',
        [`cart.items[${n}].quantityUnit`]: 'KG',
      });
    }
    expect(Object.keys(sent).length).toBeGreaterThan(10_000);
    expect(errorsOf('payment', sent)).toEqual([]);
  });
});

describe('all violations at once', () => {
  test('in the order of the catalogue, then names, then rules, whatever the order of sending', () => {
    const sent = {
      'forex.amount': '1.00',
      'cart.items[10].name': '',
      'cart.items[2].name': '',
      zebra: '1',
      'card.cvv': '1',
      amount: 'x',
      paymentType: 'DB',
      paymentBrand: 'VISA',
      'card.number': '4200000000000000',
      'customer.email': 'x',
      aardvark: '1',
    };
    const expected = [
      ...['amount', 'currency', 'card.cvv', 'customer.email', 'cart.items[2].name', 'cart.items[10].name'],
      ...['aardvark', 'zebra', 'cart.items[2].name'],
      ...['forex.currency', 'card.expiryMonth', 'card.expiryYear', 'customer.givenName', 'customer.surname'],
    ];
    expect(namesOf('payment', sent)).toEqual(expected);
    expect(namesOf('payment', Object.fromEntries(Object.entries(sent).reverse()))).toEqual(expected);
  });

  test('a missing parameter has no value, a wrong one has its own', () => {
    expect(errorsOf('reference', { paymentType: 'PA', currency: 'EUR' })).toEqual([
      { name: 'amount', value: null, message: 'amount is required' },
      { name: 'paymentType', value: 'PA', message: 'paymentType must be one of CP, RV, RF' },
    ]);
  });

  test('a parameter that two rules require is reported once', () => {
    const sent = {
      ...money,
      paymentType: 'DB',
      paymentBrand: 'WALLET',
      'walletA.source': 'web',
      'card.holder': 'Jane',
    };
    const reported = namesOf('payment', sent);
    expect(new Set(reported).size).toBe(reported.length);
  });

  test('of changes, each parameter is validated alone: the others are stored already', () => {
    const partial = { partial: true };
    expect(errorsOf('checkout', { 'customer.email': 'jane@shop.example' }, partial)).toEqual([]);
    expect(errorsOf('checkout', { 'cart.items[1].name': 'y', 'billing.street2': '12' }, partial)).toEqual([]);
    const wrong = { amount: 'x', 'cart.items[1].quantity': 'y', 'overridePaymentType[VISA]': 'PA', nme: 'z' };
    expect(namesOf('checkout', wrong, partial)).toEqual([
      ...['amount', 'cart.items[1].quantity', 'nme', 'overridePaymentType[VISA]'],
    ]);
  });
});

describe('indexes', () => {
  test.each([
    [['cart.items[0].name', 'cart.items[1].name'], []],
    [['cart.items[1].name'], ['cart.items[1].name']],
    [['cart.items[0].name', 'cart.items[2].name', 'cart.items[3].name'], ['cart.items[2].name']],
    [
      ['airline.passengers[0].name', 'airline.passengers[0].legs[1].fareBasis'],
      ['airline.passengers[0].legs[1].fareBasis'],
    ],
    [['airline.passengers[1].legs[0].fareBasis'], ['airline.passengers[1].legs[0].fareBasis']],
    [['airline.passengers[0].legs[0].fareBasis', 'airline.passengers[1].legs[0].fareBasis'], []],
  ])('%j: gaps %j', (sent, reported) => {
    expect(
      namesOf('payment', { ...cardPayment, ...Object.fromEntries(sent.map((name) => [name, 'x'])) }),
    ).toEqual(reported);
  });
});

describe('hostile requests', () => {
  test('reach no prototype', () => {
    const parameters: unknown = JSON.parse(
      '{"__proto__":"1","__proto__[polluted]":"1","a.__proto__.polluted":"1","constructor.prototype.polluted":"1","customParameters[__proto__]":"1","cart.items[__proto__].name":"1"}',
    );
    // JSON.parse makes __proto__ an own property, which the record type cannot say.
    const errors = errorsOf('payment', parameters as Record<string, string>);
    expect(errors.filter(({ message }) => message.endsWith('contains a reserved word'))).toHaveLength(6);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('of more parameters than any request has are refused unread', () => {
    const many = Object.fromEntries(Array.from({ length: 50_001 }, (_, n) => [`p${n}`, 'x']));
    expect(errorsOf('payment', many)).toEqual([
      { name: '', value: null, message: 'A request has at most 50000 parameters, and this one has 50001' },
    ]);
  });

  test('with far too long streets of digits are refused at once', () => {
    // Quadratic time would be minutes, in which the gateway answers nobody.
    const street = '1'.repeat(131_071);
    const streets = {
      'billing.street1': street,
      'billing.street2': `${street}x`,
      'merchant.billing.street1': street,
      'merchant.billing.street2': `${street}x`,
    };
    expect(namesOf('payment', streets)).toEqual(expect.arrayContaining(Object.keys(streets)));
  });

  test('echo names cut, spelled out and without card numbers', () => {
    expect(namesOf('query', { 'a\r\nb': '1' })).toEqual(['a\\u{000d}\\u{000a}b']);
    expect(namesOf('query', { ['x'.repeat(1_000_000)]: '1' })).toEqual([`${'x'.repeat(200)}…`]);
    expect(namesOf('query', { 'customParameters[4200000000000000]': '1' })).toEqual([
      'customParameters[420000******0000]',
    ]);
  });

  test.each([
    ['card.number', '4200000000000000x', '***'],
    ['card.number', '4200 0000 0000 0000', '420000******0000'],
    ['card.number', '4200000', '***'],
    ['card.number', '4200000000-', '***'],
    ['card.cvv', '12345', '***'],
    ['bankAccount.iban', 'DE23 1000 0000 1234 5678 90', '***'],
    ['tokenAccount.number', '4200000000000000000000', '420000************0000'],
    ['walletA.paymentToken', '', '***'],
    ['giftCard.pin', '1', '***'],
    ['card.holder', '4200000000000000'.padEnd(129, 'x'), `420000******0000${'x'.repeat(64)}…`],
    ['card.expiryYear', '4200-0000-0000-0001', '420000******0001'],
    ['billing.country', '4/2/0/0/0/0/0/0/0/0/0/0/0/0/0/0', '420000******0000'],
    ['cardNumber', '4200000000000000', '***'],
    ['card.cvc', '123', '***'],
    ['descriptor', '\u001b[31m'.padEnd(128, 'x'), `\\u{001b}[31m${'x'.repeat(68)}…`],
  ])('%s=%s is shown as %s', (name, value, shown) => {
    expect(errorsOf('payment', { [name]: value }).find((error) => error.name === name)?.value).toBe(shown);
  });

  test.each([
    ['Card.holder', 'Card.holder is not a parameter (did you mean card.holder?)'],
    ['card.cvc', 'card.cvc is not a parameter (did you mean card.cvv?)'],
    ['cart.items[3].nam', 'cart.items[3].nam is not a parameter (did you mean cart.items[n].name?)'],
    ['card', 'card is not a parameter: names are flat, such as card.holder'],
    [
      'card[number]',
      'card[number] has an index that is not a plain number from 0 (did you mean card.number?)',
    ],
    [
      'cart[items][0][name]',
      'cart[items][0][name] is not a name of letters, digits, dots and indexes (did you mean cart.items[n].name?)',
    ],
    [
      'cart.items.0.name',
      'cart.items.0.name is not a name of letters, digits, dots and indexes (did you mean cart.items[n].name?)',
    ],
    [
      'cart.items[].name',
      'cart.items[].name has an index that is not a plain number from 0 (did you mean cart.items[n].name?)',
    ],
    ['amount[]', 'amount[] has an index that is not a plain number from 0 (did you mean amount?)'],
    ['card[secret]', 'card[secret] has an index that is not a plain number from 0'],
    ['customParameters[abc][def]', 'customParameters[abc][def] must end with one key in brackets'],
    [
      'customParameters',
      'customParameters is not a parameter: names are flat, such as customParameters[key]',
    ],
    ['favouriteColour', 'favouriteColour is not a parameter'],
    ['x'.repeat(41), `${'x'.repeat(41)} is not a parameter`],
  ])('%s is refused with what was probably meant', (name, message) => {
    expect(errorsOf('payment', { [name]: 'x' }).map((error) => error.message)).toContain(message);
  });

  test('only the first unknown names are compared with all others', () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`amoun${index}`, 'x']));
    const hints = errorsOf('payment', many).filter(({ message }) => message.includes('did you mean'));
    expect(hints).toHaveLength(3);
  });

  test('only the first hundreds of names in another notation are explained', () => {
    const items = Array.from({ length: 600 }, (_, index) => [`cart[items][${index}][name]`, 'x'] as const);
    const messages = errorsOf('payment', Object.fromEntries(items)).map(({ message }) => message);
    expect(messages.filter((message) => message.includes('did you mean cart.items[n].name'))).toHaveLength(
      500,
    );
  });

  test('an unknown kind is an error of the program', () => {
    // Plain JavaScript can pass anything.
    for (const call of [
      () => validateParameters('refund' as 'payment', {}, inTest),
      () => describeParameters(Symbol('refund') as never),
    ]) {
      expect(call).toThrow(expect.objectContaining({ name: 'ReconError', code: 'USAGE_INVALID' }));
      expect(call).toThrow('The kind of a request must be one of payment, reference, checkout,');
    }
  });
});

describe('test mode', () => {
  test.each([
    [{ testMode: 'INTERNAL' }, 'live', true],
    [{ testMode: 'nonsense' }, 'live', true],
    [{ testMode: undefined }, 'live', false],
    [{}, 'live', false],
    [{ testMode: 'INTERNAL' }, 'test', false],
  ] as const)('%j in %s: declined %s', (parameters, environment, declined) => {
    expect(isTestModeRefused(parameters, { environment })).toBe(declined);
  });
});

describe('properties', () => {
  const pan = '4539578763621486';
  const cvv = '8317';
  const knownName = fc.constantFrom(...catalogue.map((field) => nameOf(field)));
  const knownValue = fc.constantFrom(
    ...catalogue.flatMap((field) => {
      const { valid, invalid } = spellingsOf(field.type);
      return [...valid, ...invalid].filter((value) => value.length < 300);
    }),
  );
  const name = fc.oneof(
    { weight: 4, arbitrary: knownName },
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '__proto__',
      'constructor',
      'toString',
      'cart.items[3].name',
      'card[number]',
      'cart.items[1e3].name',
    ),
  );
  const value = fc.oneof(
    { weight: 4, arbitrary: knownValue },
    fc.string({ unit: 'binary' }),
    fc.constantFrom<unknown>(undefined, null, 1, {}, []),
  );
  const kind = fc.constantFrom(...requestKinds);
  const pairs = fc.array(fc.tuple(name, value), { maxLength: 25 });
  const record = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> => {
    const made = Object.create(null) as Record<string, unknown>; // its annotation is any
    for (const [key, held] of entries) made[key] = held;
    return made;
  };

  test('nothing throws or pollutes, and the order of sending does not matter', () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    fc.assert(
      fc.property(kind, pairs, fc.boolean(), (of, entries, live) => {
        const options = { environment: live ? 'live' : 'test', today: '2026-11-21' } as const;
        const parameters = record(entries);
        const errors = validateParameters(of, parameters, options);
        for (const error of errors) {
          expect(Object.keys(error)).toEqual(['name', 'value', 'message']);
          expect(error.message.length).toBeLessThan(1200);
        }
        expect(validateParameters(of, record(Object.entries(parameters).reverse()), options)).toEqual(errors);
      }),
      { numRuns: 1000 },
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });

  test('no card number and no security code is ever echoed, wherever it was put', () => {
    const disguise = fc.constantFrom(
      pan,
      `${pan} `,
      pan.replace(/(....)(?=.)/g, '$1 '),
      pan.replace(/(....)(?=.)/g, '$1-'),
      `x${pan}`,
      `${pan}\n${pan}`,
    );
    fc.assert(
      fc.property(kind, knownName, disguise, pairs, (of, place, hidden, entries) => {
        const parameters = record([
          ...entries,
          [place, hidden],
          ['card.number', hidden],
          ['card.cvv', cvv],
          ['card.cvc', cvv],
          ['tokenAccount.dtvc', `${cvv}${cvv}`],
        ]);
        // A character such as U+68317 is reported by its number, which is no security code.
        const reported = JSON.stringify(errorsOf(of, parameters)).replace(/\\u\{[\da-f]+[}…]/g, '');
        expect(reported.replace(/[\s./-]|\\n/g, '')).not.toContain(pan);
        expect(reported).not.toContain(cvv);
      }),
      { numRuns: 1000 },
    );
  });

  test('a field with a value that it allows is not reported for its value', () => {
    for (const field of catalogue) {
      const [sent = ''] = spellingsOf(field.type).valid;
      for (const of of field.kinds) {
        const error = errorsOf(of, { ...smallest[of], ...names, [nameOf(field)]: sent }).find(
          ({ name: reported, message }) =>
            reported === nameOf(field) && /must be|may hold|character/.test(message),
        );
        expect([of, field.name, error]).toEqual([of, field.name, undefined]);
      }
    }
  });
});

test('a capture sends no card: the referenced payment has it', () => {
  expect(namesOf('reference', { ...capture, ...card })).toEqual([
    'card.expiryMonth',
    'card.expiryYear',
    'card.number',
  ]);
});
