import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskCardNumbers, passesLuhn, truncateCardNumber } from '../../src/values/mask-card-numbers.js';

describe('F69 maskCardNumbers', () => {
  test.each([
    ['4200000000000000', '420000******0000'],
    ['4111 1111 1111 1111', '411111******1111'],
    ['4111-1111-1111-1111', '411111******1111'],
    ['378282246310005', '378282*****0005'],
    // As word processors and spreadsheets keep a number on one line: no-break and thin spaces, other hyphens.
    ['4111\u00a01111\u00a01111\u00a01111', '411111******1111'],
    ['4111\u202f1111\u20091111\u30001111', '411111******1111'],
    ['4111\u20111111\u20131111\u22121111', '411111******1111'],
    // Dots, slashes and underscores, where the groups are those of a printed card.
    ['4111.1111.1111.1111', '411111******1111'],
    ['4111/1111/1111/1111', '411111******1111'],
    ['card_4111_1111_1111_1111_', 'card_411111******1111_'],
    ['3782.822463.10005', '378282*****0005'],
    ['3056.930902.5904', '305693****5904'],
    ['4111.1111/1111.1111', '4111.1111/1111.1111'],
    ['41.111111111111.11', '41.111111111111.11'],
    ['4.111.111.111.111.111', '4.111.111.111.111.111'],
    ['4111\u00a0\u00a01111 1111 1111', '4111\u00a0\u00a01111 1111 1111'],
    ['Card 5555555555554444, thanks', 'Card 555555******4444, thanks'],
    ['4200000000000000;4111111111111111', '420000******0000;411111******1111'],
    // Other digits stand before or behind it.
    ['14 4929420573595709', '14 492942******5709'],
    ['14 4929 4205 7359 5709 99', '14 492942******5709 99'],
    ['1234 4929 4205 7359 5709', '1234 492942******5709'],
    // The checksum is wrong, the digits are part of a longer word, or no issuer has such numbers.
    ['4200000000000001', '4200000000000001'],
    ['a4200000000000000', 'a4200000000000000'],
    ['4200000000000000a', '4200000000000000a'],
    ['42000000000000000000', '42000000000000000000'],
    ['1234567890123452', '1234567890123452'],
    ['420000000000', '420000000000'],
    // Their checksum holds.
    ['20261119063018', '20261119063018'],
    ['20261119063000004', '20261119063000004'],
    ['8ac7a4a1000000000000000000000001', '8ac7a4a1000000000000000000000001'],
    ['', ''],
  ])('%j becomes %j', (text, expected) => {
    expect(maskCardNumbers(text)).toBe(expected);
  });

  test('only the first six and last four digits of a card number in a sentence remain', () => {
    const digits = fc.stringMatching(/^(?:2[1-9]|[3-6][0-9])[0-9]{10,16}$/).map((start) => {
      const check = [...Array(10).keys()].find((digit) => passesLuhn(`${start}${digit}`)) ?? 0;
      return `${start}${check}`;
    });
    fc.assert(
      fc.property(digits, (number) => {
        const masked = maskCardNumbers(`paid with ${number}.`);
        expect(masked).toBe(`paid with ${truncateCardNumber(number)}.`);
        expect(masked).not.toContain(number);
      }),
    );
  });

  test('a text is searched for the first digits of a number, and no number is missed', () => {
    // These digits belong to no card, but look like the first of one, so that the rest is searched closely.
    const before = '0000000000000 x ';
    const part = fc.constantFrom(
      ...['4111', '1111', '11111', '378282', '4111111111111111', '378282246310005', '0', 'a'],
      ...[' ', '-', '\u00a0', '\u2011', '.', '/', '_', ';'],
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        expect(maskCardNumbers(before + text)).toBe(before + maskCardNumbers(text));
      }),
    );
  });
});
