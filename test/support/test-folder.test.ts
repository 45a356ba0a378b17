import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { folderForAllTests, folderForEachTest, folderForThisTest } from './test-folder.js';

describe('a folder for all tests', () => {
  const folder = folderForAllTests();
  const seen: string[] = [];

  expect(() => folder.path, 'while the tests are collected').toThrow(
    'The folder of the tests exists only while they run.',
  );

  test('exists when the first of them begins', () => {
    writeFileSync(path.join(folder.path, 'file'), '');
    seen.push(folder.path);
  });

  test('is the same for each of them', () => {
    expect(folder.path).toBe(seen[0]);
    expect(existsSync(path.join(folder.path, 'file'))).toBe(true);
  });

  describe('of an inner group', () => {
    const inner = folderForAllTests();

    test('is another one', () => {
      expect(inner.path).not.toBe(folder.path);
      seen.push(inner.path);
    });
  });

  test('is removed after the last of them', () => {
    expect(seen.map((former) => existsSync(former))).toEqual([true, false]);
  });
});

describe('a folder for each test', () => {
  const folder = folderForEachTest();
  const seen: string[] = [];

  test.fails('is removed when a test fails', () => {
    seen.push(folder.path);
    writeFileSync(path.join(folder.path, 'file'), '');
    throw new Error('as expected');
  });

  test('is another one than that of the test before', () => {
    // The failing test may have been tried again.
    expect(seen).not.toEqual([]);
    expect(seen.filter((former) => existsSync(former))).toEqual([]);
    expect(seen).not.toContain(folder.path);
    expect(existsSync(folder.path)).toBe(true);
  });
});

describe('of an account that is not root', () => {
  let seen = '';
  const isRoot = process.geteuid?.() === 0;
  // Registered before the folder, so that it is removed by the same account.
  beforeEach(() => {
    if (isRoot) process.seteuid?.(65534);
  });
  afterEach(() => {
    if (isRoot) process.seteuid?.(0);
  });
  const folder = folderForEachTest();

  test('with folders that may not be written', () => {
    seen = folder.path;
    mkdirSync(path.join(folder.path, 'outer/inner'), { recursive: true });
    writeFileSync(path.join(folder.path, 'outer/inner/file'), '', { mode: 0o400 });
    chmodSync(path.join(folder.path, 'outer/inner'), 0o500);
    chmodSync(path.join(folder.path, 'outer'), 0o500);
    chmodSync(folder.path, 0o500);
  });

  test('is removed too', () => {
    expect(seen).not.toBe('');
    expect(existsSync(seen)).toBe(false);
  });
});

describe('a folder for one test', () => {
  let seen = '';

  test('exists until the test ends', () => {
    seen = folderForThisTest();
    expect(existsSync(seen)).toBe(true);
  });

  test('is removed then', () => {
    expect(existsSync(seen)).toBe(false);
  });
});
