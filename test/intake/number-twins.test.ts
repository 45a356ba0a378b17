import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TwinNumbers } from '../../src/intake/number-twins.js';

const numbersOf = (fingerprints: readonly string[], mostKept?: number) => {
  const twins = new TwinNumbers(mostKept);
  return fingerprints.map((fingerprint) => twins.next(fingerprint));
};

test('each row gets the count of rows with its fingerprint up to it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c')), (fingerprints) => {
      const counted = fingerprints.map(
        (fingerprint, index) =>
          fingerprints.slice(0, index + 1).filter((each) => each === fingerprint).length,
      );
      expect(numbersOf(fingerprints)).toEqual(counted);
    }),
  );
});

test('when all fingerprints that may be kept are kept, only their rows are numbered', () => {
  expect(numbersOf(['a', 'b', 'c', 'a', 'c', 'b', 'a', 'c'], 2)).toEqual([1, 1, 1, 2, 1, 2, 3, 1]);
});
