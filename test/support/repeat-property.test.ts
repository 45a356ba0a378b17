import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
  fc.resetConfigureGlobal();
});

test('a property begins with the example whose seed and path it printed', async () => {
  const seen: number[] = [];
  const property = fc.property(fc.nat(), (number) => {
    seen.push(number);
    return number < 5000;
  });
  const { seed, counterexample, counterexamplePath } = fc.check(property, { seed: 20261125 });
  expect(counterexample).toEqual([5000]);
  expect(seen[0]).not.toBe(5000);

  vi.stubEnv('RECON_PROPERTY_SEED', String(seed));
  vi.stubEnv('RECON_PROPERTY_PATH', counterexamplePath ?? '');
  vi.resetModules();
  await import('./repeat-property.js');
  seen.length = 0;
  expect(fc.check(property)).toMatchObject({ failed: true, counterexample: [5000] });
  expect(seen[0]).toBe(5000);
});
