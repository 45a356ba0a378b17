import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonPieces } from '../../../src/reporting/folder/json-pieces.js';

const written = (document: object) => [...jsonPieces(document)].join('');

test('a document is written as JSON.stringify writes it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (document) => {
      expect(written(document)).toBe(`${JSON.stringify(document, null, 2)}\n`);
    }),
  );
});

test('a list whose entries are made when they are read is written as a list', () => {
  function* numbers() {
    yield { number: 1, of: [1, 2] };
    yield null;
  }
  expect(written({ list: numbers(), none: new Set(), missing: undefined })).toBe(
    `${JSON.stringify({ list: [{ number: 1, of: [1, 2] }, null], none: [] }, null, 2)}\n`,
  );
});

test('a long list is written in pieces', () => {
  const list = Array.from({ length: 100_000 }, (_, index) => `entry ${index}`);
  const pieces = [...jsonPieces({ list, end: true })];
  expect(pieces.length).toBeGreaterThan(5);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(300_000);
  expect(JSON.parse(pieces.join(''))).toEqual({ list, end: true });
});
