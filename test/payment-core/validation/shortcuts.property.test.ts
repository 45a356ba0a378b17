import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldsOf } from '../../../src/payment-core/fields/catalogue/catalogue.js';
import { nestParameters } from '../../../src/payment-core/responses/nest-parameters.js';
import { cutterOf } from '../../../src/payment-core/secrets/own-numbers.js';
import {
  structureOf,
  type ParameterRequest,
} from '../../../src/payment-core/validation/parameter-request.js';
import { readRequest } from '../../../src/payment-core/validation/read-request.js';
import { receiveParameters } from '../../../src/payment-core/validation/receive-parameters.js';
import { rules } from '../../../src/payment-core/validation/rules/all-rules.js';
import type { Rule } from '../../../src/payment-core/validation/rules/rule.js';

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

/** Values that rules look at; most are invalid for most names, and rules must bear that. */
const value = fc.constantFrom(
  ...[
    'PA',
    'DB',
    'CP',
    'RF',
    'CD',
    'INITIAL',
    'REPEATED',
    'CIT',
    'MIT',
    'INSTALLMENT',
    'true',
    'FUNDING',
    'FINAL',
  ],
  ...['2.1.0', '2.2.0', '1.0', '2020', '05', '123', 'DE', 'IND', 'schemeF', 'VISA'],
);

const options = fc.record({
  environment: fc.constantFrom('test' as const, 'live' as const),
  origin: fc.constantFrom('client' as const, 'server' as const),
  registration: fc.boolean(),
  partial: fc.boolean(),
  today: fc.constant('2026-11-23'),
});

/** The parameters that a rule asks a request for: a usual request has none of them by chance. */
function askedFor({ check }: Rule, request: ParameterRequest): readonly string[] {
  const names = [...fieldsOf(request.kind).keys()];
  const asked = new Set<string>();
  const addAll = (begin: string) => {
    for (const name of names) if (name.startsWith(begin)) asked.add(name);
  };
  check({
    ...request,
    find: (name) => (asked.add(name), request.find(name)),
    value: (name) => (asked.add(name), request.value(name)),
    has: (name) => (asked.add(name), request.has(name)),
    hasAny: (structures) => (structures.forEach(addAll), request.hasAny(structures)),
    under: (prefix) => (addAll(prefix), request.under(prefix)),
  });
  return [...asked].map((name) => name.replaceAll('[n]', '[0]').replace('[key]', '[a]'));
}

test.each(rules.filter(({ about }) => about !== undefined).map((rule) => [rule.name, rule] as const))(
  '%s: the rule finds nothing in a request that has none of what it is about',
  (_, rule) => {
    const about = rule.about ?? [];
    fc.assert(
      fc.property(fc.constantFrom(...rule.kinds), options, fc.gen(), (kind, chosen, draw) => {
        const parameters: Record<string, string> = {};
        const read = () => readRequest(kind, receiveParameters(parameters), chosen).request;
        // What a rule asks for next depends on what it found before.
        for (let step = 0; step < 4; step += 1) {
          for (const name of draw(fc.subarray, [...askedFor(rule, read())])) {
            if (!about.includes(structureOf(name))) parameters[name] ??= draw(() => value);
          }
        }
        expect([parameters, rule.check(read())]).toEqual([parameters, []]);
      }),
    );
  },
);
