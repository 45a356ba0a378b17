import path from 'node:path';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createPaymentCore, validateParameters, type CoreSettings } from '../../src/payment-core/index.js';
import { encryptionKeys } from './support/test-core.js';

/** A plain JavaScript program may pass anything. */
const wrong: readonly (readonly [object, RegExp])[] = [
  [{ environment: 'production' }, /environment must be one of test, live/],
  [{ encryptionKeys: { ...encryptionKeys, current: 'other' } }, /encryptionKeys has no key other/],
  [
    { encryptionKeys: { ...encryptionKeys, lookup: 'short' } },
    /the lookup key must be 64 hexadecimal digits/,
  ],
  [{ encryptionKeys: undefined }, /encryptionKeys is required: \{ current, keys, lookup \}/],
  [{ encryptionKeys: null }, /encryptionKeys is required/],
  [{ encryptionKeys: 'secret' }, /encryptionKeys is required/],
  [{ encryptionKeys: { current: 'a', lookup: encryptionKeys.lookup } }, /encryptionKeys has no keys/],
  [{ throttling: { 'payments.create': null } }, /payments\.create needs whole requests/],
  [{ connectors: { default: {} } }, /connectors\.default must have a name and a function process/],
  [{ connectors: { byBrand: { VISA: null } } }, /connectors\.byBrand\.VISA must have a name/],
  [{ connectorTimeoutMs: -1 }, /connectorTimeoutMs must be a number of milliseconds above 0/],
  [{ checkoutLifetimeMs: Number.NaN }, /checkoutLifetimeMs must be a number of milliseconds above 0/],
];

test.each(wrong)('%j is refused before the database is opened', async (setting, message) => {
  // No folder can have this name: opening it would fail in another way.
  const dataDirectory = path.join(tmpdir(), 'no-such-folder', '\0');
  const settings: CoreSettings = { environment: 'test', encryptionKeys, ...setting };
  await expect(createPaymentCore({ dataDirectory, ...settings })).rejects.toThrow(message);
});

test('settings that are missing are named', async () => {
  // A program without types.
  const create = createPaymentCore as (options?: object) => Promise<unknown>;
  await expect(create()).rejects.toThrow('environment must be one of test, live');
  await expect(create({ environment: 'test', encryptionKeys })).rejects.toThrow(
    'one of sql, databaseUrl and dataDirectory is required',
  );
});

test('a validation without options is one for the test environment', () => {
  expect(validateParameters('payment', {})).toEqual(
    validateParameters('payment', {}, { environment: 'test' }),
  );
  const testMode = { testMode: 'INTERNAL' };
  expect(validateParameters('payment', testMode).map(({ name }) => name)).not.toContain('testMode');
});
