import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nestParameters } from '../../../src/payment-core/responses/nest-parameters.js';
import { cutterOf } from '../../../src/payment-core/secrets/own-numbers.js';

/*
 * Shortcuts that make a request cheaper must not change its result: each is compared with the plain way.
 */

/** Numbers and texts of few characters, so that a number is often in a text. */
const number = fc.string({
  unit: fc.constantFrom('4', '2', 'A', 'a', '$', 'ß', '𝟜'),
  minLength: 6,
  maxLength: 14,
});
const glue = fc.constantFrom('', ' ', '-', '/', '. ', 'x', '42', 'é');

test('an account number is cut out of a text, whether or not its pattern is tried', () => {
  fc.assert(
    fc.property(number, glue, glue, glue, fc.boolean(), (own, before, between, after, isIn) => {
      const half = Math.floor(own.length / 2);
      const text = isIn
        ? `${before}${own.slice(0, half)}${between}${own.slice(half)}${after}`
        : before + after;
      const cut = cutterOf({ 'bankAccount.number': own });
      // A longer text with as many digits as there can be always has its pattern tried.
      const padding = `ü ${'0 '.repeat(20)}ü`;
      expect(cut(`${text}${padding}`)).toBe(`${cut(text + 'ü ').slice(0, -2)}${padding}`);
    }),
  );
});

test('the wanted groups of parameters are those of all of them', () => {
  const names = [
    'amount',
    'customer.givenName',
    'customer.browser.userAgent',
    'card.holder',
    'cart.items[0].name',
    'cart.items[1].name',
    'customParameters[SHOPPER_a.b]',
    'threeDSecure.schemeData[x]',
  ];
  const wanted = fc.uniqueArray(
    fc.constantFrom('customer', 'cart', 'customParameters', 'threeDSecure', 'risk'),
  );
  fc.assert(
    fc.property(fc.shuffledSubarray(names), wanted, (sent, groups) => {
      const parameters = Object.fromEntries(sent.map((name) => [name, `of ${name}`]));
      const all = nestParameters(parameters);
      const some = nestParameters(parameters, new Set(groups));
      const expected = Object.entries(all).filter(([name]) => groups.some((group) => group === name));
      expect(JSON.stringify(some)).toBe(JSON.stringify(Object.fromEntries(expected)));
    }),
  );
});

test('a key that is the name of a prototype is an ordinary member', () => {
  const sent = { 'customParameters[__proto__]': 'one', 'customParameters[other]': 'two' };
  const { customParameters } = nestParameters(sent);
  expect(JSON.stringify(customParameters)).toBe('{"__proto__":"one","other":"two"}');
});
