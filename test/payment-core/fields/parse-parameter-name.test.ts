import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseParameterName } from '../../../src/payment-core/fields/parse-parameter-name.js';

describe('names that are taken apart', () => {
  test.each([
    ['amount', 'amount', [], null],
    ['card.number', 'card.number', [], null],
    ['cart.items[0].name', 'cart.items[n].name', [0], null],
    ['cart.items[1000].recipient.city', 'cart.items[n].recipient.city', [1000], null],
    ['airline.passengers[3].legs[12].taxAmount', 'airline.passengers[n].legs[n].taxAmount', [3, 12], null],
    ['customParameters[abc]', 'customParameters[key]', [], 'abc'],
    ['customParameters[SHOPPER_a.b_c]', 'customParameters[key]', [], 'SHOPPER_a.b_c'],
    ['customParameters[123]', 'customParameters[key]', [], '123'],
    [`risk.parameters[${'k'.repeat(64)}]`, 'risk.parameters[key]', [], 'k'.repeat(64)],
    ['merchant.data[a.b]', 'merchant.data[key]', [], 'a.b'],
    ['overridePaymentType[V]', 'overridePaymentType[key]', [], 'V'],
    ['threeDSecure.v2.schemeF.requestorId', 'threeDSecure.v2.<scheme>.requestorId', [], null],
    ['threeDSecure.v2.schemeG.requestorId', 'threeDSecure.v2.schemeG.requestorId', [], null],
    ['threeDSecure.schemeData[SCHEMEF-ITEMSNB]', 'threeDSecure.schemeData[SCHEMEF-ITEMSNB]', [], null],
    ['not.in.the.catalogue', 'not.in.the.catalogue', [], null],
  ])('%s', (name, template, indexes, key) => {
    expect(parseParameterName(name)).toEqual({ ok: true, template, indexes, key });
  });
});

describe('names that are refused', () => {
  test.each([
    ['', 'is empty'],
    ['__proto__', 'contains a reserved word'],
    ['__proto__[polluted]', 'contains a reserved word'],
    ['a.__proto__.b', 'contains a reserved word'],
    ['constructor.prototype.polluted', 'contains a reserved word'],
    ['card.constructor', 'contains a reserved word'],
    ['cart.items[__proto__].name', 'contains a reserved word'],
    ['customParameters[__proto__]', 'contains a reserved word'],
    ['customParameters[constructor]', 'contains a reserved word'],
    ['merchant.data[prototype]', 'contains a reserved word'],
    ['customParameters[a.__proto__.b]', 'contains a reserved word'],
    ['cart.items[].name', 'has an index that is not a plain number from 0'],
    ['cart.items[01].name', 'has an index that is not a plain number from 0'],
    ['cart.items[-1].name', 'has an index that is not a plain number from 0'],
    ['cart.items[-0].name', 'has an index that is not a plain number from 0'],
    ['cart.items[+1].name', 'has an index that is not a plain number from 0'],
    ['cart.items[1e3].name', 'has an index that is not a plain number from 0'],
    ['cart.items[1.0].name', 'is not a name of letters, digits, dots and indexes'],
    ['cart.items[0x1].name', 'has an index that is not a plain number from 0'],
    ['cart.items[ 1].name', 'has an index that is not a plain number from 0'],
    ['cart.items[٣].name', 'has an index that is not a plain number from 0'],
    ['cart.items[99999999999].name', 'has an index that is not a plain number from 0'],
    ['cart.items[1001].name', 'has an index above 1000'],
    ['cart.payments[100].name', 'has an index above 99'],
    ['marketPlace.sellers[1001].id', 'has an index above 1000'],
    ['airline.passengers[500].name', 'has an index above 499'],
    ['airline.passengers[0].legs[100].flightNumber', 'has an index above 99'],
    ['cart.items[0][0].name', 'is not a name of letters, digits, dots and indexes'],
    ['cart.items[0.name', 'is not a name of letters, digits, dots and indexes'],
    ['cart.items0].name', 'is not a name of letters, digits, dots and indexes'],
    ['cart[items].name', 'has an index that is not a plain number from 0'],
    ['.amount', 'is not a name of letters, digits, dots and indexes'],
    ['amount.', 'is not a name of letters, digits, dots and indexes'],
    ['card..number', 'is not a name of letters, digits, dots and indexes'],
    ['card number', 'is not a name of letters, digits, dots and indexes'],
    ['amount\n', 'is not a name of letters, digits, dots and indexes'],
    ['amount\u0000', 'is not a name of letters, digits, dots and indexes'],
    ['0amount', 'is not a name of letters, digits, dots and indexes'],
    ['a.b.c.d.e.f.g.h.i', 'has more than 8 levels'],
    ['customParameters[ab]', 'has a key that is not 3-64 letters, digits, dots and underscores'],
    [
      `customParameters[${'k'.repeat(65)}]`,
      'has a key that is not 3-64 letters, digits, dots and underscores',
    ],
    ['customParameters[a-b]', 'has a key that is not 3-64 letters, digits, dots and underscores'],
    ['customParameters[äöü]', 'has a key that is not 3-64 letters, digits, dots and underscores'],
    ['customParameters[abc][def]', 'must end with one key in brackets'],
    ['customParameters[abc].def', 'must end with one key in brackets'],
    ['customParameters[abc', 'must end with one key in brackets'],
    ['customParameters[[abc]]', 'must end with one key in brackets'],
    [`overridePaymentType[${'V'.repeat(33)}]`, 'has a key that is not 1-32 letters, digits and underscores'],
    ['overridePaymentType[]', 'has a key that is not 1-32 letters, digits and underscores'],
    [`a${'b'.repeat(200)}`, 'is longer than 200 bytes'],
    ['é'.repeat(101), 'is longer than 200 bytes'],
    ['x'.repeat(1_000_000), 'is longer than 200 bytes'],
  ])('%s', (name, reason) => {
    expect(parseParameterName(name)).toEqual({ ok: false, reason });
  });
});

test('never throws, and what it accepts can be written again from its parts', () => {
  const word = fc.constantFrom(
    'cart',
    'items',
    'a',
    '__proto__',
    '[0]',
    '[',
    ']',
    '.',
    '[1]',
    'name',
    '\u0000',
    'customParameters',
  );
  const name = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(word).map((words) => words.join('')),
  );
  fc.assert(
    fc.property(name, (text) => {
      const reading = parseParameterName(text);
      if (!reading.ok) return;
      let next = 0;
      const written = reading.template
        .replace(/\[n\]/g, () => `[${reading.indexes[next++] ?? -1}]`)
        .replace('[key]', () => `[${reading.key ?? ''}]`);
      if (!reading.template.includes('<scheme>')) expect(written).toBe(text);
    }),
    { numRuns: 2000 },
  );
});
