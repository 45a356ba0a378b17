import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  amendChargebacks,
  bookChargebacks,
  exportPayments,
  findPayment,
  importPayments,
  type PaymentCore,
} from '../../src/payment-core/index.js';
import { folderForAllTests } from '../support/test-folder.js';
import { card, cardPayment, createTestCore, type TestCore } from './support/test-core.js';

/**
 * A program whose calls no compiler checks: an option with a misspelt name would be an option that is left out, and the
 * answer would be one to another question.
 */
let world: TestCore;
const folder = folderForAllTests();
beforeAll(async () => {
  world = await createTestCore();
});
afterAll(() => world.drop());

type Call = (core: PaymentCore, options: never) => Promise<unknown>;

const day = { 'date.from': '2026-11-20', 'date.to': '2026-11-20' };
const queryOptions = 'id, after and pageNo';
const detailsOptions = 'settlementCurrency, limit, after and pageNo';
const query: Call = (core, options) => core.query({}, options);
const details: Call = (core, options) => core.reporting.details(day, options);
const read: Call = (core, options) => core.events.read(options);
const runDue: Call = (core, options) => core.jobs.runDue(undefined, options);
const importFile: Call = (core, options) =>
  core.storedPayments.import(path.join(folder.path, 'payments.csv'), options);

describe('an option that an operation does not have', () => {
  test.each<[string, Call, object, string, string]>([
    ['query', query, { pageno: 2 }, 'pageno', queryOptions],
    ['query', query, { settlementCurrency: 'EUR' }, 'settlementCurrency', queryOptions],
    ['reporting.details', details, { settlmentCurrency: 'EUR' }, 'settlmentCurrency', detailsOptions],
    ['reporting.details', details, { Limit: 5 }, 'Limit', detailsOptions],
    ['reporting.details', details, { constructor: 5 }, 'constructor', detailsOptions],
  ])('of %s is a violation that names it and the options', async (_operation, call, options, name, known) => {
    // The compiler would refuse the options; nothing refuses them in a JavaScript program.
    expect(await call(world.core, options as never)).toMatchObject({
      result: {
        code: '200.300.404',
        parameterErrors: [
          { name, value: '***', message: `${name} is not an option; the options are ${known}` },
        ],
      },
    });
  });

  test.each([0, -1, 501, 9999, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', {}])(
    'a limit of %j is refused by reporting.details, and not replaced by another',
    async (limit) => {
      const { records, result } = await world.core.reporting.details(day, { limit } as never);
      expect([records, result.parameterErrors]).toMatchObject([
        undefined,
        [{ name: 'limit', message: 'limit must be a whole number from 1 to 500' }],
      ]);
    },
  );

  test('is reported together with everything else', async () => {
    const options = { pageNo: 0, befor: 'x' } as never;
    const { result } = await world.core.query({ limit: '1' }, options);
    expect(result.parameterErrors?.map(({ name }) => name)).toEqual(['limit', 'pageNo', 'befor']);
  });

  test.each<[string, Call, unknown, string]>([
    ['events.read', read, { limt: 5 }, 'there is no option limt; the only option is limit'],
    ['events.read', read, 5, 'the options must be an object; the only option is limit'],
    [
      'jobs.runDue',
      runDue,
      { limit: 5, limitperjob: 1 },
      'there is no option limitperjob; the options are limit and limitPerJob',
    ],
    [
      'storedPayments.import',
      importFile,
      { dryrun: true, by: 'anna' },
      'there is no option dryrun; there is no option by; the options are progress, author, allowChanges and dryRun',
    ],
    ['events.read', read, { limit: '5' }, 'limit must be a whole number from 1'],
    ['events.read', read, { limit: Number.NaN }, 'limit must be a whole number from 1'],
    [
      'jobs.runDue',
      runDue,
      { limit: 'five', limitPerJob: -1, all: true },
      'limit must be a whole number from 0; limitPerJob must be a whole number from 0; there is no option all; ' +
        'the options are limit and limitPerJob',
    ],
    [
      'storedPayments.import',
      importFile,
      { dryRun: 'no', allowChanges: 1, author: 5, progress: {} },
      'progress must be an object with a function begin; author must be a text; allowChanges must be true or false; ' +
        'dryRun must be true or false',
    ],
  ])('of %s ends it before anything is done', async (operation, call, options, sentence) => {
    await expect(call(world.core, options as never)).rejects.toMatchObject({
      name: 'ReconError',
      code: 'USAGE_INVALID',
      message: `${operation}: ${sentence}. Nothing was done.`,
    });
  });

  test('of checkouts.pay is a violation, so that the form of a shopper is not taken for that of a merchant', async () => {
    const { checkouts } = world.core;
    const { id } = await checkouts.create({ paymentType: 'DB', amount: '5.00', currency: 'EUR' });
    const { result } = await checkouts.pay(id, card, { fromShoper: true } as never);
    expect(result).toMatchObject({
      code: '200.300.404',
      parameterErrors: [
        {
          name: 'fromShoper',
          message: 'fromShoper is not an option; the options are registrationId and fromShopper',
        },
      ],
    });
    expect((await checkouts.get(id)).result.code).toBe('000.200.100');
  });

  test('never shows a card number that was put in its place', async () => {
    const pan = '4200000000000000';
    const said = JSON.stringify(await world.core.query({}, { [pan]: pan } as never));
    expect(said).toContain('420000******0000');
    expect(said).not.toContain(pan);
    await expect(world.core.events.read({ [pan]: 1 } as never)).rejects.toThrow('420000******0000');
  });
});

test('jobs.runDue refuses a moment that is no number of milliseconds', async () => {
  for (const nowMs of [null, '2026-11-20', new Date(), Number.NaN, -1, 1e20]) {
    await expect(world.core.jobs.runDue(nowMs as never)).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: 'jobs.runDue: nowMs must be a number of milliseconds since 1970. Nothing was done.',
    });
  }
});

