import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

interface Manifest {
  readonly overrides: Readonly<Record<string, string>>;
}
interface LockedPackage {
  readonly dev?: boolean;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(path.resolve(import.meta.dirname, '..', name), 'utf8'));

test('a version that is needed by those who install the package is a dependency, because overrides are only for us', () => {
  const { overrides } = read('package.json') as Manifest;
  const { packages } = read('package-lock.json') as { packages: Readonly<Record<string, LockedPackage>> };
  const installed = Object.entries(packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([folder]) => folder.replace(/^.*node_modules\//, ''));
  expect(Object.keys(overrides).filter((name) => installed.includes(name))).toEqual([]);
});
