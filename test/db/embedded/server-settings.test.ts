import { describe, expect, test } from 'vitest';
import { memorySettings, usableMegabytes } from '../../../src/db/embedded/server-settings.js';

const gigabyte = 2 ** 30;

describe('the memory that the embedded server fits', () => {
  test.each([
    ['a container with a limit', 24 * gigabyte, gigabyte / 2, 512],
    ['a machine without a limit', 2 * gigabyte, 0, 2048],
    ['a limit that is not one', 2 * gigabyte, 2 ** 64, 2048],
  ])('%s', (_what, machine, limit, expected) => {
    expect(usableMegabytes(machine, limit)).toBe(expected);
  });

  test.each([
    [256, '32MB', '16MB', '8MB', '32MB', '256MB'],
    [512, '64MB', '32MB', '16MB', '64MB', '512MB'],
    [1024, '128MB', '64MB', '32MB', '128MB', '1024MB'],
    [2048, '128MB', '128MB', '64MB', '256MB', '2048MB'],
    [8192, '512MB', '128MB', '64MB', '256MB', '2048MB'],
    [65_536, '1024MB', '128MB', '64MB', '256MB', '2048MB'],
  ])('of %s MB, it shares out', (megabytes, shared, temporary, work, maintenance, cache) => {
    expect(memorySettings(megabytes)).toEqual({
      shared_buffers: shared,
      temp_buffers: temporary,
      work_mem: work,
      maintenance_work_mem: maintenance,
      effective_cache_size: cache,
    });
  });
});
