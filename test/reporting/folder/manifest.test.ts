import { describe, expect, test } from 'vitest';
import { parseManifest, serializeManifest } from '../../../src/reporting/folder/manifest.js';

const sha256 = 'a'.repeat(64);
const files = [
  { name: 'summary.json', rows: null, bytes: 12, sha256 },
  { name: 'discrepancies.csv', rows: 0, bytes: 3, sha256 },
  { name: 'Zeta.csv', rows: 2, bytes: 3, sha256 },
];
const text = serializeManifest(files, { discrepancies: { parts: 1, rows: 0 } });

describe('the manifest', () => {
  test('lists files in order of name, byte by byte', () => {
    expect(parseManifest(text)?.files.map((file) => file.name)).toEqual([
      'Zeta.csv',
      'discrepancies.csv',
      'summary.json',
    ]);
  });

  test('is the same whatever the order of the files', () => {
    expect(serializeManifest([...files].reverse(), { discrepancies: { parts: 1, rows: 0 } })).toBe(text);
  });

  test('F107 shows every changed byte of the manifest itself', () => {
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + (text[at] === '1' ? '2' : '1') + text.slice(at + 1);
      expect(parseManifest(changed), `byte ${at}`).toBeUndefined();
    }
  });

  test.each([
    ['nothing', ''],
    ['a torn end', text.slice(0, -2)],
    ['another document', '{"files":[]}\n'],
    ['one more byte', `${text} `],
  ])('F107 %s is no manifest', (_what, damaged) => {
    expect(parseManifest(damaged)).toBeUndefined();
  });
});
