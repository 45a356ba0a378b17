import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readForm, readQuery } from '../../src/http/form-pairs.js';

/** What Node makes of a request line: a character for each byte. */
const piece = fc.oneof(
  fc.constantFrom(
    '&',
    '=',
    '+',
    '%',
    '%41',
    '%c3%bc',
    '%C3',
    '%zz',
    '?',
    'amount',
    'ü',
    '\u00c3\u00bc',
    '\u0080',
  ),
  fc.string({ unit: fc.constantFrom('a', 'é', '9', '.') }),
);

test('a query is read like the same bytes in a body', () => {
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const query = pieces.join('');
      expect(readQuery(`/v1/payments?${query}`)).toEqual(readForm(Buffer.from(query, 'latin1')));
    }),
  );
});

test.each([
  { url: '/v1/payments', expected: [] },
  { url: '/v1/payments?', expected: [] },
  {
    url: '/v1/payments?a=1&a=2',
    expected: [
      ['a', '1'],
      ['a', '2'],
    ],
  },
  { url: '/v1/payments?a=%C3%BC', expected: [['a', 'ü']] },
  { url: '/v1/payments?a=\u00c3\u00bc', expected: [['a', 'ü']] },
  { url: '/v1/payments?a=%C3', expected: undefined },
  { url: '/v1/payments?a=\u00c3', expected: undefined },
  { url: '/v1/payments?a=100%', expected: undefined },
])('the query of $url', ({ url, expected }) => {
  expect(readQuery(url)).toEqual(expected);
});
