import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { allFaultTests, disagreements, findFaultTests } from '../../scripts/list-faults.js';
import { faultMatrix } from './fault-matrix.js';

const root = path.resolve(import.meta.dirname, '../..');

test('every fault has a test or a reason, and never both', () => {
  expect(disagreements(faultMatrix, allFaultTests(root))).toEqual([]);
});

test('the faults are numbered from 1 to 136 without a gap', () => {
  expect(faultMatrix.map(({ number }) => number)).toEqual(Array.from({ length: 136 }, (_, at) => at + 1));
});

test('files that a reason names exist', () => {
  const named = faultMatrix.flatMap(({ reason = '' }) => reason.match(/test\/[\w/.-]+\.ts/g) ?? []);
  expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

describe('names that carry numbers', () => {
  const found = (text: string) => findFaultTests('some.test.ts', text);
  const numbersOf = (text: string) => found(text).map(({ numbers }) => numbers);

  test('are found in tests, groups, templates and tables of cases', () => {
    expect(numbersOf("test('F24 F88 full', f);")).toEqual([[24, 88]]);
    expect(numbersOf("describe('F24, F88: full', f);")).toEqual([[24, 88]]);
    expect(numbersOf('test(`F60 ${what}`, f);')).toEqual([[60]]);
    expect(numbersOf("test.each([['F58 mark'], ['F59 none']])('%s', f);")).toEqual([[58], [59]]);
    expect(numbersOf("const cases = [row('F47 renamed')];")).toEqual([[47]]);
    expect(numbersOf("test('the number F1 further on', f); test('Few', f);")).toEqual([]);
  });

  test('are listed with what they depend on', () => {
    const [conditional] = found("describe.runIf(isRoot)('disk', () => { test('F24 full', f); });");
    expect(conditional).toMatchObject({ onlyWhere: ['isRoot'], skipped: null });
    const [unless] = found("test.skipIf(missing(sshd))('F4 key', f);");
    expect(unless).toMatchObject({ onlyWhere: ['not missing(sshd)'], skipped: null });
  });

  test('do not count while they are skipped, which needs a reason', () => {
    const faults = [{ number: 7, title: 'a fault', group: 'transfer' as const }];
    expect(disagreements(faults, found("// It waits for a fix.\ntest.skip('F7 it', f);"))).toEqual([
      'F7 (a fault) has neither a test nor a reason',
    ]);
    expect(disagreements(faults, found("test.todo('F7 it');"))).toEqual([
      'F7 (a fault) has neither a test nor a reason',
      'some.test.ts:1 (F7 it) is skipped, and no comment above it gives the reason',
    ]);
  });

  test('that are unknown, and reasons that are out of date, are reported', () => {
    const faults = [{ number: 7, title: 'a fault', group: 'transfer' as const, reason: 'later' }];
    expect(disagreements(faults, found("test('F7 F8 both', f);"))).toEqual([
      'F7 (a fault) has a test, and a reason for having none',
      'F8 at some.test.ts:1 is not a fault of the matrix',
    ]);
  });
});
