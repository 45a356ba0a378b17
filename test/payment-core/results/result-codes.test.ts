import { describe, expect, test } from 'vitest';
import { classifyResultCode, dispositionOf, resultCodes } from '../../../src/payment-core/index.js';
import { resultClasses } from '../../../src/payment-core/results/result-classes.js';
import {
  describeResultCode,
  storedOutcomeOf,
} from '../../../src/payment-core/results/classify-result-code.js';

describe('the catalogue of result codes', () => {
  test('has every code in exactly one class: its own', () => {
    const wrong = resultCodes.filter(({ code, resultClass }) => {
      const fitting = Object.entries(resultClasses).filter(([, { pattern }]) => pattern.test(code));
      return fitting.length !== 1 || fitting[0]?.[0] !== resultClass;
    });
    expect(wrong).toEqual([]);
    expect(new Set(resultCodes.map(({ code }) => code)).size).toBe(resultCodes.length);
  });

  test('has a code and a text of the documented shape for each', () => {
    const wrong = resultCodes.filter(
      ({ code, description }) => !/^\d{3}\.\d{3}\.\d{3}$/.test(code) || !/^.{1,255}$/.test(description),
    );
    expect(wrong).toEqual([]);
  });

  test('describes each code in a short sentence that no other code has', () => {
    const long = resultCodes.filter(({ description }) => description.length > 64);
    expect(long).toEqual([]);
    expect(new Set(resultCodes.map(({ description }) => description)).size).toBe(resultCodes.length);
  });

  test('uses the words that the specification demands', () => {
    expect(describeResultCode('600.200.701')).toBe('testMode not allowed on production');
    expect(describeResultCode('800.120.100')).toMatch(/^too many requests.*try again later/i);
  });

  test('agrees with design 5 on what is a success, for every code', () => {
    const wrong = resultCodes.filter(
      ({ code }) => (dispositionOf(code) === 'success') !== (storedOutcomeOf(code) === 'SUCCESS'),
    );
    expect(wrong).toEqual([]);
  });

  test('agrees with design 5 on what is pending, the codes that wait for days included', () => {
    const differing = resultCodes.filter(
      ({ code }) => (dispositionOf(code) === 'pending') !== (storedOutcomeOf(code) === 'PENDING'),
    );
    expect(differing).toEqual([]);
  });

  test.each([
    ['000.000.000', 'success'],
    ['000.100.110', 'success'],
    ['000.400.100', 'successReview'],
    ['000.200.000', 'pending'],
    ['800.400.500', 'pendingLong'],
    ['000.400.030', 'communication'],
    ['000.400.101', 'declinedAuthentication'],
    ['000.100.211', 'chargeback'],
    ['000.100.105', 'success'],
    ['600.200.701', 'configuration'],
    ['800.120.100', 'declinedByVelocity'],
    ['700.400.200', 'reference'],
    ['200.300.404', 'format'],
    ['000.500.000', 'rating'],
    ['700.600.101', 'merchantAdvice'],
    ['700.601.999', 'merchantAdvice'],
    ['000.000.999', 'success'],
    ['800.100.999', 'declinedByBank'],
    ['900.100.999', 'communication'],
    ['123.456.789', 'unknown'],
    ['000.000.', 'unknown'],
    ['000.000.0000', 'unknown'],
    ['000.000.000\n', 'unknown'],
    ['', 'unknown'],
    ['constructor', 'unknown'],
    ['__proto__', 'unknown'],
  ])('%s is %s', (code, expected) => {
    expect(classifyResultCode(code)).toBe(expected);
  });

  test('holds the public list', () => {
    expect(resultCodes.length).toBeGreaterThanOrEqual(564);
  });

  test('a code that is not in it counts as the reconciliation counts it', () => {
    for (let group = 0; group < 1000; group += 1) {
      for (const detail of ['000', '030', '199', '500', '999']) {
        for (const first of ['000', '100', '800', '900']) {
          const code = `${first}.${group.toString().padStart(3, '0')}.${detail}`;
          const success = dispositionOf(code) === 'success';
          expect([code, success]).toEqual([code, storedOutcomeOf(code) === 'SUCCESS']);
        }
      }
    }
  });
});
