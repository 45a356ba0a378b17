import { describe, expect, test } from 'vitest';
import type { RequestKind } from '../../../src/payment-core/fields/request-kinds.js';
import { applyDefaults, type DefaultOptions } from '../../../src/payment-core/validation/apply-defaults.js';
import { validateParameters } from '../../../src/payment-core/validation/validate-parameters.js';
import { smallest, type Flat } from './requests.js';

const inLive: DefaultOptions = { environment: 'live' };

/** The added defaults, in `live` unless another environment is given, where the test mode has no default. */
function added(kind: RequestKind, sent: Flat, options: Partial<DefaultOptions> = {}): Record<string, string> {
  const complete = applyDefaults(kind, sent, { ...inLive, ...options });
  return Object.fromEntries(Object.entries(complete).filter(([name]) => !Object.hasOwn(sent, name)));
}

const job = (fields: Readonly<Record<string, string>>): Flat =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`job.${name}`, value]));
const si = (type: string): Flat => ({ 'standingInstruction.type': type });
const openEnd = { 'standingInstruction.expiry': '9999-12-31', 'standingInstruction.frequency': '0001' };

describe('defaults of the documents', () => {
  const cases: readonly (readonly [
    what: string,
    kind: RequestKind,
    sent: Flat,
    options: Partial<DefaultOptions>,
    added: Flat,
  ])[] = [
    [
      'payment in test',
      'payment',
      {},
      { environment: 'test' },
      { testMode: 'INTERNAL', transactionProcessingCode: 'PURCHASE' },
    ],
    ['payment in live', 'payment', {}, {}, { transactionProcessingCode: 'PURCHASE' }],
    [
      'payment that says all',
      'payment',
      { testMode: 'EXTERNAL', transactionProcessingCode: 'FUNDING' },
      { environment: 'test' },
      {},
    ],
    ['capture', 'reference', {}, { environment: 'test' }, { testMode: 'INTERNAL' }],
    ['query', 'query', {}, { environment: 'test' }, { limit: '100' }],
    ['query with limit', 'query', { limit: '500' }, {}, {}],
    ['report', 'reporting', smallest.reporting, { environment: 'test' }, {}],
    [
      'items',
      'reference',
      { 'cart.items[0].name': 'a', 'cart.items[1].quantityUnit': 'KG', 'cart.items[2].sku': 'c' },
      {},
      { 'cart.items[0].quantityUnit': 'COUNT', 'cart.items[2].quantityUnit': 'COUNT' },
    ],
    ['shipping', 'reference', { 'shipping.city': 'Berlin' }, {}, { 'shipping.preference': 'GET_FROM_FILE' }],
    [
      'merchant shipping',
      'reference',
      { 'merchant.shipping.city': 'Berlin' },
      {},
      { 'merchant.shipping.preference': 'GET_FROM_FILE' },
    ],
    [
      'risk',
      'registration',
      { 'risk.amount': '1.00', paymentBrand: 'VISA' },
      { now: '2026-11-21 06:00:00' },
      { 'risk.brand': 'VISA', 'risk.orderTimestamp': '2026-11-21 06:00:00' },
    ],
    ['risk, moment unknown', 'registration', { 'risk.brand': 'A', paymentBrand: 'VISA' }, {}, {}],
    ['recurring of schemeB', 'registration', { ...si('RECURRING'), paymentBrand: 'schemeB' }, {}, openEnd],
    [
      'installment of schemeB',
      'registration',
      { ...si('INSTALLMENT'), 'threeDSecure.v2.schemeB.requestorId': 'x' },
      {},
      openEnd,
    ],
    ['unscheduled of schemeB', 'registration', { ...si('UNSCHEDULED'), paymentBrand: 'schemeB' }, {}, {}],
    ['recurring of another network', 'registration', { ...si('RECURRING'), paymentBrand: 'schemeA' }, {}, {}],
    [
      'recurring of a brand of schemeB',
      'registration',
      { ...si('RECURRING'), paymentBrand: 'BLUE' },
      { schemeOf: (brand) => (brand === 'BLUE' ? 'schemeB' : undefined) },
      openEnd,
    ],
    [
      'recurring with its own end',
      'registration',
      {
        ...si('RECURRING'),
        paymentBrand: 'schemeB',
        'standingInstruction.expiry': '2030-01-01',
        'standingInstruction.frequency': '30',
      },
      {},
      {},
    ],
  ];

  test.each(cases)('%s', (_what, kind, sent, options, expected) => {
    expect(added(kind, sent, options)).toEqual(expected);
  });
});

describe('the time of a job', () => {
  const daily = {
    second: '0',
    minute: '0',
    hour: '0',
    dayOfMonth: '1',
    month: '1',
    dayOfWeek: '?',
    year: '*',
  };

  test.each([
    ['nothing', {}, daily],
    ['empty year', { year: '' }, daily],
    ['day of month', { dayOfMonth: '15' }, { ...daily, dayOfMonth: '15' }],
    ['day of week', { dayOfWeek: 'MON' }, { ...daily, dayOfMonth: '?', dayOfWeek: 'MON' }],
    ['no day of month', { dayOfMonth: '?' }, { ...daily, dayOfMonth: '?', dayOfWeek: '1' }],
    ['no day of week', { dayOfWeek: '?' }, daily],
    [
      'expression',
      { expression: '5 4 3 ? 2 FRI', hour: '9' },
      { second: '5', minute: '4', hour: '3', dayOfMonth: '?', month: '2', dayOfWeek: 'FRI', year: '*' },
    ],
  ])('%s', (_what, sent, expected) => {
    const complete = applyDefaults('job', job(sent), inLive);
    expect(complete).toMatchObject(job(expected));
    expect(validateParameters('job', complete, inLive)).toEqual([]);
  });
});

test('the record is new, without prototype, and valid when the request was', () => {
  for (const kind of ['payment', 'reference', 'checkout', 'registration', 'migration', 'query'] as const) {
    const complete = applyDefaults(kind, smallest[kind], { environment: 'test', now: '2026-11-21 06:00:00' });
    expect(Object.getPrototypeOf(complete)).toBeNull();
    expect(complete).not.toBe(smallest[kind]);
    expect(validateParameters(kind, complete, { environment: 'test' })).toEqual([]);
  }
});
