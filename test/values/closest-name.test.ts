import { expect, test } from 'vitest';
import { closestName, suggestion } from '../../src/values/closest-name.js';

const names = ['port', 'host', 'filePattern', 'folder', 'username'];

test.each([
  ['prt', 'port'],
  ['portt', 'port'],
  ['pory', 'port'],
  ['FILEPATTERN', 'filePattern'],
  ['file-pattern', 'filePattern'],
  ['filePaterns', 'filePattern'],
  ['userName', 'username'],
  ['userna', 'username'],
  // More than half of the letters would have to be added.
  ['usern', undefined],
  // Half of a short name is too much to guess from.
  ['pa', undefined],
  ['x', undefined],
  ['', undefined],
  ['completely', undefined],
])('%j probably stands for %j', (name, meant) => {
  expect(closestName(name, names)).toBe(meant);
  expect(suggestion(name, names)).toBe(meant === undefined ? '' : ` (did you mean ${meant}?)`);
});
