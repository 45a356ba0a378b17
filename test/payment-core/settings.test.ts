import path from 'node:path';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createPaymentCore, validateParameters, type CoreSettings } from '../../src/payment-core/index.js';
import { encryptionKeys } from './support/test-core.js';

/** A plain JavaScript program may pass anything. */
const wrong: readonly (readonly [object, RegExp])[] = [
  [{ environment: 'production' }, /environment must be test or live/],
  [{ encryptionKeys: { ...encryptionKeys, current: 'other' } }, /encryptionKeys has no key other/],
  [
    { encryptionKeys: { ...encryptionKeys, lookup: 'short' } },
    /the lookup key must be 64 hexadecimal digits/,
  ],
  [{ connectorTimeoutMs: -1 }, /connectorTimeoutMs must be a number of milliseconds above 0/],
  [{ checkoutLifetimeMs: Number.NaN }, /checkoutLifetimeMs must be a number of milliseconds above 0/],
  [{ checkoutLifetimeMs: '5' }, /checkoutLifetimeMs must be a number of milliseconds above 0/],
  [{ checkoutStatusPerMinute: 'often' }, /checkoutStatusPerMinute must be a whole number from 1/],
  [{ environment: undefined }, /environment must be test or live/],
  [{ encryptionKeys: undefined }, /encryptionKeys must be an object with current, keys and lookup/],
  [
    { encryptionKeys: { current: 'first' } },
    /encryptionKeys must be an object with current, keys and lookup/,
  ],
  [{ throtling: {} }, /there is no setting throtling \(did you mean throttling\?\)/],
  [{ throttling: 5 }, /throttling must be an object/],
  [{ throttling: { query: null } }, /throttling: query needs whole requests from 0 and windowSeconds from 1/],
  [{ throttling: { querry: {} } }, /throttling: there is no operation querry \(did you mean query\?\)/],
  [{ connectors: { default: 5 } }, /connectors: each connector needs a name and a function process/],
  [{ connectors: { byBrand: { VISA: { name: 'x' } } } }, /connectors: each connector needs a name and a f/],
  [{ clock: 5 }, /clock must be a function/],
  [{ logger: { info: () => undefined } }, /logger must have a function warn/],
  [{ dataDirectory: 5 }, /dataDirectory must be a text/],
  [{ dataDirectory: undefined }, /give exactly one of sql, databaseUrl and dataDirectory/],
  [{ databaseUrl: 'postgres://h/d' }, /give exactly one of sql, databaseUrl and dataDirectory/],
  [{ dataDirectory: undefined, sql: 5 }, /sql must be a client of the postgres package/],
];

test.each(wrong)('%j is refused before the database is opened', async (setting, message) => {
  // No folder can have this name: opening it would fail in another way.
  const dataDirectory = path.join(tmpdir(), 'no-such-folder', '\0');
  const settings: CoreSettings = { environment: 'test', encryptionKeys, ...setting };
  const refusal = await createPaymentCore({ dataDirectory, ...settings }).catch((thrown: unknown) => thrown);
  expect(refusal).toMatchObject({ name: 'ReconError', code: 'USAGE_INVALID' });
  expect(String(refusal)).toMatch(message);
});

test('all wrong settings are named together', async () => {
  const settings = { environment: 'prod', throtling: {}, clock: 5 };
  await expect(createPaymentCore(settings as never)).rejects.toThrow(
    'createPaymentCore: there is no setting throtling (did you mean throttling?); ' +
      'give exactly one of sql, databaseUrl and dataDirectory; environment must be test or live; ' +
      'encryptionKeys must be an object with current, keys and lookup; clock must be a function. Nothing was done.',
  );
});

test.each([undefined, null, 5])('%j instead of settings is refused', async (settings) => {
  const opening = createPaymentCore as (options: unknown) => Promise<unknown>;
  await expect(opening(settings)).rejects.toThrow('the settings must be an object');
});

test('validateParameters needs an environment', () => {
  const validate = validateParameters as (...given: unknown[]) => unknown;
  for (const options of [undefined, null, {}, { environment: 'production' }]) {
    const validation = () => validate('payment', {}, options);
    expect(validation).toThrow(expect.objectContaining({ code: 'USAGE_INVALID' }));
    expect(validation).toThrow('environment must be test or live');
  }
});
