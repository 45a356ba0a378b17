import path from 'node:path';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createPaymentCore, type CoreSettings } from '../../src/payment-core/index.js';
import { encryptionKeys } from './support/test-core.js';

/** A plain JavaScript program may pass anything. */
const wrong: readonly (readonly [object, RegExp])[] = [
  [{ environment: 'production' }, /environment must be one of test, live/],
  [{ encryptionKeys: { ...encryptionKeys, current: 'other' } }, /encryptionKeys has no key other/],
  [
    { encryptionKeys: { ...encryptionKeys, lookup: 'short' } },
    /the lookup key must be 64 hexadecimal digits/,
  ],
  [{ connectorTimeoutMs: -1 }, /connectorTimeoutMs must be a number of milliseconds above 0/],
  [{ checkoutLifetimeMs: Number.NaN }, /checkoutLifetimeMs must be a number of milliseconds above 0/],
];

test.each(wrong)('%j is refused before the database is opened', async (setting, message) => {
  // No folder can have this name: opening it would fail in another way.
  const dataDirectory = path.join(tmpdir(), 'no-such-folder', '\0');
  const settings: CoreSettings = { environment: 'test', encryptionKeys, ...setting };
  await expect(createPaymentCore({ dataDirectory, ...settings })).rejects.toThrow(message);
});
