import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PossibleTwins } from '../../src/intake/possible-twins.js';

const fingerprintOf = (value: number) => createHash('sha256').update(`${value}`).digest('hex').slice(0, 32);

test('every fingerprint that occurs twice is listed, however small the filter is', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(200), { maxLength: 300 }),
      fc.constantFrom(0, 10_000, 1_000_000),
      (values, bytes) => {
        const twins = new PossibleTwins(bytes);
        for (const value of values) twins.add(fingerprintOf(value));
        const twice = values.filter((value, index) => values.indexOf(value) !== index).map(fingerprintOf);
        expect(twins.fingerprints).toEqual(expect.arrayContaining(twice));
      },
    ),
  );
});

test('of 100,000 rows of 400 bytes without twins, none is listed', () => {
  const twins = new PossibleTwins(100_000 * 400);
  for (let value = 0; value < 100_000; value += 1) twins.add(fingerprintOf(value));
  expect(twins.fingerprints).toEqual([]);
});

test('a filter that is too small for its rows does not know which have twins', () => {
  const twins = new PossibleTwins(0);
  for (let value = 0; value < 20_000; value += 1) twins.add(fingerprintOf(value));
  expect(twins.fingerprints).toBeNull();
});
