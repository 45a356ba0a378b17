import { expect, test } from 'vitest';
import { readParameterList } from '../../../src/payment-core/validation/read-parameter-list.js';

test('gathers pairs into a record without prototype', () => {
  const { parameters, errors } = readParameterList(
    new URLSearchParams('amount=1.00&__proto__=x&currency=EUR'),
  );
  expect(errors).toEqual([]);
  expect(Object.getPrototypeOf(parameters)).toBeNull();
  expect(Object.entries(parameters)).toEqual([
    ['amount', '1.00'],
    ['__proto__', 'x'],
    ['currency', 'EUR'],
  ]);
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
});

test('a name that is sent twice is reported once, without its value', () => {
  const { errors } = readParameterList([
    ['card.cvv', '123'],
    ['amount', '1'],
    ['card.cvv', '456'],
    ['amount', '2'],
    ['amount', '2'],
    ['customParameters[4200000000000000]', 'a'],
    ['customParameters[4200000000000000]', 'a'],
  ]);
  expect(errors).toEqual([
    { name: 'amount', value: '***', message: 'amount is sent more than once' },
    { name: 'card.cvv', value: '***', message: 'card.cvv is sent more than once' },
    {
      name: 'customParameters[420000******0000]',
      value: '***',
      message: 'customParameters[420000******0000] is sent more than once',
    },
  ]);
});

test('an endless list is not read to its end', () => {
  function* endless(): Generator<[string, string]> {
    for (let n = 0; ; n += 1) yield [`p${n}`, 'x'];
  }
  const { parameters, errors } = readParameterList(endless());
  expect(Object.keys(parameters)).toEqual([]);
  expect(errors).toEqual([{ name: '', value: null, message: 'A request has at most 50000 parameters' }]);
});