test.each<[string, () => unknown]>([
  ['URLSearchParams', () => new URLSearchParams(cardPayment('DB'))],
  ['a Map', () => new Map(Object.entries(cardPayment('DB')))],
  ['a list of pairs', () => Object.entries(cardPayment('DB'))],
])('%s instead of an object is refused as such', async (_what, given) => {
  const { result } = await world.core.payments.create(given() as never);
  const message =
    'The parameters must be an object of names and texts: Object.fromEntries makes one of pairs';
  expect(result).toMatchObject({
    code: '200.300.404',
    parameterErrors: [{ name: '', value: null, message }],
  });
});

test('options that are undefined or null are options that are left out', async () => {
  const { core } = world;
  await core.payments.create(cardPayment('DB'));
  expect((await core.query({}, { after: undefined, befor: undefined } as never)).payments).toHaveLength(1);
  expect((await core.query({}, null as never)).payments).toHaveLength(1);
  expect(await core.events.read({ limt: undefined } as never)).toHaveLength(1);
  expect(await core.events.read(null as never)).toHaveLength(1);
  expect(await core.jobs.runDue(undefined, null as never)).toEqual([]);
  expect((await core.reporting.details(day, { limit: undefined } as never)).records).toEqual([]);
  const file = path.join(folder.path, 'none.csv');
  writeFileSync(file, 'x\n');
  await expect(core.storedPayments.import(file, null as never)).rejects.toMatchObject({
    code: 'PAYMENTS_FILE_INVALID',
  });
});

test.each<[string, (...given: never[]) => Promise<unknown>, string]>([
  ['importPayments', importPayments, 'sql must be a client of the postgres package'],
  ['exportPayments', exportPayments, 'sql must be a client of the postgres package'],
  ['findPayment', findPayment, 'sql must be a client or a transaction of the postgres package'],
  ['bookChargebacks', bookChargebacks, 'tx must be a transaction of the postgres package'],
  ['amendChargebacks', amendChargebacks, 'tx must be a transaction of the postgres package'],
])('%s without its connection says what is missing', async (name, work, sentence) => {
  for (const given of [[], [null, 'payments.csv'], ['payments.csv']]) {
    await expect(work(...(given as never[]))).rejects.toMatchObject({
      name: 'ReconError',
      code: 'USAGE_INVALID',
      message: `${name}: ${sentence}. Nothing was done.`,
    });
  }
});
